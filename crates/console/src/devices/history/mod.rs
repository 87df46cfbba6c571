//! The history of a device: level, activity, intensity and connection.

mod activity;
mod datapoints;
mod last_week;
mod marks;
mod steps;

use devicecloud::{Client, ConnectionStatus, Device, PropertyValue, Time};
use diffuser::{Schedule, SystemConfiguration, properties};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use platform::run::clock::to_micros;
use serde::Serialize;
use utoipa::ToSchema;

use self::activity::{Activity, Causes};
use self::datapoints::PropertyHistory;
use self::last_week::{LastWeek, Week};
use self::marks::HistoryMark;
use self::steps::{Step, steps};
use super::service;
use crate::fragrances;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::QueryPairs;
use crate::policy::Actor;
use crate::records::{DeviceRecord, property, timestamp};
use crate::state::CoreState;

/// Maximum length of a history in days.
const MAX_DAYS: u8 = 60;
/// Maximum number of datapoints read for a number: 20 pages of 100.
const MAX_DATAPOINTS: usize = 2_000;
/// Maximum number of datapoints read for the schedule, each of which has to be evaluated.
const MAX_SCHEDULES: usize = 200;

/// The history of a device. Each series has a point for each change, oldest first, and starts at `from` if the value at
/// that time is known; a point holds until the next one. A series has at most 1,000 points: a longer one is divided
/// into 250 equal time spans, each of which keeps its first, minimum, maximum and last point.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceHistory {
    #[schema(value_type = String, format = DateTime)]
    from: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    to: Timestamp,
    /// Fragrance remaining in percent, as the device had it.
    level: Vec<ValuePoint>,
    /// What the device did according to its mode, schedule and level. Begins when they are known; empty for other kinds of
    /// devices. A device that is offline follows them too.
    activity: Vec<ActivityPoint>,
    /// 1 to 50, as the device had it, not as users commanded it.
    intensity: Vec<ValuePoint>,
    /// Null if the device cloud keeps no connection history.
    #[schema(required)]
    status: Option<Vec<StatusPoint>>,
    /// Since when the first status has held, however long before `from`; null if that is unknown.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    status_since: Option<Timestamp>,
    /// Independent of the requested days; null for other kinds of devices.
    #[schema(required)]
    last_week: Option<LastWeek>,
    /// Changes, commands and refills, oldest first.
    marks: Vec<HistoryMark>,
}

/// A value and the time from which it holds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ValuePoint {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    value: i64,
}

/// What the device did, and from when.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActivityPoint {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    activity: Activity,
}

/// Whether the device was connected, and from when.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatusPoint {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    online: bool,
}

/// Parses the requested number of days.
///
/// # Errors
/// 422 for a repeated parameter or a value outside of 1 to 60.
pub(super) fn days(query: &QueryPairs) -> ApiResult<u8> {
    let mut values = query.all("days");
    match (values.next(), values.next()) {
        (_, Some(_)) => Err("must be given once"),
        (None | Some(""), None) => Ok(MAX_DAYS),
        (Some(text), None) => {
            let days = text.parse().ok().filter(|days| (1..=MAX_DAYS).contains(days));
            days.ok_or("must be a whole number from 1 to 60")
        }
    }
    .map_err(|text| ApiError::invalid("days", text))
}

