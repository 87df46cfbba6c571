//! What runs when. Only the wall clock counts: an hour that a daylight-saving change skips runs nothing, one
//! that comes twice runs twice.

use jiff::civil::{DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::{Frame, Schedule};

const MINUTES_PER_DAY: i32 = 24 * 60;
/// Each minute of the week comes several times in it, whatever a change of the clocks skips once.
const SEARCHED: SignedDuration = SignedDuration::from_hours(5 * 7 * 24);

impl Schedule {
    /// Number of the frame that runs at that instant. Of several, which only a device that another program
    /// has configured can report, the lowest.
    pub fn running(&self, at: Timestamp, zone: &TimeZone) -> Option<u8> {
        self.running_locally(zone.to_datetime(at))
    }

    /// The first instant after `at` at which [`running`](Self::running) answers something else; `None` when
    /// it never does.
    pub fn next_change(&self, at: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        if self.frames().all(|(_, frame)| !frame.active) {
            return None;
        }
        let now = self.running(at, zone);
        let end = at.checked_add(SEARCHED).unwrap_or(Timestamp::MAX);
        let mut clock_changes = zone.following(at).map(|it| it.timestamp()).peekable();
        let mut instant = at;
        while instant < end {
            // Until the clocks change, local time advances as time does.
            let edge = instant.checked_add(self.until_next_edge(zone.to_datetime(instant))).ok()?;
            instant = clock_changes.next_if(|change| *change <= edge).unwrap_or(edge);
            if self.running(instant, zone) != now {
                return Some(instant);
            }
        }
        None
    }

    fn running_locally(&self, local: DateTime) -> Option<u8> {
        let (day, minute) = (local.weekday(), minute_of(local.time()));
        self.frames()
            .find(|(_, frame)| frame.runs_on(day) && frame.minutes().contains(&minute))
            .map(|(number, _)| number)
    }

    /// Time until a frame of this day begins or has ended, or the day has.
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

    /// Of the day; none when it starts after it stops.
    fn minutes(&self) -> std::ops::RangeInclusive<i32> {
        self.start.minutes_since_midnight()..=self.stop.minutes_since_midnight()
    }
}

fn minute_of(time: Time) -> i32 {
    i32::from(time.hour()) * 60 + i32::from(time.minute())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::schedule::{Days, TimeOfDay, arbitrary, vectors};

    /// North and south, half an hour, none, one that skips midnight, one that repeats it, one that lost a day.
    const ZONES: [(&str, &str); 9] = [
        ("Europe/Paris", "2026-01-01T00:00:00Z"),
        ("America/New_York", "2026-01-01T00:00:00Z"),
        ("Australia/Sydney", "2026-01-01T00:00:00Z"),
        ("America/Santiago", "2026-01-01T00:00:00Z"),
        ("Australia/Lord_Howe", "2026-01-01T00:00:00Z"),
        ("Africa/Cairo", "2026-01-01T00:00:00Z"),
        ("America/Sao_Paulo", "2017-01-01T00:00:00Z"),
        ("Pacific/Apia", "2011-06-01T00:00:00Z"),
        ("Asia/Kathmandu", "2026-01-01T00:00:00Z"),
    ];

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

    /// What a person reads off the wall.
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
    fn what_runs_agrees_with_the_vectors() {
        let vectors = vectors::read(include_str!("../../vectors/schedule-running.json"));
        assert!(vectors.len() > 60);
        for vector in &vectors {
            let (at, zone) = (instant(vector["at"].as_str().unwrap()), zone(vector["zone"].as_str().unwrap()));
            let running = vectors::schedule(&vector["frames"]).running(at, &zone);
            assert_eq!(u64::from(running.unwrap_or(0)), vector["running"].as_u64().unwrap(), "{vector}");
        }
    }

    #[test]
    fn the_next_change_is_told_to_the_instant() {
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
            // The hour that is skipped: nothing of this Sunday's frame, the next one comes a week later.
            ("Europe/Paris", &[frame(Sunday, (2, 0), (2, 59))], "2026-03-28T12:00:00Z", Some("2026-04-05T00:00:00Z")),
            ("Europe/Paris", &[frame(Sunday, (1, 0), (2, 30))], "2026-03-29T00:30:00Z", Some("2026-03-29T01:00:00Z")),
            // The hour that comes twice: a pause between its two runs.
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
    fn the_end_of_time_is_no_panic() {
        let schedule: Schedule = [frame(Days::Monday, (9, 0), (10, 0))].into_iter().collect();
        assert_eq!(schedule.next_change(Timestamp::MAX, &TimeZone::UTC), None);
    }

    /// Somewhere within two days of a change of the clocks, in a zone that has them.
    fn when() -> impl Strategy<Value = (TimeZone, Timestamp)> {
        (0..ZONES.len(), any::<Index>(), -2880i64..2880, 0i64..60).prop_map(|(place, change, minutes, seconds)| {
            let (name, since) = ZONES[place];
            let zone = zone(name);
            let changes: Vec<_> = zone.following(instant(since)).take(4).map(|it| it.timestamp()).collect();
            let near = if changes.is_empty() { instant(since) } else { *change.get(&changes) };
            (zone, near + SignedDuration::from_secs(minutes * 60 + seconds))
        })
    }

    proptest! {
        #[test]
        fn what_runs_is_what_the_wall_clock_says(schedule in arbitrary::schedule(), (zone, at) in when()) {
            prop_assert_eq!(schedule.running(at, &zone), naive(&schedule, at, &zone));
        }

        #[test]
        fn the_next_change_is_the_first(schedule in arbitrary::schedule(), (zone, at) in when()) {
            let now = naive(&schedule, at, &zone);
            let next = schedule.next_change(at, &zone);
            if let Some(next) = next {
                prop_assert!(next > at);
                prop_assert_ne!(naive(&schedule, next, &zone), now);
                prop_assert_eq!(naive(&schedule, next - SignedDuration::from_nanos(1), &zone), now);
            }
            // Every change falls on a full minute; two days of them, in this many cases, reach each kind of edge.
            let mut minute = Timestamp::from_second(at.as_second().div_euclid(60) * 60 + 60).unwrap();
            let end = next.unwrap_or(Timestamp::MAX).min(at + SignedDuration::from_hours(48));
            while minute < end {
                prop_assert_eq!(naive(&schedule, minute, &zone), now, "{}", minute);
                minute += SignedDuration::from_mins(1);
            }
        }
    }
}
