//! What a device did in the last calendar week, as its customer is told. Pure.

use diffuser::{Fragrance, SystemConfiguration};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::Serialize;
use utoipa::ToSchema;

use super::activity::{Activity, Causes};
use super::steps::Step;

/// Readings are rounded, and their times are whole seconds.
const ROUNDING_HOURS: f64 = 0.02;
/// Growth between two readings of which only a part belongs to the week is divided by the scheduled hours: if the readings are no
/// further apart than this.
const MAX_GAP_HOURS: f64 = 48.0;
/// Otherwise by time: so many hours make no difference to the sentence.
const MAX_DIVIDED_HOURS: f64 = 1.0;

/// What a device did from Monday to Sunday of the last week in its time zone.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeviceWeek)]
pub(crate) struct LastWeek {
    #[schema(value_type = String, format = DateTime)]
    from: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    to: Timestamp,
    /// The hours that its counter of running hours grew by; null if unknown, for example because it was offline at the end.
    #[schema(required)]
    ran_hours: Option<f64>,
    /// The hours in which mode and schedule of that time let it run; null if they are not known for the whole week.
    #[schema(required)]
    planned_hours: Option<f64>,
    /// The fragrance that these hours use, by its present fragrance.
    #[schema(required)]
    used_ml: Option<f64>,
}

/// The last calendar week that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Week {
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
}

impl Week {
    /// `None` at the limits of time.
    pub(super) fn before(now: Timestamp, zone: &TimeZone) -> Option<Self> {
        let today = now.to_zoned(zone.clone()).date();
        let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
        let midnight = |date: jiff::civil::Date| Some(date.to_zoned(zone.clone()).ok()?.timestamp());
        Some(Self { from: midnight(monday.checked_sub(7.days()).ok()?)?, to: midnight(monday)? })
    }
}

impl LastWeek {
    /// `readings`: the counter of running hours, oldest first, from before the week until the last time at which it was known.
    pub(super) fn new(
        Week { from, to }: Week,
        readings: &[Step<f64>],
        plan: &Causes<'_>,
        configuration: &SystemConfiguration,
        fragrance: Option<&Fragrance>,
    ) -> Self {
        let ran_hours = ran_hours(readings, plan, from, to);
        let ml_per_hour =
            fragrance.and_then(|it| Some(it.flow(configuration)? / it.density)).filter(|it| it.is_finite());
        let used_ml = ran_hours.zip(ml_per_hour).map(|(hours, ml)| hours * ml);
        Self { from, to, ran_hours, planned_hours: planned_hours(plan, from, to), used_ml }
    }
}

fn hours(time: SignedDuration) -> f64 {
    time.as_secs_f64() / 3600.0
}

/// The growth of the counter. A new cartridge begins at 0; a value that a person has set is no growth.
fn ran_hours(readings: &[Step<f64>], plan: &Causes<'_>, from: Timestamp, to: Timestamp) -> Option<f64> {
    if readings.first()?.at > from || readings.last()?.at < to {
        return None;
    }
    let mut sum = 0.0;
    for pair in readings.windows(2) {
        let [a, b] = pair else { continue };
        let (begin, end) = (a.at.max(from), b.at.min(to));
        if begin >= end {
            continue;
        }
        let (part, whole) = (hours(end.duration_since(begin)), hours(b.at.duration_since(a.at)));
        let growth = if b.value < a.value { b.value } else { b.value - a.value };
        if growth > whole + ROUNDING_HOURS {
            continue;
        }
        if part >= whole {
            sum += growth;
            continue;
        }
        let planned = planned_hours(plan, begin, end).zip(planned_hours(plan, a.at, b.at));
        let planned = planned.filter(|(_, whole_plan)| whole <= MAX_GAP_HOURS && *whole_plan > 0.0);
        sum += match planned {
            Some((part, whole)) => growth * part / whole,
            None if growth <= MAX_DIVIDED_HOURS => growth * part / whole,
            None => return None,
        };
    }
    Some(sum)
}

fn planned_hours(plan: &Causes<'_>, from: Timestamp, to: Timestamp) -> Option<f64> {
    let activities = plan.activities(from, to);
    if activities.first()?.at > from {
        return None;
    }
    let ends = activities.iter().skip(1).map(|step| step.at).chain([to]);
    let running = activities.iter().zip(ends).filter(|(step, _)| step.value == Activity::Running);
    Some(running.map(|(step, end)| hours(end.duration_since(step.at))).sum())
}

