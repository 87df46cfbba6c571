//! The forecast of a device's cartridge, and what it would be with other settings (docs/forecast.md).

use diffuser::forecast::{Forecast, ForecastBasis, ForecastDate, ForecastInput, NoForecast};
use diffuser::{Mode, OffCycle, Schedule, SystemConfiguration, max_intensity};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use platform::db::Db;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::dto::DeviceSettings;
use super::history::{self, ValuePoint};
use super::schedule::{self, ScheduleFrame};
use super::{level, service, settings};
use crate::audit::FieldChange;
use crate::fragrances;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::{DeviceRecord, ForecastObstacle, ReadDevice, property};
use crate::state::CoreState;

/// Days of levels before the forecast.
const LEVEL_DAYS: u8 = 28;
/// Distance between two levels of the course in percent.
const COURSE_STEP: usize = 5;

/// The levels of a device in the past and in the future.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceForecast {
    /// Fragrance remaining in percent on the last 28 days, as the device had it: a point for each change, oldest first.
    levels: Vec<ValuePoint>,
    /// The level in percent at `from`, with which the course begins; null if it is unknown.
    #[schema(required)]
    level: Option<f64>,
    /// Now or, of a device that is offline, since when it has been so.
    #[schema(value_type = String, format = DateTime)]
    from: Timestamp,
    /// When the level falls to each multiple of 5 percent below the present one. Empty without a forecast; levels that are
    /// more than three years ahead are missing.
    course: Vec<CoursePoint>,
    #[serde(flatten)]
    expected: ExpectedUse,
    /// The response contains all changes before this time.
    #[schema(value_type = String, format = DateTime)]
    as_of: Timestamp,
}

/// When a level is reached.
#[derive(Debug, Serialize, ToSchema)]
struct CoursePoint {
    percent: u8,
    #[serde(flatten)]
    date: DateInterval,
}

/// A date that is not past, with its interval: with a probability of 80 percent the true date is in it.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct DateInterval {
    #[schema(value_type = String, format = DateTime)]
    earliest: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    median: Timestamp,
    /// Null if it is more than three years ahead.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    latest: Option<Timestamp>,
}

/// When a cartridge is used up, or why there is no forecast.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExpectedUse {
    /// When 20 percent are left; null if less is left already or, of a device that is offline, is likely left already.
    #[schema(required)]
    low: Option<DateInterval>,
    /// When nothing is left; null without a forecast.
    #[schema(required)]
    empty: Option<DateInterval>,
    /// Expected use in a week; null without a forecast.
    #[schema(required)]
    ml_per_week: Option<f64>,
    #[schema(required)]
    basis: Option<TrustedInputs>,
    /// Why there is no forecast; null if there is one.
    #[schema(required)]
    obstacle: Option<ForecastObstacle>,
}

/// What a forecast relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TrustedInputs {
    /// Mode and schedule; the use on recent days is unknown, or was under another schedule.
    Schedule,
    /// The use on recent days; the schedule is unknown, or the device does not follow it.
    History,
    /// Mode and schedule, corrected by the use on recent days.
    Both,
}

/// Values to be saved later, at least one. Omitted ones stay as they are.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct WhatIfForm {
    #[schema(nullable = false)]
    settings: Option<DeviceSettings>,
    /// Frames of the schedule, each number once.
    #[schema(max_items = 21)]
    frames: Vec<ScheduleFrame>,
}

/// Values that decide on the use of a device and are about to be written; `None` for those that stay as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UseChange<'a> {
    pub(crate) mode: Option<i64>,
    pub(crate) schedule: Option<&'a Schedule>,
    /// Its name in the catalogue.
    pub(crate) fragrance: Option<&'a str>,
    pub(crate) time_zone: Option<&'a str>,
}

/// The forecasts before and after a change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WhatIf {
    before: ExpectedUse,
    after: ExpectedUse,
    /// False if the device would run at the same times. Only these have an effect on its use.
    has_effect: bool,
}

/// Reads levels and forecast with the actor's own token.
///
/// # Errors
/// As [`service::read`]; errors of the cloud and the database.
pub(super) async fn read(state: &CoreState, actor: &Actor, dsn: &str) -> ApiResult<DeviceForecast> {
    let device = service::read(state, actor, dsn).await?;
    let cloud = state.sessions.cloud(&actor.session);
    let since = device.began - SignedDuration::from_hours(24) * i32::from(LEVEL_DAYS);
    let levels = history::levels(&cloud, &device, since).await?;
    let present = level::present_forecast(&state.base.db, &device).await?;
    let input = present.input();
    let course = input.course((0..100).step_by(COURSE_STEP).rev()).unwrap_or_default();
    Ok(DeviceForecast {
        levels,
        level: input.level().ok(),
        from: input.offline_since.map_or(device.began, |since| since.min(device.began)),
        course: course.into_iter().map(|(percent, date)| CoursePoint { percent, date: date.into() }).collect(),
        expected: input.forecast().into(),
        as_of: device.began,
    })
}

