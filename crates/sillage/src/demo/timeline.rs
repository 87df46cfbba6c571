//! The running time of a diffuser, from its modes since the installation, its schedule and its time zone.

use diffuser::{Mode, Schedule, TimeOfDay};
use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::{Offset, TimeZone};

const DAY_SECONDS: i64 = 24 * 3600;
const WEEK_SECONDS: i64 = 7 * DAY_SECONDS;
/// A Monday, midnight, in seconds since the epoch.
const SOME_MONDAY: i64 = 4 * DAY_SECONDS;

/// Counts running seconds since the installation, exactly even across daylight-saving changes. Frames of the schedule must not
/// overlap.
#[derive(Debug)]
pub(super) struct Timeline {
    segments: Vec<Segment>,
    week: Week,
}

/// A period with one mode and one UTC offset.
#[derive(Debug)]
struct Segment {
    from: Timestamp,
    /// Running seconds before this segment.
    seconds_before: i64,
    mode: RunMode,
}

#[derive(Clone, Copy, Debug)]
enum RunMode {
    Stopped,
    Continuous,
    /// By the schedule, in local time with this UTC offset.
    Scheduled(Offset),
}

impl Timeline {
    /// `modes` are sorted by their start; the first one starts at the installation.
    pub(super) fn new(modes: &[(Timestamp, Mode)], schedule: &Schedule, zone: &TimeZone, until: Timestamp) -> Self {
        let mut timeline = Self { segments: Vec::new(), week: Week::of(schedule) };
        for (i, (from, mode)) in modes.iter().enumerate() {
            let to = modes.get(i + 1).map_or(until, |(next, _)| *next);
            match mode {
                Mode::AllDay => timeline.push(*from, RunMode::Continuous),
                Mode::Run => {
                    timeline.push(*from, RunMode::Scheduled(zone.to_offset(*from)));
                    for change in zone.following(*from).take_while(|change| change.timestamp() < to) {
                        timeline.push(change.timestamp(), RunMode::Scheduled(change.offset()));
                    }
                }
                Mode::Off | Mode::Two => timeline.push(*from, RunMode::Stopped),
            }
        }
        timeline
    }

    fn push(&mut self, from: Timestamp, mode: RunMode) {
        self.segments.push(Segment { from, seconds_before: self.seconds(from), mode });
    }

    /// Running seconds until `at`.
    pub(super) fn seconds(&self, at: Timestamp) -> i64 {
        let after = self.segments.partition_point(|segment| segment.from <= at);
        let Some(segment) = self.segments[..after].last() else { return 0 };
        let in_segment = match segment.mode {
            RunMode::Stopped => 0,
            RunMode::Continuous => at.as_second() - segment.from.as_second(),
            RunMode::Scheduled(offset) => self.week.seconds(at, offset) - self.week.seconds(segment.from, offset),
        };
        segment.seconds_before + in_segment
    }

    /// The first whole second at which the diffuser had run for `seconds`, or `end`.
    pub(super) fn when(&self, seconds: i64, end: Timestamp) -> Timestamp {
        let (mut low, mut high) =
            (self.segments.first().map_or(end, |segment| segment.from).as_second(), end.as_second());
        let at = |second| Timestamp::from_second(second).unwrap_or(end);
        while low < high {
            let middle = low.midpoint(high);
            if self.seconds(at(middle)) >= seconds { high = middle } else { low = middle + 1 }
        }
        at(high)
    }
}

/// The weekly running intervals of a schedule.
#[derive(Debug)]
struct Week {
    /// Sorted, in seconds since Monday midnight.
    intervals: Vec<Interval>,
    running: i64,
}

#[derive(Debug)]
struct Interval {
    from: i64,
    to: i64,
    /// Running seconds of the week before this interval.
    seconds_before: i64,
}

