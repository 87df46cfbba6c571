//! What technicians set on a diffuser: its modes, and the strength and fan speed that they tried before the present ones.

use std::ops::RangeInclusive;

use diffuser::{max_intensity, properties};
use jiff::{SignedDuration, Timestamp};

use super::dice::Dice;
use super::past::Report;
use super::unit::{Service, Unit};

/// The history is a little longer than this.
const RECENT: SignedDuration = SignedDuration::from_hours(59 * 24);

/// What was set from installation on, in the order of time.
pub(super) fn of(
    unit: &Unit,
    installed_at: Timestamp,
    service: &Service,
    end: Timestamp,
    dice: &mut Dice,
) -> Vec<Report> {
    let age = end.as_second() - installed_at.as_second();
    let max = i64::from(max_intensity(&unit.configuration, Some(service.cycle)));
    let modes = service.modes.iter().map(|(at, mode)| Report {
        property: properties::CURRENT_STATE,
        value: mode.code().into(),
        at: *at,
    });
    let mut tried = |property, present, most, range| {
        let tries = tries(present, most, range, age, dice).into_iter();
        tries.map(move |(ago, value)| Report {
            property,
            value: value.into(),
            at: end - SignedDuration::from_secs(ago),
        })
    };
    let intensity = tried(properties::INTENSITY, i64::from(service.intensity), 3, 5..=max);
    let fan = tried(properties::FAN, i64::from(service.fan.speed()), 2, 0..=5);
    let mut changes: Vec<Report> = modes.chain(intensity).chain(fan).collect();
    changes.sort_by_key(|change| change.at);
    changes
}

/// Values of a setting that was something else up to `most` times in the last two months and is `present` now, each with
/// how many seconds ago it was set; the first one `age` ago.
fn tries(present: i64, most: i64, range: RangeInclusive<i64>, age: i64, dice: &mut Dice) -> Vec<(i64, i64)> {
    let recent = age.min(RECENT.as_secs());
    let mut ages: Vec<i64> = (0..dice.within(0..=most)).map(|_| dice.within(1..=recent - 1)).collect();
    ages.push(age);
    ages.sort_unstable();
    ages.dedup();
    let mut value = present;
    let mut tries = Vec::with_capacity(ages.len());
    for age in ages {
        tries.push((age, value));
        let other = dice.within(*range.start()..=range.end() - 1);
        value = if other < value { other } else { other + 1 };
    }
    tries
}
