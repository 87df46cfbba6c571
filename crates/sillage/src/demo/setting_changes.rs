//! Changes of a diffuser's mode, intensity, fan speed and schedule before its current settings.

use std::ops::RangeInclusive;

use diffuser::{max_intensity, properties};
use jiff::{SignedDuration, Timestamp};

use super::device::{DemoDevice, ServiceRecord};
use super::report::PastReport;
use super::rng::SeededRng;

/// Slightly shorter than the imported history, so that every change is part of it.
const RECENT: SignedDuration = SignedDuration::from_hours(59 * 24);

/// All setting changes since the installation, in chronological order. The history stops at `end`, and the demo begins at `begun_at`.
pub(super) fn setting_changes(
    device: &DemoDevice,
    installed_at: Timestamp,
    service: &ServiceRecord,
    end: Timestamp,
    begun_at: Timestamp,
    rng: &mut SeededRng,
) -> Vec<PastReport> {
    let age = end.as_second() - installed_at.as_second();
    let max = i64::from(max_intensity(&device.configuration, Some(service.cycle)));
    let modes = service.modes.iter().map(|(at, mode)| PastReport {
        property: properties::CURRENT_STATE,
        value: mode.code().into(),
        at: *at,
    });
    let mut changes_of = |property, present, most, range| {
        earlier_values(present, most, range, age, rng).into_iter().map(move |(ago, value)| PastReport {
            property,
            value: value.into(),
            at: end - SignedDuration::from_secs(ago),
        })
    };
    let intensity = changes_of(properties::INTENSITY, i64::from(service.intensity), 3, 5..=max);
    let fan = changes_of(properties::FAN, i64::from(service.fan.speed()), 2, 0..=5);
    let schedule = service.idle_schedule(begun_at).map(|(at, schedule)| PastReport {
        property: properties::SCHEDULE_BLOB,
        value: schedule.to_string().into(),
        at,
    });
    let mut changes: Vec<PastReport> = modes.chain(intensity).chain(fan).chain(schedule).collect();
    changes.sort_by_key(|change| change.at);
    changes
}

/// The values of a setting from the newest, `present`, to the oldest, each with its age in seconds. The setting changed up to
/// `most` times in the last two months; the oldest value was set `age` seconds ago.
fn earlier_values(
    present: i64,
    most: i64,
    range: RangeInclusive<i64>,
    age: i64,
    rng: &mut SeededRng,
) -> Vec<(i64, i64)> {
    let recent = age.min(RECENT.as_secs());
    let mut ages: Vec<i64> = (0..rng.in_range(0..=most)).map(|_| rng.in_range(1..=recent - 1)).collect();
    ages.push(age);
    ages.sort_unstable();
    ages.dedup();
    let mut value = present;
    let mut values = Vec::with_capacity(ages.len());
    for age in ages {
        values.push((age, value));
        let other = rng.in_range(*range.start()..=range.end() - 1);
        value = if other < value { other } else { other + 1 };
    }
    values
}
