use jiff::civil::{Date, Time, date, time};
use proptest::prelude::*;

use super::FirePoint::{End, Range, Start};
use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn paris() -> TimeZone {
    TimeZone::get("Europe/Paris").unwrap()
}

/// From 8:00 to 18:00 in the zone of the device.
fn daily() -> Plan {
    Plan { start_time_each_day: time(8, 0, 0, 0), end_time_each_day: Some(time(18, 0, 0, 0)), ..Plan::default() }
}

/// The next times in order.
fn times(plan: &Plan, from: &str, most: usize) -> Vec<String> {
    let mut now = at(from);
    let following = std::iter::from_fn(|| {
        now = next(plan, &paris(), now)?;
        Some(paris().to_datetime(now).strftime("%m-%d %H:%M").to_string())
    });
    following.take(most).collect()
}

#[test]
fn day_starts_and_ends_in_the_time_zone_of_the_device_or_in_utc() {
    assert_eq!(times(&daily(), "2026-11-20T10:00:00Z", 3), ["11-20 18:00", "11-21 08:00", "11-21 18:00"]);
    let utc = Plan { utc: true, ..daily() };
    assert_eq!(times(&utc, "2026-11-20T10:00:00Z", 2), ["11-20 19:00", "11-21 09:00"]);
}

#[test]
fn only_matching_days_have_windows() {
    // 20 November 2026 is a Friday.
    let start = Plan { end_time_each_day: None, ..daily() };
    let table = [
        (Plan { days_of_week: vec![1, 2], ..start.clone() }, vec!["11-22 08:00", "11-23 08:00", "11-29 08:00"]),
        (Plan { days_of_month: vec![3, LAST_DAY], ..start.clone() }, vec!["11-30 08:00", "12-03 08:00", "12-31 08:00"]),
        (Plan { months_of_year: vec![1], ..start.clone() }, vec!["01-01 08:00", "01-02 08:00", "01-03 08:00"]),
        (
            Plan { days_of_week: vec![2], day_occur_of_month: vec![1, LAST_OCCURRENCE], ..start.clone() },
            vec!["11-30 08:00", "12-07 08:00", "12-28 08:00"],
        ),
        (
            Plan { start_date: Some(date(2027, 3, 1)), end_date: Some(date(2027, 3, 2)), ..start.clone() },
            vec!["03-01 08:00", "03-02 08:00"],
        ),
        (Plan { days_of_month: vec![29], months_of_year: vec![2], ..start.clone() }, vec!["02-29 08:00"; 3]),
        (Plan { days_of_month: vec![30], months_of_year: vec![2], ..start.clone() }, vec![]),
        (Plan { end_date: Some(date(2026, 11, 19)), ..start }, vec![]),
    ];
    for (plan, expected) in table {
        assert_eq!(times(&plan, "2026-11-20T10:00:00Z", 3), expected, "{plan:?}");
    }
}

#[test]
fn window_ends_at_its_end_time_or_after_its_duration() {
    let table = [
        (
            Plan { end_time_each_day: Some(time(6, 0, 0, 0)), ..daily() },
            vec!["11-21 06:00", "11-21 08:00", "11-22 06:00"],
        ),
        (Plan { duration: Some(7200), ..daily() }, vec!["11-21 08:00", "11-21 10:00", "11-22 08:00"]),
        (Plan { duration: Some(86_400), ..daily() }, vec!["11-20 18:00", "11-21 08:00", "11-21 18:00"]),
        (Plan { time_before_end: Some(600), ..daily() }, vec!["11-20 17:50", "11-21 08:00", "11-21 17:50"]),
        // The end would be before the start, so the window has no end.
        (Plan { time_before_end: Some(86_400), ..daily() }, vec!["11-21 08:00", "11-22 08:00"]),
    ];
    for (plan, expected) in table {
        assert_eq!(times(&plan, "2026-11-20T12:00:00Z", expected.len()), expected, "{plan:?}");
    }
}

#[test]
fn interval_repeats_the_window_within_the_day() {
    let hourly = Plan { interval: Some(3600), duration: Some(600), ..daily() };
    let expected = ["11-20 16:10", "11-20 17:00", "11-20 17:10", "11-21 08:00", "11-21 08:10", "11-21 09:00"];
    assert_eq!(times(&hourly, "2026-11-20T15:05:00Z", 6), expected);
    let pulses = Plan { duration: None, end_time_each_day: None, interval: Some(6 * 3600), ..daily() };
    assert_eq!(times(&pulses, "2026-11-20T06:00:00Z", 4), ["11-20 08:00", "11-20 14:00", "11-20 20:00", "11-21 08:00"]);
}

