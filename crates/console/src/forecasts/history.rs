//! Reads the daily use of a device from the cloud's history.

use std::time::Duration;

use devicecloud::{Client, Dsn, Result, Time};
use diffuser::forecast::{DAILY_USE_DAYS, DailyUse};
use diffuser::properties;
use jiff::{SignedDuration, Timestamp};
use platform::clock::to_micros;

use super::device_facts::Reading;
use crate::records::timestamp;

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// The daily use until `now`: one call for the last value before each midnight of UTC, and none for days without values, with a
/// `pause` before each call. Reading all values would take as many calls for a device that reports every quarter of an hour.
///
/// # Errors
/// Cloud errors.
pub(super) async fn daily_use(cloud: &Client, dsn: &Dsn, now: Timestamp, pause: Duration) -> Result<DailyUse> {
    let midnight = |at: Timestamp| {
        Timestamp::from_second(at.as_second().div_euclid(SECONDS_PER_DAY) * SECONDS_PER_DAY).unwrap_or(at)
    };
    let mut newest_first = Vec::new();
    let mut until = now;
    for _ in 0..=DAILY_USE_DAYS {
        tokio::time::sleep(pause).await;
        let Some(reading) = last_reading(cloud, dsn, until).await? else { break };
        // The last moment of the day before.
        until = midnight(reading.at) - SignedDuration::from_micros(1);
        newest_first.push(reading);
    }
    let mut daily_use = DailyUse::default();
    for reading in newest_first.into_iter().rev() {
        daily_use.record(reading.at, reading.hours);
    }
    Ok(daily_use)
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