/// Reads the history with the actor's own token: the device, then concurrently its values, each in up to 20 calls of
/// 100 datapoints, and the connection history in one call of 1,000 changes. Older data beyond these limits is missing.
/// Mode, schedule and running hours are also read for the last week, independent of the requested days.
/// Changes come from the audit, in one read.
///
/// # Errors
/// As [`service::read`]; the error of a failed read.
pub(super) async fn read(state: &CoreState, actor: &Actor, dsn: &str, days: u8) -> ApiResult<DeviceHistory> {
    let device = service::read(state, actor, dsn).await?;
    let to = state.base.clock.now();
    let from = to - SignedDuration::from_hours(24) * i32::from(days);
    let record = DeviceRecord::of(&device);
    let zone = record.time_zone.as_ref().and_then(|name| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC);
    let week = Week::before(to, &zone);
    let week_from = week.map_or(from, |week| week.from);
    let since = week_from.min(from);
    let cloud = state.sessions.cloud(&actor.session);
    let numbers = |name, from| values(&cloud, &device, name, from, MAX_DATAPOINTS, PropertyValue::as_i64);
    let life = values(&cloud, &device, properties::CARTRIDGE_LIFE, week_from, MAX_DATAPOINTS, PropertyValue::as_f64);
    let schedules = values(&cloud, &device, properties::SCHEDULE_BLOB, since, MAX_SCHEDULES, schedule_of);
    let (level, intensity, mut mode, life, mut schedule, status) = tokio::try_join!(
        numbers(properties::FRAGRANCE_REMAINING, from),
        numbers(properties::INTENSITY, from),
        numbers(properties::CURRENT_STATE, since),
        life,
        schedules,
        connections(&cloud, dsn, from),
    )?;
    mode.failed.retain(|command| command.sent_at >= from);
    schedule.failed.retain(|command| command.sent_at >= from);
    let causes = Causes { mode: &mode.steps, schedule: &schedule.steps, level: &level.steps, zone: &zone };
    let activities = causes.activities(from, to).into_iter();
    let activity = activities.map(|Step { at, value: activity }| ActivityPoint { at, activity }).collect();
    let fragrance = match &record.fragrance {
        Some(name) => fragrances::find(&state.base.db, name).await?,
        None => None,
    };
    let configuration = SystemConfiguration::from(record.system_configuration.as_deref().unwrap_or_default());
    let last_week = week.filter(|_| !life.steps.is_empty()).map(|week| {
        let readings = readings_until(life.steps, status.as_deref(), to);
        // An empty cartridge does not change what was planned.
        let plan = Causes { level: &[], ..causes };
        LastWeek::new(week, &readings, &plan, &configuration, fragrance.as_ref())
    });
    let mut marks = marks::changes(&state.base.db, actor, dsn, from).await?;
    let numbers = [(&level.failed, "fragranceRemaining"), (&intensity.failed, "intensity"), (&mode.failed, "mode")];
    marks.extend(numbers.into_iter().flat_map(|(failed, field)| marks::failed_numbers(failed, field)));
    marks.extend(marks::failed_schedules(&schedule.failed));
    let status_since = status.as_ref().and_then(|changes| first_status_since(changes, from));
    let status = status.map(|changes| {
        steps(changes, from).into_iter().map(|Step { at, value: online }| StatusPoint { at, online }).collect()
    });
    let level = points(level.steps, from);
    marks.extend(marks::refills(&level));
    marks.sort_by_key(|mark| mark.at);
    let intensity = points(intensity.steps, from);
    Ok(DeviceHistory { from, to, level, activity, intensity, status, status_since, last_week, marks })
}

/// The readings in the order of their time, and the last one again at the time until which it holds: it does until now, or until
/// the device went offline.
fn readings_until(mut readings: Vec<Step<f64>>, status: Option<&[Step<bool>]>, now: Timestamp) -> Vec<Step<f64>> {
    readings.sort_by_key(|step| step.at);
    let connection = status.and_then(|changes| changes.iter().max_by_key(|change| change.at));
    let until = connection.map(|change| if change.value { now } else { change.at });
    let held = readings.last().copied().zip(until).filter(|(last, until)| last.at < *until);
    readings.extend(held.map(|(last, at)| Step { at, ..last }));
    readings
}

/// Since when the status has held with which a series begins at `from`.
fn first_status_since(changes: &[Step<bool>], from: Timestamp) -> Option<Timestamp> {
    let before = changes.iter().filter(|change| change.at <= from).max_by_key(|change| change.at);
    before.or_else(|| changes.iter().min_by_key(|change| change.at)).map(|change| change.at)
}

/// The level in percent since `from`, as in [`DeviceHistory`].
///
/// # Errors
/// Cloud errors.
pub(super) async fn levels(cloud: &Client, device: &Device, from: Timestamp) -> devicecloud::Result<Vec<ValuePoint>> {
    let name = properties::FRAGRANCE_REMAINING;
    Ok(points(values(cloud, device, name, from, MAX_DATAPOINTS, PropertyValue::as_i64).await?.steps, from))
}

fn points(changes: Vec<Step<i64>>, from: Timestamp) -> Vec<ValuePoint> {
    steps(changes, from).into_iter().map(|Step { at, value }| ValuePoint { at, value }).collect()
}

/// Other kinds of devices may lack the property.
async fn values<T>(
    cloud: &Client,
    device: &Device,
    name: &str,
    from: Timestamp,
    limit: usize,
    convert: fn(&PropertyValue) -> Option<T>,
) -> devicecloud::Result<PropertyHistory<T>> {
    match property(device, name) {
        Some(property) => datapoints::read(cloud, &device.dsn, property, from, limit, convert).await,
        None => Ok(PropertyHistory::default()),
    }
}

fn schedule_of(value: &PropertyValue) -> Option<Schedule> {
    value.as_str().map(|text| Schedule::read(text).0)
}

/// `None` if the cloud has no such call; the device itself exists.
async fn connections(cloud: &Client, dsn: &str, from: Timestamp) -> devicecloud::Result<Option<Vec<Step<bool>>>> {
    let since = Time::from_unix_micros(to_micros(from));
    match cloud.devices().connection_history(dsn).since(since).send().await {
        Err(error) if error.status() == Some(404) => Ok(None),
        Err(error) => Err(error),
        Ok(changes) => {
            let step = |change: devicecloud::ConnectionChange| {
                Some(Step { at: timestamp(change.event_time?), value: change.status == ConnectionStatus::Online })
            };
            Ok(Some(changes.into_iter().filter_map(step).collect()))
        }
    }
}