/// Computes what the forecast will be after this form has been saved. Writes nothing.
///
/// # Errors
/// 404, 403 or 422, in this order; errors of the cloud and the database.
pub(super) async fn what_if(state: &CoreState, actor: &Actor, dsn: &str, form: &WhatIfForm) -> ApiResult<WhatIf> {
    let device = service::read(state, actor, dsn).await?;
    let record = DeviceRecord::of(&device);
    policy::can(actor, Action::Edit, Target::Device { csp: record.csp.as_deref() }).require()?;
    if form.settings.is_none() && form.frames.is_empty() {
        return Err(ApiError::invalid("settings", "At least one value is required"));
    }
    if let Some(settings) = &form.settings {
        settings::validate(settings, &record)?;
    }
    let present = level::present_forecast(&state.base.db, &device).await?;
    let input = present.input();
    let schedule = match form.frames.as_slice() {
        [] => input.schedule.cloned(),
        frames => {
            let stored = property(&device, schedule::SCHEDULE.property).and_then(|blob| blob.value.as_ref()?.as_str());
            let (before, _) = Schedule::read(stored.unwrap_or_default());
            let configuration = SystemConfiguration::from(record.system_configuration.as_deref().unwrap_or_default());
            let cycle = form.settings.and_then(|settings| settings.cycle).or(record.state.cycle);
            let cycle = cycle.and_then(|code| OffCycle::try_from(code).ok());
            let max = max_intensity(&configuration, cycle);
            Some(schedule::changed(before, frames, max).map_err(ApiError::Invalid)?)
        }
    };
    let mode = form.settings.and_then(|settings| settings.mode);
    let mode = mode.and_then(|code| Mode::try_from(code).ok()).or(input.mode);
    Ok(WhatIf {
        before: input.forecast().into(),
        after: input.forecast_with(mode, schedule.as_ref()).into(),
        has_effect: !input.runs_equally_with(mode, schedule.as_ref()),
    })
}

/// The day in the device's time zone at which its cartridge is expected to be empty (`runsDryOn`) and its expected use
/// (`mlPerWeek`), as far as the change alters them. Does not check permissions; the caller must.
///
/// # Errors
/// Database errors.
pub(crate) async fn changes(
    db: &Db,
    device: &ReadDevice,
    change: UseChange<'_>,
) -> platform::db::Result<Vec<FieldChange>> {
    let present = level::present_forecast(db, device).await?;
    let input = present.input();
    let fragrance = match change.fragrance {
        Some(name) => fragrances::find(db, name).await?,
        None => input.fragrance.cloned(),
    };
    let zone = change.time_zone.and_then(|name| TimeZone::get(name).ok());
    let time_zone = zone.as_ref().unwrap_or(input.time_zone);
    let changed = ForecastInput { fragrance: fragrance.as_ref(), time_zone, ..input.clone() };
    let mode = change.mode.and_then(|code| Mode::try_from(code).ok()).or(input.mode);
    let after = changed.forecast_with(mode, change.schedule.or(input.schedule)).ok();
    let before = input.forecast().ok();
    let day = |forecast: Option<Forecast>, zone: &TimeZone| {
        forecast.map(|forecast| forecast.empty.median.to_zoned(zone.clone()).date().to_string())
    };
    let ml = |forecast: Option<Forecast>| forecast.map(|forecast| (forecast.ml_per_week * 10.0).round() / 10.0);
    let (days, uses) = ((day(before, input.time_zone), day(after, time_zone)), (ml(before), ml(after)));
    let mut changes = Vec::new();
    changes.extend((days.0 != days.1).then(|| FieldChange::new("runsDryOn", days.0, days.1)));
    changes.extend((uses.0 != uses.1).then(|| FieldChange::new("mlPerWeek", uses.0, uses.1)));
    Ok(changes)
}

impl From<ForecastDate> for DateInterval {
    fn from(ForecastDate { earliest, median, latest }: ForecastDate) -> Self {
        Self { earliest, median, latest }
    }
}

impl From<Result<Forecast, NoForecast>> for ExpectedUse {
    fn from(forecast: Result<Forecast, NoForecast>) -> Self {
        match forecast {
            Ok(Forecast { low, empty, ml_per_week, basis, .. }) => Self {
                low: low.map(Into::into),
                empty: Some(empty.into()),
                ml_per_week: Some(ml_per_week),
                basis: Some(basis.into()),
                obstacle: None,
            },
            Err(reason) => {
                Self { low: None, empty: None, ml_per_week: None, basis: None, obstacle: Some(reason.into()) }
            }
        }
    }
}

impl From<ForecastBasis> for TrustedInputs {
    fn from(basis: ForecastBasis) -> Self {
        match basis {
            ForecastBasis::Schedule => Self::Schedule,
            ForecastBasis::History => Self::History,
            ForecastBasis::Both => Self::Both,
        }
    }
}