#[cfg(test)]
mod tests {
    use diffuser::Schedule;

    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-11-{text}:00Z").parse().unwrap()
    }

    fn oslo() -> TimeZone {
        TimeZone::get("Europe/Oslo").unwrap()
    }

    /// 9 to 17 o'clock on every day.
    fn by_day() -> Step<Schedule> {
        Step { at: at("01T00:00"), value: Schedule::read("1,1,0,20,9,0,16,59").0 }
    }

    #[test]
    fn week_is_the_last_whole_one_from_monday_to_sunday_in_the_zone() {
        let week = Week { from: at("15T23:00"), to: at("22T23:00") };
        for now in ["22T23:00", "25T12:00", "29T22:59"] {
            assert_eq!(Week::before(at(now), &oslo()), Some(week), "{now}");
        }
        let previous = Week { from: at("08T23:00"), to: at("15T23:00") };
        assert_eq!(Week::before(at("22T22:59"), &oslo()), Some(previous));
        // Summer time ends in that week.
        let week = Week::before("2026-10-26T12:00:00Z".parse().unwrap(), &oslo()).unwrap();
        assert_eq!(week.to.duration_since(week.from), SignedDuration::from_hours(7 * 24 + 1));
    }

    /// The counter at these times, and the hours.
    type Row<'a> = (&'a [(&'a str, f64)], Option<f64>);

    #[test]
    fn counter_is_summed_over_the_week_or_unknown() {
        let rows: &[Row<'_>] = &[
            (&[], None),
            (&[("16T00:00", 10.0)], None),
            (&[("16T00:00", 10.0), ("23T00:00", 10.0)], Some(0.0)),
            (&[("16T00:00", 10.0), ("18T00:00", 18.5), ("23T00:00", 20.0)], Some(10.0)),
            // Not known until the end, and not from the beginning.
            (&[("16T00:00", 10.0), ("22T23:59", 20.0)], None),
            (&[("16T00:01", 10.0), ("23T00:00", 20.0)], None),
            // A new cartridge, with and without its 0 as a reading.
            (&[("16T00:00", 900.0), ("17T00:00", 910.0), ("17T01:00", 0.0), ("23T00:00", 5.0)], Some(15.0)),
            (&[("16T00:00", 900.0), ("17T00:00", 910.0), ("18T00:00", 2.0), ("23T00:00", 5.0)], Some(15.0)),
            // An undone reset, and a cartridge that is not full.
            (&[("16T00:00", 900.0), ("17T00:00", 0.0), ("17T00:10", 900.0), ("23T00:00", 903.0)], Some(3.0)),
            (&[("16T00:00", 900.0), ("17T00:00", 500.0), ("23T00:00", 503.0)], Some(3.0)),
            // A little is divided; much may have been before or after the week.
            (&[("15T12:00", 10.0), ("16T12:00", 10.5), ("22T12:00", 20.5), ("23T12:00", 21.0)], Some(10.5)),
            (&[("13T12:00", 10.0), ("16T12:00", 18.0), ("23T00:00", 20.0)], None),
            // Two of the eight scheduled hours are before the week, four after it.
            (&[("15T15:00", 10.0), ("16T15:00", 18.0), ("22T13:00", 50.0), ("23T13:00", 58.0)], Some(42.0)),
            // Days at the borders in which it did not run do not matter.
            (&[("10T00:00", 10.0), ("16T09:00", 10.0), ("16T17:00", 18.0), ("25T00:00", 18.0)], Some(8.0)),
        ];
        let (mode, schedule, zone) = ([Step { at: at("01T00:00"), value: 4 }], [by_day()], TimeZone::UTC);
        let plan = Causes { mode: &mode, schedule: &schedule, level: &[], zone: &zone };
        for (readings, expected) in rows {
            let steps: Vec<_> = readings.iter().map(|(time, value)| Step { at: at(time), value: *value }).collect();
            assert_eq!(ran_hours(&steps, &plan, at("16T00:00"), at("23T00:00")), *expected, "{readings:?}");
        }
    }

    #[test]
    fn planned_hours_follow_modes_and_schedules_of_that_time() {
        let zone = oslo();
        let schedule = [by_day()];
        let week = (at("15T23:00"), at("22T23:00"));
        let planned = |mode: &[Step<i64>]| {
            let plan = Causes { mode, schedule: &schedule, level: &[], zone: &zone };
            planned_hours(&plan, week.0, week.1)
        };
        let mode = |time: &str, code| Step { at: at(time), value: code };
        assert_eq!(planned(&[mode("01T00:00", 4)]), Some(56.0));
        assert_eq!(planned(&[mode("01T00:00", 3)]), Some(168.0));
        assert_eq!(planned(&[mode("01T00:00", 1)]), Some(0.0));
        assert_eq!(planned(&[mode("01T00:00", 4), mode("20T10:00", 1)]), Some(34.0), "off on Friday at 11");
        assert_eq!(planned(&[mode("16T12:00", 4)]), None);
        assert_eq!(planned(&[]), None);
    }
}
