use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;

use crate::{Mode, Schedule};

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;
const SECONDS_PER_WEEK: i64 = 7 * SECONDS_PER_DAY;
/// From a Monday at midnight to the start of Unix time, which was a Thursday.
const MONDAY_TO_UNIX: i64 = 3 * SECONDS_PER_DAY;

/// The running periods of a week of local time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WeeklyRunning {
    /// Disjoint and ascending.
    periods: Vec<Period>,
    /// Seconds.
    per_week: i64,
}

/// In seconds since Monday 00:00. Times are whole seconds, so that the inverse is exact.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Period {
    start: i64,
    end: i64,
    /// The running seconds of the week before `start`.
    before: i64,
}

impl WeeklyRunning {
    /// When a device runs. `None` if the mode is unknown, or the schedule if the mode needs it.
    pub(super) fn new(mode: Option<Mode>, schedule: Option<&Schedule>) -> Option<Self> {
        Some(match mode? {
            Mode::Off | Mode::Two => Self::of(&[]),
            Mode::AllDay => Self::always(),
            Mode::Run => Self::scheduled(schedule?),
        })
    }

    pub(super) fn always() -> Self {
        Self::of(&[(0, SECONDS_PER_WEEK)])
    }

    fn scheduled(schedule: &Schedule) -> Self {
        let mut spans = Vec::new();
        for (day, start_of_day) in Weekday::Monday.cycle_forward().take(7).zip((0..).step_by(24 * 60 * 60)) {
            for minutes in schedule.running_minutes(day) {
                let second = |minute: i32| start_of_day + i64::from(minute) * 60;
                spans.push((second(*minutes.start()), second(minutes.end() + 1)));
            }
        }
        spans.retain(|(start, end)| start < end);
        spans.sort_unstable();
        Self::of(&spans)
    }

    /// Joins spans that overlap; they must be sorted.
    fn of(spans: &[(i64, i64)]) -> Self {
        let mut joined: Vec<(i64, i64)> = Vec::with_capacity(spans.len());
        for (start, end) in spans {
            match joined.last_mut() {
                Some(last) if last.1 >= *start => last.1 = last.1.max(*end),
                _ => joined.push((*start, *end)),
            }
        }
        let mut per_week = 0;
        let mut periods = Vec::with_capacity(joined.len());
        for (start, end) in joined {
            periods.push(Period { start, end, before: per_week });
            per_week += end - start;
        }
        Self { periods, per_week }
    }

    pub(super) fn never_runs(&self) -> bool {
        self.periods.is_empty()
    }

    /// Running hours in a week without a clock change.
    pub(super) fn hours_per_week(&self) -> f64 {
        hours(self.per_week)
    }

    /// The running seconds from a fixed Monday at midnight to `local`, in seconds since then.
    fn total(&self, local: i64) -> i64 {
        let (week, second) = (local.div_euclid(SECONDS_PER_WEEK), local.rem_euclid(SECONDS_PER_WEEK));
        let period = self.periods.partition_point(|it| it.start < second).checked_sub(1).map(|last| self.periods[last]);
        week * self.per_week + period.map_or(0, |it| it.before + second.min(it.end) - it.start)
    }

    /// The first `local` at which [`total`](Self::total) reaches `total`, or `None` if there are no running periods.
    fn local(&self, total: i64) -> Option<i64> {
        let week = (total - 1).checked_div_euclid(self.per_week)?;
        let rest = total - week * self.per_week;
        let period = self.periods.iter().find(|it| rest <= it.before + it.end - it.start)?;
        week.checked_mul(SECONDS_PER_WEEK)?.checked_add(period.start + rest - period.before)
    }
}

/// The running time of a device as a function of time, and its inverse. Schedules follow local time: an hour that a clock
/// change skips does not run, and a repeated hour runs twice.
#[derive(Debug)]
pub(super) struct RunningTime<'a> {
    weekly: &'a WeeklyRunning,
    /// Between clock changes, local time advances like UTC.
    segments: Vec<Segment>,
    end: i64,
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    /// Unix time in seconds.
    start: i64,
    /// Local time minus Unix time, since the Monday that [`WeeklyRunning::total`] counts from.
    offset: i64,
    /// The running seconds before `start`.
    before: i64,
}

impl<'a> RunningTime<'a> {
    /// The running time between two instants.
    pub(super) fn new(weekly: &'a WeeklyRunning, zone: &TimeZone, start: Timestamp, end: Timestamp) -> Self {
        let changes = zone.following(start).map(|it| (it.timestamp(), it.offset()));
        let starts = std::iter::once((start, zone.to_offset(start))).chain(changes);
        let mut segments: Vec<Segment> = Vec::with_capacity(8);
        for (at, offset) in starts.take_while(|(at, _)| *at <= end) {
            let start = at.as_second();
            let before = segments.last().map_or(0, |last| last.total(weekly, start));
            segments.push(Segment { start, offset: i64::from(offset.seconds()) + MONDAY_TO_UNIX, before });
        }
        Self { weekly, segments, end: end.as_second() }
    }

    /// The running hours from the start to an instant in between.
    pub(super) fn hours_until(&self, at: Timestamp) -> f64 {
        let at = at.as_second();
        let number = self.segments.partition_point(|it| it.start <= at).saturating_sub(1);
        self.segments.get(number).map_or(0.0, |segment| hours(segment.total(self.weekly, at)))
    }

