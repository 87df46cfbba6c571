//! What became of a device: its level, its intensity, and whether it was connected.

mod datapoints;
mod marks;
mod steps;

use devicecloud::{Client, ConnectionStatus, Device, Time};
use diffuser::properties;
use jiff::{SignedDuration, Timestamp};
use platform::clock::to_micros;
use serde::Serialize;
use utoipa::ToSchema;

use self::marks::HistoryMark;
use self::steps::{Step, steps};
use super::service;
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::records::{property, timestamp};
use crate::request::QueryPairs;
use crate::state::AppState;

/// The most days that a history goes back.
const MAX_DAYS: u8 = 60;

/// What became of a device. Each series has a point where it changed, the oldest first, and begins at `from` when what held
/// then is known; a point holds until the next one. No series has more than 1,000 points: of more, each of 250 equal parts
/// of their time keeps its first, least, greatest and last one.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeviceHistory {
    #[schema(value_type = String, format = DateTime)]
    from: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    to: Timestamp,
    /// Fragrance remaining in percent, as the device had it.
    level: Vec<ValuePoint>,
    /// 1 to 50, as the device had it: not what users wished.
    intensity: Vec<ValuePoint>,
    /// Null when the device cloud keeps no such history.
    #[schema(required)]
    status: Option<Vec<StatusPoint>>,
    /// Commands and refills, the oldest first.
    marks: Vec<HistoryMark>,
}

/// A value, and since when it was.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ValuePoint {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    value: i64,
}

/// Whether the device was connected, and since when.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatusPoint {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    online: bool,
}

/// How many days the caller wants to see.
///
/// # Errors
/// 422 for what is repeated or no number from 1 to 60.
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

/// Reads it with the actor's own token: the device, and then at once both values, each in up to 20 calls of 100 datapoints,
/// and the connection in one call of 1,000 changes. Of a device that told more than that the oldest is missing. Commands come
/// from the audit, in one read.
///
/// # Errors
/// As [`service::read`]; when one of the reads fails, its failure.
pub(super) async fn read(state: &AppState, actor: &Actor, dsn: &str, days: u8) -> ApiResult<DeviceHistory> {
    let device = service::read(state, actor, dsn).await?;
    let to = state.base.clock.now();
    let from = to - SignedDuration::from_hours(24) * i32::from(days);
    let cloud = state.sessions.cloud(&actor.session);
    let (level, intensity, status) = tokio::try_join!(
        values(&cloud, &device, properties::FRAGRANCE_REMAINING, from),
        values(&cloud, &device, properties::INTENSITY, from),
        connections(&cloud, dsn, from),
    )?;
    let points = |changes| -> Vec<ValuePoint> {
        steps(changes, from).into_iter().map(|Step { at, value }| ValuePoint { at, value }).collect()
    };
    let status = status.map(|changes| {
        steps(changes, from).into_iter().map(|Step { at, value: online }| StatusPoint { at, online }).collect()
    });
    let level = points(level);
    let mut marks = marks::commands(&state.base.db, actor, dsn, from).await?;
    marks.extend(marks::refills(&level));
    marks.sort_by_key(|mark| mark.at);
    Ok(DeviceHistory { from, to, level, intensity: points(intensity), status, marks })
}

/// A device of another kind may lack the property.
async fn values(cloud: &Client, device: &Device, name: &str, from: Timestamp) -> devicecloud::Result<Vec<Step<i64>>> {
    match property(device, name) {
        Some(property) => datapoints::read(cloud, &device.dsn, property, from).await,
        None => Ok(Vec::new()),
    }
}

/// `None` when the cloud keeps none: the device is there, so it is the call that is not.
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
