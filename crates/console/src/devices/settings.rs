//! Mode, off-cycle, intensity and fan.

use devicecloud::Device;
use diffuser::{Mode, OffCycle, Present, Settings, SystemConfiguration, properties};

use super::dto::DeviceSettings;
use super::record::{DeviceRecord, DeviceState};
use super::service;
use crate::error::{ApiError, ApiResult, FieldErrors};
use crate::index;
use crate::notice::{self, DeviceEventKind};
use crate::policy::{self, Action, Actor, Target};
use crate::state::AppState;

/// A stream event that arrives while we read back makes the read older than the row. So often we read again.
const READ_BACKS: usize = 3;

/// A setting under its three names: in the request, on the page, in the cloud.
struct Setting {
    field: &'static str,
    label: &'static str,
    property: &'static str,
}

const MODE: Setting = Setting { field: "mode", label: "Mode", property: properties::CURRENT_STATE };
const CYCLE: Setting = Setting { field: "cycle", label: "Off-cycle", property: properties::CYCLE };
const INTENSITY: Setting = Setting { field: "intensity", label: "Intensity", property: properties::INTENSITY };
const FAN: Setting = Setting { field: "fan", label: "Fan", property: properties::FAN };

/// Writes the settings that differ, one by one, and answers the device as the cloud knows it afterwards. The index has
/// that state before the caller has the answer.
///
/// # Errors
/// 404, 403, 422 in this order; when the cloud refuses a setting, its refusal with what was saved before it.
pub(super) async fn update(state: &AppState, actor: &Actor, dsn: &str, wish: DeviceSettings) -> ApiResult<Device> {
    let device = service::read(state, actor, dsn).await?;
    let record = DeviceRecord::of(&device);
    policy::can(actor, Action::Edit, Target::Device { csp: record.csp.as_deref() }).require()?;
    validate(&wish, &record)?;

    let written = write(state, actor, dsn, &changes(&wish, &record.state)).await;
    // Also after a failure: what was written before it must not look unwritten.
    let mut lists = Vec::new();
    let read_back = read_back(state, actor, dsn, &mut lists).await;
    notice::device(&state.base.bus, dsn, DeviceEventKind::Commanded, &lists);
    written?;
    read_back
}

fn validate(wish: &DeviceSettings, record: &DeviceRecord) -> ApiResult<()> {
    let settings = Settings { mode: wish.mode, cycle: wish.cycle, intensity: wish.intensity, fan: wish.fan };
    if settings.is_empty() {
        return Err(ApiError::invalid("mode", "At least one setting is required"));
    }
    let present = Present {
        configuration: SystemConfiguration::from(record.system_configuration.as_deref().unwrap_or_default()),
        mode: record.state.mode.and_then(|code| Mode::try_from(code).ok()),
        cycle: record.state.cycle.and_then(|code| OffCycle::try_from(code).ok()),
    };
    settings.validate(&present).map_err(|errors| {
        ApiError::Invalid(errors.0.into_iter().map(|(field, texts)| (field.to_owned(), texts)).collect())
    })
}

/// What is to be written, in the order in which the device must obey: it checks the intensity against its off-cycle.
fn changes(wish: &DeviceSettings, present: &DeviceState) -> Vec<(Setting, i64)> {
    let settings = [
        (MODE, wish.mode, present.mode),
        (CYCLE, wish.cycle, present.cycle),
        (INTENSITY, wish.intensity, present.intensity),
        (FAN, wish.fan, present.fan),
    ];
    settings
        .into_iter()
        .filter(|(_, wished, present)| wished != present)
        .filter_map(|(setting, wished, _)| Some((setting, wished?)))
        .collect()
}

/// Stops at the first setting that the cloud does not take.
async fn write(state: &AppState, actor: &Actor, dsn: &str, changes: &[(Setting, i64)]) -> ApiResult<()> {
    let cloud = state.sessions.cloud(&actor.session);
    for (at, (setting, value)) in changes.iter().enumerate() {
        let sent = cloud.datapoints().create(dsn, setting.property, *value).send().await;
        if let Err(error) = sent {
            return Err(stopped(setting, &changes[..at], error.into()));
        }
    }
    Ok(())
}

fn stopped(failed: &Setting, saved: &[(Setting, i64)], cause: ApiError) -> ApiError {
    let reason = cause.to_string();
    let mut detail = format!("{} was not saved: {}.", failed.label, reason.trim_end_matches('.'));
    if !saved.is_empty() {
        let labels: Vec<&str> = saved.iter().map(|(setting, _)| setting.label).collect();
        detail.push_str(&format!(" Already saved: {}.", labels.join(", ")));
    }
    let errors = FieldErrors::from([(failed.field.to_owned(), vec![reason])]);
    ApiError::Stopped { cause: Box::new(cause), detail, errors }
}

/// Adds the CSPs whose lists the read changed: another's change that no pass will find any more.
async fn read_back(state: &AppState, actor: &Actor, dsn: &str, lists: &mut Vec<String>) -> ApiResult<Device> {
    let mut read_backs = 1;
    loop {
        let read = index::Read::announce(&state.base.db, &state.base.clock, dsn).await?;
        let device = service::read(state, actor, dsn).await?;
        let entry = index::Entry::of(&device);
        let applied = index::apply_read(&state.base.db, &[entry], read.end(&state.base.clock)).await?;
        lists.extend(applied.changed.into_iter().flat_map(|changed| changed.lists));
        if applied.outdated.is_empty() || read_backs == READ_BACKS {
            return Ok(device);
        }
        read_backs += 1;
    }
}
