//! Changes mode, off-cycle, intensity and fan speed.

use devicecloud::{Device, PropertyValue};
use diffuser::{CurrentSettings, Mode, OffCycle, Settings, SystemConfiguration, properties};

use super::dto::DeviceSettings;
use super::service;
use super::writes::{self, DeviceValue, value, write};
use crate::audit::{self, Change, Operation};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::{DeviceRecord, DeviceState};

const MODE: DeviceValue = value("mode", "Mode", properties::CURRENT_STATE);
const CYCLE: DeviceValue = value("cycle", "Off-cycle", properties::CYCLE);
const INTENSITY: DeviceValue = value("intensity", "Intensity", properties::INTENSITY);
const FAN: DeviceValue = value("fan", "Fan", properties::FAN);

/// Writes changed settings one by one and returns the device as read back from the cloud.
///
/// # Errors
/// 404, 403 or 422, in this order; if the cloud rejects a setting, its error with the parts saved before.
pub(super) async fn update(state: &CoreState, actor: &Actor, dsn: &str, wanted: DeviceSettings) -> ApiResult<Device> {
    let device = service::read(state, actor, dsn).await?;
    let record = DeviceRecord::of(&device);
    policy::can(actor, Action::Edit, Target::Device { csp: record.csp.as_deref() }).require()?;
    validate(&wanted, &record)?;
    let values = changes(&wanted, &record.state);
    if values.is_empty() {
        return writes::refresh(state, actor, dsn).await;
    }
    let target = audit::Target::device(dsn, record.csp.as_deref());
    let fields = writes::changes(&device, &values);
    write(state, actor, &Change { operation: Operation::UpdateDeviceSettings, target, fields }, &values).await
}

fn validate(wanted: &DeviceSettings, record: &DeviceRecord) -> ApiResult<()> {
    let settings = Settings { mode: wanted.mode, cycle: wanted.cycle, intensity: wanted.intensity, fan: wanted.fan };
    if settings.is_empty() {
        return Err(ApiError::invalid("mode", "At least one setting is required"));
    }
    let current = CurrentSettings {
        configuration: SystemConfiguration::from(record.system_configuration.as_deref().unwrap_or_default()),
        mode: record.state.mode.and_then(|code| Mode::try_from(code).ok()),
        cycle: record.state.cycle.and_then(|code| OffCycle::try_from(code).ok()),
    };
    settings.validate(&current).map_err(|errors| {
        ApiError::Invalid(errors.0.into_iter().map(|(field, texts)| (field.to_owned(), texts)).collect())
    })
}

/// The changed settings, in the order in which the device must apply them: it checks the intensity against its
/// off-cycle.
pub(super) fn changes(wanted: &DeviceSettings, current: &DeviceState) -> Vec<(DeviceValue, PropertyValue)> {
    let settings = [
        (MODE, wanted.mode, current.mode),
        (CYCLE, wanted.cycle, current.cycle),
        (INTENSITY, wanted.intensity, current.intensity),
        (FAN, wanted.fan, current.fan),
    ];
    settings
        .into_iter()
        .filter(|(_, requested, current)| requested != current)
        .filter_map(|(setting, requested, _)| Some((setting, requested?.into())))
        .collect()
}
