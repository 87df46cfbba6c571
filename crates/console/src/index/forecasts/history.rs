//! Reads the past of a device from the cloud's history.

use std::time::Duration;

use devicecloud::{Client, ConnectionChange, ConnectionStatus, Result, Time};
use diffuser::forecast::DAILY_USE_DAYS;
use diffuser::properties;
use jiff::{SignedDuration, Timestamp};
use platform::run::clock::to_micros;

use super::DeviceFacts;
use super::device_facts::Reading;
use super::past_days::{Connection, PAST};
use crate::index::fleet_days::day_of;
use crate::records::{effective_at, timestamp};

/// The last reading of each day of UTC until the facts were read, oldest first: one call for the last value before each midnight, and none for days
/// without values, with a `pause` before each call. Reading all values would take as many calls for a device that reports every
/// quarter of an hour.
///
/// # Errors
/// Cloud errors.
pub(super) async fn readings(cloud: &Client, facts: &DeviceFacts, pause: Duration) -> Result<Vec<Reading>> {
    let mut newest_first = Vec::new();
    let mut until = facts.read_at;
    for _ in 0..=DAILY_USE_DAYS {
        tokio::time::sleep(pause).await;
        let Some(reading) = last_reading(cloud, facts, until).await? else { break };
        // The last moment of the day before.
        until = day_of(reading.at) - SignedDuration::from_micros(1);
        newest_first.push(reading);
    }
    newest_first.reverse();
    Ok(newest_first)
}

/// The newest connections and disconnections, oldest first, in one call after a `pause`. `None` if the cloud keeps none.
///
/// # Errors
/// Cloud errors.
pub(super) async fn connections(
    cloud: &Client,
    facts: &DeviceFacts,
    pause: Duration,
) -> Result<Option<Vec<Connection>>> {
    tokio::time::sleep(pause).await;
    let since = Time::from_unix_micros(to_micros(day_of(facts.read_at) - PAST));
    let changes = match cloud.devices().connection_history(facts.dsn.clone()).since(since).send().await {
        Err(error) if error.status() == Some(404) => return Ok(None),
        changes => changes?,
    };
    let connection = |change: ConnectionChange| {
        Some(Connection { at: timestamp(change.event_time?), is_online: change.status == ConnectionStatus::Online })
    };
    let mut connections: Vec<Connection> = changes.into_iter().filter_map(connection).collect();
    connections.sort_by_key(|connection| connection.at);
    Ok(Some(connections))
}

/// The last value at `until` or earlier that the device had, without commands that it refused or has not answered.
async fn last_reading(cloud: &Client, facts: &DeviceFacts, mut until: Timestamp) -> Result<Option<Reading>> {
    let latest = until;
    loop {
        let end = Time::from_unix_micros(to_micros(until));
        let list = cloud.datapoints().list(&facts.dsn, properties::CARTRIDGE_LIFE).limit(1).until(end);
        let datapoints = match list.send().await {
            // The device, or the property of this device, no longer exists.
            Err(error) if error.status() == Some(404) => return Ok(None),
            found => found?,
        };
        let Some((datapoint, created_at)) = datapoints.last().and_then(|it| Some((it, timestamp(it.created_at?))))
        else {
            return Ok(None);
        };
        if let Some(at) = effective_at(datapoint, facts.has_life_commands) {
            // A command may be acknowledged on the next day.
            let at = at.min(latest);
            return Ok(datapoint.value.as_ref().and_then(|value| Some(Reading { at, hours: value.as_f64()? })));
        }
        until = created_at - SignedDuration::from_micros(1);
    }
}
