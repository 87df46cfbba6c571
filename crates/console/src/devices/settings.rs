//! Changes mode, off-cycle, intensity and fan speed.

use devicecloud::PropertyValue;
use diffuser::{CurrentSettings, Mode, OffCycle, Setting, Settings, SystemConfiguration};

use super::dto::{DeviceSettings, DeviceSettingsForm};
use super::service;
use super::writes::{self, DeviceValue, write};
use crate::audit::concurrent_changes::refuse_unseen;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::{DeviceRecord, DeviceState, ReadDevice};
use crate::state::CoreState;

/// Writes changed settings one by one and returns the device as read back from the cloud.
///
/// # Errors
/// 404, 403, 422, or 409 with the settings that another person changed meanwhile, in this order; if the cloud rejects a setting,
/// its error with the parts saved before.
pub(super) async fn update(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    form: DeviceSettingsForm,
) -> ApiResult<ReadDevice> {
    let device = service::read(state, actor, dsn).await?;
    let record = DeviceRecord::of(&device);
    policy::can(actor, Action::Edit, Target::Device { csp: record.csp.as_deref() }).require()?;
    let requested = form.settings();
    validate(&requested, &record)?;
    let values = changes(&requested.settings(), &record.state);
    if values.is_empty() {
        return writes::refresh(state, actor, dsn).await;
    }
    let target = audit::AuditTarget::device(dsn, record.csp.as_deref());
    let fields = writes::changes(&device, &values);
    refuse_unseen(&state.base.db, actor, &target, &form.seen, &fields, FieldChange::field).await?;
    write(state, actor, &Change { operation: Operation::UpdateDeviceSettings, target, fields }, &device, &values).await
}

/// # Errors
/// 422 without a setting, and for settings that are not possible for the device.
pub(super) fn validate(requested: &DeviceSettings, record: &DeviceRecord) -> ApiResult<()> {
    let settings = requested.settings();
    if settings.is_empty() {
        return Err(ApiError::invalid("mode", "At least one setting is required"));
    }
    settings.validate(&current(record)).map_err(|errors| {
        ApiError::Invalid(errors.0.into_iter().map(|(field, texts)| (field.to_owned(), texts)).collect())
    })
}

fn current(record: &DeviceRecord) -> CurrentSettings {
    CurrentSettings {
        configuration: SystemConfiguration::from(record.system_configuration.as_deref().unwrap_or_default()),
        mode: record.state.mode.and_then(|code| Mode::try_from(code).ok()),
        cycle: record.state.cycle.and_then(|code| OffCycle::try_from(code).ok()),
    }
}

/// Removes the settings that are not possible for the device, and returns which those are.
pub(crate) fn remove_invalid(requested: &mut Settings, record: &DeviceRecord) -> Vec<Setting> {
    let current = current(record);
    let mut removed = Vec::new();
    // Without one of them another may be impossible.
    while let Err(errors) = requested.validate(&current) {
        for setting in Setting::ALL.into_iter().filter(|setting| errors.0.contains_key(setting.field())) {
            requested.set(setting, None);
            removed.push(setting);
        }
    }
    removed
}

/// The changed settings, in the order in which the device must apply them.
pub(crate) fn changes(requested: &Settings, current: &DeviceState) -> Vec<(DeviceValue, PropertyValue)> {
    let current = current.settings();
    Setting::ALL
        .into_iter()
        .filter(|setting| requested.get(*setting) != current.get(*setting))
        .filter_map(|setting| Some((DeviceValue::setting(setting), requested.get(setting)?.into())))
        .collect()
}