impl Week {
    fn of(schedule: &Schedule) -> Self {
        let mut ends: Vec<(i64, i64)> = schedule
            .frames()
            .filter(|(_, frame)| frame.active)
            .flat_map(|(_, frame)| {
                let days = (0..).zip(Weekday::Monday.cycle_forward().take(7));
                days.filter(|(_, weekday)| frame.days.includes(*weekday))
                    .map(|(day, _)| day * DAY_SECONDS)
                    // The stop time is inclusive.
                    .map(|day| (day + since_midnight(frame.start), day + since_midnight(frame.stop) + 60))
            })
            .collect();
        ends.sort_unstable();
        let mut running = 0;
        let intervals = ends
            .into_iter()
            .map(|(from, to)| {
                let seconds_before = running;
                running += to - from;
                Interval { from, to, seconds_before }
            })
            .collect();
        Self { intervals, running }
    }

    /// Running seconds between a fixed Monday and `at`. Only differences of two results are meaningful.
    fn seconds(&self, at: Timestamp, offset: Offset) -> i64 {
        let local = at.as_second() + i64::from(offset.seconds()) - SOME_MONDAY;
        let (week, second) = (local.div_euclid(WEEK_SECONDS), local.rem_euclid(WEEK_SECONDS));
        let begun = self.intervals.partition_point(|interval| interval.from <= second);
        let in_week =
            self.intervals[..begun].last().map_or(0, |last| last.seconds_before + second.min(last.to) - last.from);
        week * self.running + in_week
    }
}

fn since_midnight(time: TimeOfDay) -> i64 {
    i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn schedule(frames: &str) -> Schedule {
        Schedule::read(frames).0
    }

    #[test]
    fn only_some_modes_count_running_time() {
        let zone = TimeZone::UTC;
        let modes = [
            (at("2026-11-01T00:00:00Z"), Mode::AllDay),
            (at("2026-11-02T00:00:00Z"), Mode::Off),
            (at("2026-11-03T00:00:00Z"), Mode::Two),
            // A Wednesday; the schedule runs from 10:00 to 11:59 on Wednesdays.
            (at("2026-11-04T00:00:00Z"), Mode::Run),
        ];
        let end = at("2026-11-12T00:00:00Z");
        let timeline = Timeline::new(&modes, &schedule("1,1,3,9,10,0,11,59"), &zone, end);
        for (moment, hours) in [
            ("2026-10-01T00:00:00Z", 0),
            ("2026-11-01T05:00:00Z", 5),
            ("2026-11-03T12:00:00Z", 24),
            ("2026-11-04T10:00:00Z", 24),
            ("2026-11-04T11:00:00Z", 25),
            ("2026-11-04T12:00:00Z", 26),
            ("2026-11-12T00:00:00Z", 28),
        ] {
            assert_eq!(timeline.seconds(at(moment)), hours * 3600, "{moment}");
        }
        assert_eq!(timeline.when(25 * 3600, end), at("2026-11-04T11:00:00Z"));
        assert_eq!(timeline.when(24 * 3600, end), at("2026-11-02T00:00:00Z"));
    }

    #[test]
    fn running_time_matches_the_schedule_across_clock_changes() {
        // In Sydney the clock goes forward on 4 October 2026, in Berlin back on 25 October.
        for (name, begin) in [("Australia/Sydney", "2026-10-01T00:00:30Z"), ("Europe/Berlin", "2026-10-22T00:00:30Z")] {
            let zone = TimeZone::get(name).unwrap();
            let schedule = schedule("1,1,0,9,1,30,3,29,2,1,9,9,10,0,10,0");
            let begin = at(begin);
            let end = begin + 168.hours();
            let timeline = Timeline::new(&[(begin, Mode::Run)], &schedule, &zone, end);
            let mut naive = 0;
            let mut now = begin;
            while now < end {
                assert_eq!(timeline.seconds(now), naive, "{name} {now}");
                for step in [30, 30] {
                    naive += if schedule.running(now, &zone).is_some() { step } else { 0 };
                    now += step.seconds();
                }
            }
        }
    }
}