    /// The first instant at which [`hours_until`](Self::hours_until) reaches `hours`, to the second, or `None` if that is not
    /// before the end.
    pub(super) fn instant(&self, hours: f64) -> Option<Timestamp> {
        #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
        let total = (hours * 3600.0).round() as i64;
        let number = self.segments.partition_point(|it| it.before < total).saturating_sub(1);
        let segment = self.segments.get(number)?;
        let rest = total.checked_sub(segment.before)?;
        let at = match rest > 0 {
            true => {
                let local = self.weekly.total(segment.start + segment.offset).checked_add(rest)?;
                self.weekly.local(local)?.checked_sub(segment.offset)?
            }
            false => segment.start,
        };
        (at <= self.end).then(|| Timestamp::from_second(at).ok()).flatten()
    }
}

impl Segment {
    /// The running seconds from the start of all segments to an instant of this one.
    fn total(&self, weekly: &WeeklyRunning, at: i64) -> i64 {
        self.before + weekly.total(at + self.offset) - weekly.total(self.start + self.offset)
    }
}

#[expect(clippy::cast_precision_loss, reason = "seconds of dates are exact")]
fn hours(seconds: i64) -> f64 {
    seconds as f64 / 3600.0
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::arbitrary;

    const MINUTE: SignedDuration = SignedDuration::from_mins(1);
    const DAYS: i64 = 9;

    /// Counts the minutes.
    fn naive_hours(schedule: &Schedule, zone: &TimeZone, start: Timestamp, end: Timestamp) -> f64 {
        let minutes = std::iter::successors(Some(start), |at| Some(*at + MINUTE)).take_while(|at| *at < end);
        minutes.filter(|at| schedule.running(*at, zone).is_some()).fold(0.0, |hours, _| hours + 1.0 / 60.0)
    }

    fn full_minute(at: Timestamp) -> Timestamp {
        Timestamp::from_second(at.as_second().div_euclid(60) * 60).unwrap()
    }

    #[test]
    fn modes_determine_the_running_time_of_a_week() {
        let (schedule, _) = Schedule::read("1,1,1,50,9,0,16,59,2,1,9,7,16,0,17,59");
        let rows = [
            (Some(Mode::Off), Some(0.0)),
            (Some(Mode::Two), Some(0.0)),
            (Some(Mode::AllDay), Some(168.0)),
            // From 9 to 18 on Monday, from 16 to 18 on four other days.
            (Some(Mode::Run), Some(9.0 + 4.0 * 2.0)),
            (None, None),
        ];
        for (mode, hours) in rows {
            let weekly = WeeklyRunning::new(mode, Some(&schedule));
            assert_eq!(weekly.as_ref().map(WeeklyRunning::hours_per_week), hours, "{mode:?}");
        }
        assert_eq!(WeeklyRunning::new(Some(Mode::Run), None), None);
        assert!(WeeklyRunning::new(Some(Mode::AllDay), None).is_some());
    }

    #[test]
    fn clock_changes_skip_and_repeat_an_hour() {
        let zone = TimeZone::get("Europe/Paris").unwrap();
        let (night, _) = Schedule::read("1,1,0,50,1,0,3,59");
        let rows = [
            ("2026-03-27T23:00Z", "2026-03-28T23:00Z", 3.0),
            ("2026-03-28T23:00Z", "2026-03-29T22:00Z", 2.0),
            ("2026-10-24T22:00Z", "2026-10-25T23:00Z", 4.0),
        ];
        for (start, end, hours) in rows {
            let (start, end) = (start.parse().unwrap(), end.parse().unwrap());
            let weekly = WeeklyRunning::scheduled(&night);
            let time = RunningTime::new(&weekly, &zone, start, end);
            assert!((time.hours_until(end) - hours).abs() < 1e-9, "{start}");
        }
    }

    proptest! {
        #[test]
        fn running_time_equals_the_counted_minutes(
            schedule in arbitrary::schedule(),
            (zone, at) in arbitrary::near_clock_change(),
            minutes in 0..DAYS * 24 * 60,
        ) {
            let weekly = WeeklyRunning::scheduled(&schedule);
            let start = full_minute(at);
            let time = RunningTime::new(&weekly, &zone, start, start + SignedDuration::from_hours(DAYS * 24));
            let until = start + MINUTE * i32::try_from(minutes).unwrap();
            let hours = time.hours_until(until);
            prop_assert!((hours - naive_hours(&schedule, &zone, start, until)).abs() < 1e-6, "{}", hours);
            let first = time.instant(hours).unwrap();
            prop_assert!(first <= until);
            prop_assert!((time.hours_until(first) - hours).abs() < 1.0 / 3600.0);
            prop_assert!(hours == 0.0 || time.hours_until(first - MINUTE) < hours);
        }

        #[test]
        fn instant_beyond_the_end_is_unknown(schedule in arbitrary::schedule(), (zone, start) in arbitrary::near_clock_change()) {
            let weekly = WeeklyRunning::scheduled(&schedule);
            let end = start + SignedDuration::from_hours(DAYS * 24);
            let time = RunningTime::new(&weekly, &zone, start, end);
            prop_assert_eq!(time.instant(time.hours_until(end) + 0.01), None);
            prop_assert_eq!(time.instant(0.0), Some(full_second(start)));
            prop_assert_eq!(time.instant(f64::INFINITY), None);
        }
    }

    fn full_second(at: Timestamp) -> Timestamp {
        Timestamp::from_second(at.as_second()).unwrap()
    }
}
