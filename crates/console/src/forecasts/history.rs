//! Reads the past of a device from the cloud's history.

use std::time::Duration;

use devicecloud::{Client, ConnectionChange, ConnectionStatus, Dsn, Result, Time};
use diffuser::forecast::DAILY_USE_DAYS;
use diffuser::properties;
use jiff::{SignedDuration, Timestamp};
use platform::clock::to_micros;

use super::DeviceFacts;
use super::device_facts::Reading;
use super::past_days::{Connection, PAST};
use crate::fleet_days::day_of;
use crate::records::timestamp;

/// The last reading of each day of UTC until `now`, oldest first: one call for the last value before each midnight, and none for days
/// without values, with a `pause` before each call. Reading all values would take as many calls for a device that reports every
/// quarter of an hour.
///
/// # Errors
/// Cloud errors.
pub(super) async fn readings(cloud: &Client, dsn: &Dsn, now: Timestamp, pause: Duration) -> Result<Vec<Reading>> {
    let mut newest_first = Vec::new();
    let mut until = now;
    for _ in 0..=DAILY_USE_DAYS {
        tokio::time::sleep(pause).await;
        let Some(reading) = last_reading(cloud, dsn, until).await? else { break };
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

/// The last value at `until` or earlier.
async fn last_reading(cloud: &Client, dsn: &Dsn, until: Timestamp) -> Result<Option<Reading>> {
    let until = Time::from_unix_micros(to_micros(until));
    let found = cloud.datapoints().list(dsn, properties::CARTRIDGE_LIFE).limit(1).until(until).send().await;
    let datapoints = match found {
        // The device, or the property of this device, no longer exists.
        Err(error) if error.status() == Some(404) => return Ok(None),
        found => found?,
    };
    Ok(datapoints.last().and_then(|datapoint| {
        Some(Reading { at: timestamp(datapoint.created_at?), hours: datapoint.value.as_ref()?.as_f64()? })
    }))
}
