//! The running frame at an instant. Frames follow local time: an hour that a daylight-saving change skips does not run, and a
//! repeated hour runs twice.

use std::ops::RangeInclusive;

use jiff::civil::{DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::{Frame, Schedule};

const MINUTES_PER_DAY: i32 = 24 * 60;
/// Long enough to contain each minute of the week several times, even if a clock change skips one.
const SEARCHED: SignedDuration = SignedDuration::from_hours(5 * 7 * 24);

impl Schedule {
    /// The number of the running frame at an instant. If frames overlap, which other programs may have caused, the lowest
    /// number wins.
    pub fn running(&self, at: Timestamp, zone: &TimeZone) -> Option<u8> {
        self.running_locally(zone.to_datetime(at))
    }

    /// The first instant after `at` at which [`running`](Self::running) returns another value, or `None` if it never does.
    pub fn next_change(&self, at: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        if self.frames().all(|(_, frame)| !frame.active) {
            return None;
        }
        let now = self.running(at, zone);
        let end = at.checked_add(SEARCHED).unwrap_or(Timestamp::MAX);
        let mut clock_changes = zone.following(at).map(|it| it.timestamp()).peekable();
        let mut instant = at;
        while instant < end {
            // Until the next clock change, local time advances like UTC.
            let edge = instant.checked_add(self.until_next_edge(zone.to_datetime(instant))).ok()?;
            instant = clock_changes.next_if(|change| *change <= edge).unwrap_or(edge);
            if self.running(instant, zone) != now {
                return Some(instant);
            }
        }
        None
    }

    /// The running minutes of each frame on a day of the week, first and last one included. They may overlap or be empty.
    pub(crate) fn running_minutes(&self, day: Weekday) -> impl Iterator<Item = RangeInclusive<i32>> {
        self.frames().filter(move |(_, frame)| frame.runs_on(day)).map(|(_, frame)| frame.minutes())
    }

    fn running_locally(&self, local: DateTime) -> Option<u8> {
        let (day, minute) = (local.weekday(), minute_of(local.time()));
        self.frames()
            .find(|(_, frame)| frame.runs_on(day) && frame.minutes().contains(&minute))
            .map(|(number, _)| number)
    }

    /// The time until a frame of this day starts or has ended, or until the day ends.
    fn until_next_edge(&self, local: DateTime) -> SignedDuration {
        let minute = minute_of(local.time());
        let edge = self
            .frames()
            .filter(|(_, frame)| frame.runs_on(local.weekday()))
            .flat_map(|(_, frame)| [*frame.minutes().start(), frame.minutes().end() + 1])
            .filter(|edge| *edge > minute)
            .min()
            .unwrap_or(MINUTES_PER_DAY);
        SignedDuration::from_mins(i64::from(edge)) - local.time().duration_since(Time::midnight())
    }
}

impl Frame {
    fn runs_on(&self, day: Weekday) -> bool {
        self.active && self.days.includes(day)
    }

    /// The running minutes of a day; empty if the frame starts after it stops.
    fn minutes(&self) -> RangeInclusive<i32> {
        self.start.minutes_since_midnight()..=self.stop.minutes_since_midnight()
    }
}

fn minute_of(time: Time) -> i32 {
    i32::from(time.hour()) * 60 + i32::from(time.minute())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::{Days, TimeOfDay, arbitrary, vectors};

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn instant(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn frame(days: Days, start: (u8, u8), stop: (u8, u8)) -> Frame {
        let time = |(hour, minute)| TimeOfDay::new(hour, minute).unwrap();
        Frame { active: true, days, start: time(start), stop: time(stop), ..Frame::default() }
    }

    /// A simple implementation by local time.
    fn naive(schedule: &Schedule, at: Timestamp, zone: &TimeZone) -> Option<u8> {
        let wall = at.to_zoned(zone.clone());
        let (day, time) = (wall.strftime("%A").to_string(), wall.strftime("%H:%M").to_string());
        let weekend = ["Saturday", "Sunday"].contains(&day.as_str());
        let runs = |frame: &Frame| {
            let today = match frame.days.label() {
                "All Days" => true,
                "Weekend Days" => weekend,
                "Weekdays" => !weekend,
                name => name == day,
            };
            frame.active && today && frame.start.to_string() <= time && time <= frame.stop.to_string()
        };
        schedule.frames().filter(|(_, frame)| runs(frame)).map(|(number, _)| number).min()
    }

    #[test]
    fn running_frame_matches_the_vectors() {
        let vectors = vectors::read(include_str!("../../vectors/schedule-running.json"));
        assert!(vectors.len() > 60);
        for vector in &vectors {
            let (at, zone) = (instant(vector["at"].as_str().unwrap()), zone(vector["zone"].as_str().unwrap()));
            let running = vectors::schedule(&vector["frames"]).running(at, &zone);
            assert_eq!(u64::from(running.unwrap_or(0)), vector["running"].as_u64().unwrap(), "{vector}");
        }
    }

    #[test]
    fn next_change_is_exact() {
        use Days::{AllDays, Saturday, Sunday, Weekdays, WeekendDays};
        let rows: [(&str, &[Frame], &str, Option<&str>); 14] = [
            // 2026-11-21 is a Saturday.
            ("UTC", &[], "2026-11-21T12:00:00Z", None),
            ("UTC", &[Frame { active: false, ..frame(AllDays, (9, 0), (17, 0)) }], "2026-11-21T12:00:00Z", None),
            ("UTC", &[frame(AllDays, (0, 0), (23, 59))], "2026-11-21T12:00:00Z", None),
            ("UTC", &[frame(AllDays, (22, 0), (6, 0))], "2026-11-21T12:00:00Z", None),
            ("UTC", &[frame(AllDays, (9, 0), (17, 0))], "2026-11-21T08:59:59.5Z", Some("2026-11-21T09:00:00Z")),
            ("UTC", &[frame(AllDays, (9, 0), (17, 0))], "2026-11-21T09:00:00Z", Some("2026-11-21T17:01:00Z")),
            ("UTC", &[frame(Weekdays, (9, 0), (17, 0))], "2026-11-20T17:01:00Z", Some("2026-11-23T09:00:00Z")),
            ("UTC", &[frame(WeekendDays, (0, 0), (23, 59))], "2026-11-21T12:00:00Z", Some("2026-11-23T00:00:00Z")),
            // One frame follows another without a pause, or takes over from a higher number.
            (
                "UTC",
                &[frame(Sunday, (0, 0), (1, 0)), frame(Saturday, (9, 0), (23, 59))],
                "2026-11-21T12:00:00Z",
                Some("2026-11-22T00:00:00Z"),
            ),
            (
                "UTC",
                &[frame(AllDays, (12, 30), (13, 0)), frame(AllDays, (9, 0), (17, 0))],
                "2026-11-21T12:00:00Z",
                Some("2026-11-21T12:30:00Z"),
            ),
            // The skipped hour: the frame does not run this Sunday, but a week later.
            ("Europe/Paris", &[frame(Sunday, (2, 0), (2, 59))], "2026-03-28T12:00:00Z", Some("2026-04-05T00:00:00Z")),
            ("Europe/Paris", &[frame(Sunday, (1, 0), (2, 30))], "2026-03-29T00:30:00Z", Some("2026-03-29T01:00:00Z")),
            // The repeated hour: a pause between its two runs.
            ("Europe/Paris", &[frame(Sunday, (2, 0), (2, 30))], "2026-10-25T00:00:00Z", Some("2026-10-25T00:31:00Z")),
            ("Europe/Paris", &[frame(Sunday, (2, 0), (2, 30))], "2026-10-25T00:31:00Z", Some("2026-10-25T01:00:00Z")),
        ];
        for (zone_name, frames, at, expected) in rows {
            let schedule: Schedule = frames.iter().copied().collect();
            let next = schedule.next_change(instant(at), &zone(zone_name));
            assert_eq!(next, expected.map(instant), "{zone_name} {at} {frames:?}");
        }
    }

    #[test]
    fn next_change_at_the_end_of_time_does_not_panic() {
        let schedule: Schedule = [frame(Days::Monday, (9, 0), (10, 0))].into_iter().collect();
        assert_eq!(schedule.next_change(Timestamp::MAX, &TimeZone::UTC), None);
    }

    proptest! {
        #[test]
        fn running_frame_matches_local_time(schedule in arbitrary::schedule(), (zone, at) in arbitrary::near_clock_change()) {
            prop_assert_eq!(schedule.running(at, &zone), naive(&schedule, at, &zone));
        }

        #[test]
        fn next_change_is_the_earliest_change(schedule in arbitrary::schedule(), (zone, at) in arbitrary::near_clock_change()) {
            let now = naive(&schedule, at, &zone);
            let next = schedule.next_change(at, &zone);
            if let Some(next) = next {
                prop_assert!(next > at);
                prop_assert_ne!(naive(&schedule, next, &zone), now);
                prop_assert_eq!(naive(&schedule, next - SignedDuration::from_nanos(1), &zone), now);
            }
            // Every change is at a full minute. Two days in this many cases cover every kind of edge.
            let mut minute = Timestamp::from_second(at.as_second().div_euclid(60) * 60 + 60).unwrap();
            let end = next.unwrap_or(Timestamp::MAX).min(at + SignedDuration::from_hours(48));
            while minute < end {
                prop_assert_eq!(naive(&schedule, minute, &zone), now, "{}", minute);
                minute += SignedDuration::from_mins(1);
            }
        }
    }
}