#[test]
fn daylight_saving_neither_moves_nor_drops_a_window() {
    // On 28 March 2027 the hour after 2:00 is skipped; on 25 October 2026 it occurs twice.
    let night =
        Plan { start_time_each_day: time(2, 30, 0, 0), end_time_each_day: Some(time(5, 0, 0, 0)), ..Plan::default() };
    assert_eq!(times(&night, "2027-03-27T12:00:00Z", 4), ["03-28 03:30", "03-28 05:00", "03-29 02:30", "03-29 05:00"]);
    let first = next(&night, &paris(), at("2026-10-24T12:00:00Z")).unwrap();
    assert_eq!(first, at("2026-10-25T00:30:00Z"), "the first of the two");
    assert_eq!(next(&night, &paris(), first), Some(at("2026-10-25T04:00:00Z")));
    assert_eq!(times(&daily(), "2026-10-24T12:00:00Z", 3), ["10-24 18:00", "10-25 08:00", "10-25 18:00"]);
}

#[test]
fn due_points_fire_on_time_and_only_the_last_one_fires_late() {
    let day = daily();
    let point = Plan { end_time_each_day: None, ..daily() };
    let round = Plan { end_time_each_day: Some(time(8, 0, 0, 0)), ..daily() };
    let (start, end) = ("2026-11-20T07:00:00Z", "2026-11-20T17:00:00Z");
    let table = [
        (&day, start, start, vec![Start, Range]),
        (&day, end, end, vec![End]),
        // Missed the start while the window is open; missed both; missed more than a day.
        (&day, start, "2026-11-20T16:59:59Z", vec![Start, Range]),
        (&day, start, "2026-11-20T23:00:00Z", vec![End]),
        (&day, start, "2026-11-23T06:59:59Z", vec![End]),
        (&day, start, "2026-11-23T07:30:00Z", vec![Start, Range]),
        (&day, "2016-11-20T07:00:00Z", "2026-11-23T06:59:59Z", vec![End]),
        // Activated within a window, and outside of one.
        (&day, "2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z", vec![Range]),
        (&day, "2026-11-20T20:00:00Z", "2026-11-20T20:00:00Z", vec![]),
        // A start without an end does not fire much later.
        (&point, start, start, vec![Start]),
        (&point, start, "2026-11-20T07:15:00Z", vec![Start]),
        (&point, start, "2026-11-20T07:15:01Z", vec![]),
        // One window ends when the next starts.
        (&round, start, start, vec![End, Start, Range]),
    ];
    for (plan, since, now, expected) in table {
        assert_eq!(due(plan, &paris(), at(since), at(now)), expected, "{since} {now} {plan:?}");
    }
}

#[test]
fn plan_round_trips_through_its_text() {
    let plan = Plan { start_date: Some(date(2026, 1, 31)), days_of_week: vec![1], interval: Some(60), ..daily() };
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    assert_eq!(serde_json::from_str::<Plan>("{}").unwrap(), Plan::default());
}

prop_compose! {
    fn any_plan()(
        utc: bool,
        start in 0..86_400_i64,
        end in prop::option::of(0..86_400_i64),
        time_before_end in prop::option::of(0..MAX_WINDOW),
        days_of_week in prop::collection::vec(1..=7_i8, 0..3),
        days_of_month in prop::collection::vec(1..=LAST_DAY, 0..3),
        day_occur_of_month in prop::collection::vec(1..=LAST_OCCURRENCE, 0..2),
        duration in prop::option::of(1..=MAX_WINDOW),
        interval in prop::option::of(1800..=MAX_WINDOW),
    ) -> Plan {
        let time = |seconds: i64| Time::midnight() + SignedDuration::from_secs(seconds);
        let (start_time_each_day, end_time_each_day) = (time(start), end.map(time));
        let duration = duration.map(|duration| interval.map_or(duration, |interval| duration.min(interval)));
        let (start_date, end_date, months_of_year): (Option<Date>, Option<Date>, Vec<i8>) = (None, None, vec![]);
        Plan { utc, start_date, end_date, start_time_each_day, end_time_each_day, time_before_end, days_of_week,
               days_of_month, months_of_year, day_occur_of_month, duration, interval }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: prop::test_runner::RngSeed::Fixed(1), cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn each_next_time_is_due_and_nothing_is_due_between_two(plan in any_plan(), hours in 0..9000_i64) {
        let mut now = at("2026-01-01T00:00:00Z") + SignedDuration::from_hours(hours);
        for _ in 0..6 {
            let Some(moment) = next(&plan, &paris(), now) else { break };
            prop_assert!(moment > now);
            prop_assert!(due(&plan, &paris(), moment, moment).iter().any(|point| *point != Range));
            let before = moment - SignedDuration::from_secs(1);
            if before > now {
                let since = now + SignedDuration::from_nanos(1);
                prop_assert!(due(&plan, &paris(), since, before).iter().all(|point| *point == Range));
            }
            now = moment;
        }
    }
}
