//! What a diffuser did according to its mode, schedule and level. Pure.

use diffuser::{Mode, Schedule};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use utoipa::ToSchema;

use super::steps::{Step, steps};

/// What a diffuser does according to its mode, schedule and level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = DeviceActivity)]
pub(crate) enum Activity {
    /// The mode is neither 24/7 nor Run.
    Off,
    /// The mode is 24/7 or Run, and the level is 0 percent.
    Empty,
    /// The mode is Run, and no frame of the schedule is running.
    Paused,
    Running,
}

/// The values that decide what a device does, each oldest first.
pub(super) struct Causes<'a> {
    /// Codes of modes.
    pub(super) mode: &'a [Step<i64>],
    pub(super) schedule: &'a [Step<Schedule>],
    /// Percent.
    pub(super) level: &'a [Step<i64>],
    pub(super) zone: &'a TimeZone,
}

impl Causes<'_> {
    /// The activities between two times, oldest first. They begin when mode and, if it is Run, schedule are known from then
    /// on.
    pub(super) fn activities(&self, from: Timestamp, to: Timestamp) -> Vec<Step<Activity>> {
        let is_empty = self.level.iter().map(|step| Step { at: step.at, value: step.value == 0 }).collect();
        let is_empty = steps(is_empty, from);
        let mut changes: Vec<Timestamp> = (self.mode.iter().map(|it| it.at))
            .chain(self.schedule.iter().map(|it| it.at))
            .chain(is_empty.iter().map(|it| it.at))
            .map(|at| at.max(from))
            .filter(|at| *at < to)
            .collect();
        changes.sort_unstable();
        changes.dedup();
        let mut found = Vec::new();
        for (place, change) in changes.iter().enumerate() {
            let end = changes.get(place + 1).copied().unwrap_or(to);
            let mode = value_at(self.mode, *change).and_then(|code| Mode::try_from(*code).ok());
            let schedule = value_at(self.schedule, *change);
            let is_empty = value_at(&is_empty, *change) == Some(&true);
            let mut next = Some(*change);
            while let Some(at) = next.filter(|at| *at < end) {
                let Some(value) = activity(mode, schedule, is_empty, at, self.zone) else {
                    found.clear();
                    break;
                };
                found.push(Step { at, value });
                next = schedule.filter(|_| mode == Some(Mode::Run)).and_then(|it| it.next_change(at, self.zone));
            }
        }
        steps(found, from)
    }
}

/// `None` if it is unknown.
fn activity(
    mode: Option<Mode>,
    schedule: Option<&Schedule>,
    is_empty: bool,
    at: Timestamp,
    zone: &TimeZone,
) -> Option<Activity> {
    let mode = mode?;
    Some(match mode {
        Mode::Off | Mode::Two => Activity::Off,
        Mode::AllDay | Mode::Run if is_empty => Activity::Empty,
        Mode::AllDay => Activity::Running,
        Mode::Run if schedule?.running(at, zone).is_some() => Activity::Running,
        Mode::Run => Activity::Paused,
    })
}

/// The value of the last step that is not later than `at`.
fn value_at<T>(steps: &[Step<T>], at: Timestamp) -> Option<&T> {
    steps.iter().rev().find(|step| step.at <= at).map(|step| &step.value)
}

#[cfg(test)]
mod tests {
    use super::Activity::*;
    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-11-{text}:00Z").parse().unwrap()
    }

    fn given<T: Clone>(steps: &[(&str, T)]) -> Vec<Step<T>> {
        steps.iter().map(|(text, value)| Step { at: at(text), value: value.clone() }).collect()
    }

    /// 9 to 17 o'clock on every day.
    fn by_day() -> Schedule {
        Schedule::read("1,1,0,20,9,0,16,59").0
    }

    fn activities(
        mode: &[(&str, i64)],
        schedule: &[(&str, Schedule)],
        level: &[(&str, i64)],
        zone: &str,
    ) -> Vec<(Timestamp, Activity)> {
        let zone = TimeZone::get(zone).unwrap();
        let (mode, schedule, level) = (given(mode), given(schedule), given(level));
        let causes = Causes { mode: &mode, schedule: &schedule, level: &level, zone: &zone };
        causes.activities(at("20T00:00"), at("22T00:00")).into_iter().map(|step| (step.at, step.value)).collect()
    }

    fn expected(steps: &[(&str, Activity)]) -> Vec<(Timestamp, Activity)> {
        steps.iter().map(|(text, activity)| (at(text), *activity)).collect()
    }

    #[test]
    fn run_mode_follows_the_schedule_in_the_zone_of_the_device() {
        let found = activities(&[("01T00:00", 4)], &[("01T00:00", by_day())], &[], "America/New_York");
        let days = [
            ("20T00:00", Paused),
            ("20T14:00", Running),
            ("20T22:00", Paused),
            ("21T14:00", Running),
            ("21T22:00", Paused),
        ];
        assert_eq!(found, expected(&days));
    }

    #[test]
    fn other_modes_ignore_the_schedule() {
        let mode = [("01T00:00", 3), ("20T10:00", 1), ("20T12:00", 2), ("21T00:00", 3)];
        let modes = [("20T00:00", Running), ("20T10:00", Off), ("21T00:00", Running)];
        assert_eq!(activities(&mode, &[], &[], "UTC"), expected(&modes));
    }

    #[test]
    fn changed_schedule_applies_at_once() {
        let never = Schedule::read("").0;
        let schedule = [("01T00:00", by_day()), ("20T12:00", never), ("21T16:30", by_day())];
        let found = activities(&[("01T00:00", 4)], &schedule, &[], "UTC");
        let changes = [
            ("20T00:00", Paused),
            ("20T09:00", Running),
            ("20T12:00", Paused),
            ("21T16:30", Running),
            ("21T17:00", Paused),
        ];
        assert_eq!(found, expected(&changes));
    }

    #[test]
    fn device_without_fragrance_is_empty_until_its_refill_unless_it_is_off() {
        let mode = [("01T00:00", 4), ("20T20:00", 1)];
        let level = [("19T00:00", 1), ("20T10:00", 0), ("20T22:00", 100)];
        let found = activities(&mode, &[("01T00:00", by_day())], &level, "UTC");
        let changes = [("20T00:00", Paused), ("20T09:00", Running), ("20T10:00", Empty), ("20T20:00", Off)];
        assert_eq!(found, expected(&changes));
    }

    #[test]
    fn activities_begin_when_everything_is_known() {
        assert_eq!(activities(&[], &[("01T00:00", by_day())], &[("01T00:00", 50)], "UTC"), []);
        assert_eq!(activities(&[("01T00:00", 9)], &[], &[], "UTC"), []);
        let mode = [("20T01:00", 1), ("20T02:00", 4)];
        let found = activities(&mode, &[("20T10:00", by_day())], &[], "UTC");
        assert_eq!(found[0], (at("20T10:00"), Running));
    }
}
