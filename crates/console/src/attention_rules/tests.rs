use diffuser::Mode;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::Finding::{Absent, Present, Unknown};
use super::*;
use crate::records::DeviceStatus::{NeverConnected, Offline, Online};

/// A Wednesday.
const NOON: &str = "2026-11-25T12:00:00Z";
/// Every day from 08:00 to 17:59.
const DAILY: &str = "1,1,0,20,8,0,17,59";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn hours(count: i64) -> SignedDuration {
    SignedDuration::from_hours(count)
}

fn observation() -> Observation {
    let midnight = at("2026-11-25T00:00:00Z");
    Observation {
        read_at: at(NOON),
        schedule: Some(DAILY.to_owned()),
        fragrance: Some("Fig".to_owned()),
        life_hours: Some(500.0),
        level: Some(50),
        command_since: None,
        plan_since: None,
        use_of_days: (1..=7)
            .rev()
            .map(|day| UseOfDay { start: midnight - hours(24 * day), hours: Some(10.0) })
            .collect(),
        // Since 08:00.
        use_today: Some(4.0),
        faults: 19,
        shared_identity: false,
    }
}

/// A device without any cause: connected for weeks, half full, and it uses ten hours a day as planned.
fn healthy() -> AttentionFacts {
    AttentionFacts {
        now: at(NOON),
        status: Online,
        status_since: Some(at("2026-11-01T00:00:00Z")),
        added_at: Some(at("2026-10-01T00:00:00Z")),
        installed_at: None,
        time_zone: TimeZone::UTC,
        mode: Some(Mode::Run),
        level: Some(50),
        runs_dry_at: Some(at("2027-01-14T12:00:00Z")),
        emptied_at: None,
        streamed_life: None,
        memory: DeviceMemory { observation: Some(observation()), ..DeviceMemory::default() },
    }
}

fn observed(change: impl FnOnce(&mut Observation)) -> AttentionFacts {
    let mut facts = healthy();
    change(facts.memory.observation.as_mut().unwrap());
    facts
}

fn offline_since(since: &str) -> AttentionFacts {
    AttentionFacts { status: Offline, status_since: Some(at(since)), ..healthy() }
}

fn use_of_days(last_first: [f64; 7]) -> AttentionFacts {
    observed(|it| it.use_of_days.iter_mut().rev().zip(last_first).for_each(|(day, used)| day.hours = Some(used)))
}

/// Present with this cause.
#[derive(Debug, PartialEq)]
enum Expected {
    Now(LikelyCause),
    Later(&'static str),
    Never,
    Unknown,
}

fn check(kind: AttentionKind, rows: impl IntoIterator<Item = (AttentionFacts, bool, Expected)>) {
    for (facts, is_open, expected) in rows {
        let finding = examine(kind, &facts, &AttentionSettings::default(), is_open);
        let matches = match (&finding, &expected) {
            (Present { cause, .. }, Expected::Now(wanted)) => cause == wanted,
            (Absent { due: Some(due) }, Expected::Later(wanted)) => *due == at(wanted),
            (Absent { due: None }, Expected::Never) | (Unknown, Expected::Unknown) => true,
            _ => false,
        };
        assert!(matches, "{kind:?} is {finding:?}, not {expected:?}, with is_open = {is_open} of {facts:?}");
        let disabled = AttentionSettings { disabled: vec![kind], ..AttentionSettings::default() };
        assert_eq!(examine(kind, &facts, &disabled, is_open), Absent { due: None });
    }
}

#[test]
fn healthy_device_has_no_item_of_any_kind() {
    for kind in AttentionKind::ALL {
        for is_open in [false, true] {
            let finding = examine(kind, &healthy(), &AttentionSettings::default(), is_open);
            assert!(matches!(finding, Absent { .. }), "{kind:?}: {finding:?}");
        }
    }
}

#[test]
fn cartridge_that_runs_dry_opens_a_week_before_and_closes_at_nine_days() {
    let dry = |text: &str| AttentionFacts { runs_dry_at: Some(at(text)), ..healthy() };
    let cause = LikelyCause::PresentUse;
    let unknown = |status| AttentionFacts { runs_dry_at: None, status, ..healthy() };
    check(
        AttentionKind::RunsDry,
        [
            (dry("2026-12-02T12:00:00Z"), false, Expected::Now(cause)),
            (dry("2026-12-02T12:00:01Z"), false, Expected::Later("2026-11-25T12:00:01Z")),
            (dry("2026-12-04T12:00:00Z"), true, Expected::Now(cause)),
            (dry("2026-12-04T12:00:01Z"), true, Expected::Later("2026-11-25T12:00:01Z")),
            (unknown(Offline), true, Expected::Unknown),
            (unknown(Online), true, Expected::Never),
            (AttentionFacts { level: Some(0), ..dry("2026-11-25T13:00:00Z") }, true, Expected::Never),
        ],
    );
}

#[test]
fn empty_cartridge_closes_above_the_margin() {
    let level = |level| AttentionFacts { level, ..healthy() };
    let cause = LikelyCause::NotRefilled;
    check(
        AttentionKind::Empty,
        [
            (level(Some(0)), false, Expected::Now(cause)),
            (level(Some(1)), false, Expected::Never),
            (level(Some(5)), true, Expected::Now(cause)),
            (level(Some(6)), true, Expected::Never),
            (level(None), true, Expected::Unknown),
        ],
    );
    let emptied_at = at("2026-11-12T10:00:00Z");
    let facts = AttentionFacts { emptied_at: Some(emptied_at), ..level(Some(0)) };
    let finding = examine(AttentionKind::Empty, &facts, &AttentionSettings::default(), false);
    assert!(matches!(finding, Present { since, .. } if since == emptied_at), "{finding:?}");
}

#[test]
fn offline_device_opens_after_an_hour_of_its_running_time() {
    let mode = |mode| AttentionFacts { mode, ..offline_since("2026-11-25T11:30:00Z") };
    let cause = LikelyCause::PowerOrNetwork;
    let weekly = |schedule: &str, since: &str| {
        let mut facts = offline_since(since);
        facts.memory.observation.as_mut().unwrap().schedule = Some(schedule.to_owned());
        facts
    };
    let no_schedule = AttentionFacts { memory: DeviceMemory::default(), ..offline_since("2026-11-25T11:00:00Z") };
    check(
        AttentionKind::Offline,
        [
            (offline_since("2026-11-25T11:00:00Z"), false, Expected::Now(cause)),
            (offline_since("2026-11-25T11:00:01Z"), false, Expected::Later("2026-11-25T12:00:01Z")),
            (offline_since("2026-11-24T17:30:00Z"), false, Expected::Now(cause)),
            // The night does not count, and a part of an hour before it does.
            (weekly("1,1,0,20,18,0,19,59", "2026-11-25T03:00:00Z"), false, Expected::Later("2026-11-25T19:00:00Z")),
            (weekly("1,1,0,20,12,0,12,14", "2026-11-25T11:00:00Z"), false, Expected::Later("2026-11-28T12:15:00Z")),
            (weekly("1,1,0,20,18,0,19,59", "2026-11-25T03:00:00Z"), true, Expected::Now(cause)),
            (mode(Some(Mode::AllDay)), false, Expected::Later("2026-11-25T12:30:00Z")),
            (mode(Some(Mode::Off)), true, Expected::Never),
            (weekly("1,0,0,20,8,0,17,59", "2026-11-24T11:00:00Z"), true, Expected::Never),
            (mode(None), true, Expected::Unknown),
            (no_schedule, true, Expected::Unknown),
            (AttentionFacts { status_since: None, ..offline_since(NOON) }, true, Expected::Unknown),
            (healthy(), true, Expected::Never),
        ],
    );
}

#[test]
fn device_that_never_connected_opens_two_days_after_its_installation() {
    let never = |installed_at: Option<&str>| AttentionFacts {
        status: NeverConnected,
        added_at: Some(at("2026-11-24T06:00:00Z")),
        installed_at: installed_at.map(|date| date.parse().unwrap()),
        time_zone: TimeZone::get("Europe/Berlin").unwrap(),
        ..healthy()
    };
    let cause = LikelyCause::NotSetUp;
    check(
        AttentionKind::NeverConnected,
        [
            (never(Some("2026-11-23")), false, Expected::Now(cause)),
            (never(Some("2026-11-24")), false, Expected::Later("2026-11-25T23:00:00Z")),
            (never(Some("2026-12-24")), true, Expected::Later("2026-12-25T23:00:00Z")),
            (never(None), false, Expected::Later("2026-11-26T06:00:00Z")),
            (AttentionFacts { added_at: None, ..never(None) }, true, Expected::Unknown),
            (AttentionFacts { status: Online, ..never(Some("2026-11-01")) }, true, Expected::Never),
            (AttentionFacts { status: Offline, ..never(Some("2026-11-01")) }, true, Expected::Never),
        ],
    );
}

#[test]
fn device_that_uses_nothing_closes_after_a_day_of_use() {
    let nothing = || use_of_days([0.0; 7]);
    let since = |since: &str| AttentionFacts { status_since: Some(at(since)), ..nothing() };
    let old = || AttentionFacts { now: at("2026-11-27T00:00:01Z"), ..nothing() };
    let mut gap = nothing();
    gap.memory.observation.as_mut().unwrap().use_of_days[5].hours = None;
    let mut planned_lately = nothing();
    planned_lately.memory.observation.as_mut().unwrap().plan_since = Some(at("2026-11-24T20:00:00Z"));
    let cause = LikelyCause::Clogged;
    check(
        AttentionKind::NoUse,
        [
            (nothing(), false, Expected::Now(cause)),
            (use_of_days([1.0, 1.0, 1.0, 10.0, 10.0, 10.0, 10.0]), false, Expected::Now(cause)),
            (use_of_days([1.0, 1.0, 1.1, 10.0, 10.0, 10.0, 10.0]), false, Expected::Never),
            (use_of_days([2.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), true, Expected::Now(cause)),
            (use_of_days([2.6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), true, Expected::Never),
            (AttentionFacts { level: Some(20), ..nothing() }, false, Expected::Now(LikelyCause::EmptyCartridge)),
            // Only the time with a connection counts: nine hours and a half, and seven.
            (since("2026-11-24T08:30:00Z"), false, Expected::Now(cause)),
            (since("2026-11-24T11:00:00Z"), false, Expected::Never),
            (since("2026-11-25T11:00:00Z"), true, Expected::Unknown),
            (planned_lately, false, Expected::Never),
            (gap, false, Expected::Unknown),
            (old(), false, Expected::Unknown),
            (AttentionFacts { status: Offline, ..nothing() }, true, Expected::Unknown),
            (AttentionFacts { mode: Some(Mode::Off), ..nothing() }, true, Expected::Never),
            (AttentionFacts { mode: None, ..nothing() }, true, Expected::Unknown),
        ],
    );
}

#[test]
fn device_that_uses_more_than_planned_is_compared_over_a_week() {
    let week = |used: f64| use_of_days([used; 7]);
    let mut other_plan = week(24.0);
    other_plan.memory.observation.as_mut().unwrap().plan_since = Some(at("2026-11-20T00:00:00Z"));
    let mut short = week(24.0);
    short.memory.observation.as_mut().unwrap().use_of_days.remove(0);
    let cause = LikelyCause::OtherSchedule;
    check(
        AttentionKind::ExcessUse,
        [
            // 70 hours are planned: 91 with the surplus, and 93 with the margin.
            (week(13.3), false, Expected::Now(cause)),
            (week(13.2), false, Expected::Never),
            (week(13.1), true, Expected::Now(cause)),
            (week(12.9), true, Expected::Never),
            (AttentionFacts { mode: Some(Mode::Off), ..week(1.0) }, false, Expected::Now(cause)),
            (other_plan.clone(), false, Expected::Unknown),
            (other_plan, true, Expected::Never),
            (short, false, Expected::Unknown),
            (AttentionFacts { mode: None, ..week(24.0) }, true, Expected::Unknown),
        ],
    );
}

#[test]
fn command_opens_after_an_hour_without_an_answer() {
    let pending = |since: &str| {
        let mut facts = healthy();
        facts.memory.see_pending(true, at(since));
        facts
    };
    let seen = |since: &str| observed(|it| it.command_since = Some(at(since)));
    let mut answered = pending("2026-11-25T11:00:00Z");
    answered.memory.see_pending(false, at(NOON));
    let mut twice = pending("2026-11-25T11:00:00Z");
    twice.memory.see_pending(true, at(NOON));
    let offline = AttentionFacts { status: Offline, ..pending("2026-11-25T11:00:00Z") };
    check(
        AttentionKind::UnansweredCommand,
        [
            (pending("2026-11-25T11:00:00Z"), false, Expected::Now(LikelyCause::NotResponding)),
            (twice, false, Expected::Now(LikelyCause::NotResponding)),
            (pending("2026-11-25T11:00:01Z"), true, Expected::Later("2026-11-25T12:00:01Z")),
            (seen("2026-11-25T11:00:00Z"), false, Expected::Now(LikelyCause::NotResponding)),
            (offline, false, Expected::Now(LikelyCause::DeviceOffline)),
            (answered, true, Expected::Never),
        ],
    );
}

#[test]
fn schedule_that_is_broken_or_never_runs_opens_at_once() {
    let schedule = |text: &str| observed(|it| it.schedule = Some(text.to_owned()));
    let none = observed(|it| it.schedule = None);
    check(
        AttentionKind::NoRunningTime,
        [
            (schedule("1,1,0,20,8,0,17,59,2,1,0,99,8,0,17,59"), false, Expected::Now(LikelyCause::BrokenSchedule)),
            (schedule("1,0,0,20,8,0,17,59"), false, Expected::Now(LikelyCause::NoActiveFrame)),
            (schedule("1,1,0,20,18,0,17,59"), false, Expected::Now(LikelyCause::NoActiveFrame)),
            (schedule(""), true, Expected::Now(LikelyCause::NoActiveFrame)),
            (schedule("1,1,0,20,0,0,23,59"), true, Expected::Never),
            (none, true, Expected::Unknown),
            (AttentionFacts { mode: Some(Mode::AllDay), ..schedule("") }, true, Expected::Never),
            (AttentionFacts { mode: Some(Mode::Off), ..schedule("") }, true, Expected::Never),
            (AttentionFacts { mode: None, ..schedule("") }, true, Expected::Unknown),
        ],
    );
}

#[test]
fn refill_without_a_reset_is_known_until_the_level_is_reset() {
    let read = |minutes: i64, level: i64, life: f64, fragrance: &str| Observation {
        read_at: at(NOON) + SignedDuration::from_mins(minutes),
        level: Some(level),
        life_hours: Some(life),
        fragrance: Some(fragrance.to_owned()),
        ..observation()
    };
    let after = |reads: Vec<Observation>| {
        let mut facts = healthy();
        reads.into_iter().for_each(|read| facts.memory.observe(read));
        facts
    };
    let cause = LikelyCause::ResetForgotten;
    check(
        AttentionKind::LevelNotReset,
        [
            (after(vec![read(1, 70, 300.0, "Fig")]), false, Expected::Now(cause)),
            (after(vec![read(1, 69, 300.0, "Fig")]), false, Expected::Never),
            (after(vec![read(1, 90, 501.0, "Oak")]), false, Expected::Now(cause)),
            // Another flow rate in the catalogue, and a reset.
            (after(vec![read(1, 90, 501.0, "Fig")]), false, Expected::Never),
            (after(vec![read(1, 100, 0.0, "Fig")]), false, Expected::Never),
            // It may have been reset at any time of the two days without a read.
            (after(vec![read(48 * 60, 95, 60.0, "Fig")]), false, Expected::Never),
            (after(vec![read(1, 70, 300.0, "Fig"), read(2, 69, 310.0, "Fig")]), true, Expected::Now(cause)),
            (after(vec![read(1, 70, 300.0, "Fig"), read(2, 50, 500.0, "Fig")]), true, Expected::Never),
            (after(vec![read(1, 70, 300.0, "Fig"), read(2, 100, 0.0, "Fig")]), true, Expected::Never),
        ],
    );
}

#[test]
fn device_with_twenty_values_of_a_day_that_are_not_stored_needs_attention() {
    let faults = |faults| observed(|it| it.faults = faults);
    let unknown = AttentionFacts { memory: DeviceMemory::default(), ..healthy() };
    check(
        AttentionKind::UnreadableValues,
        [
            (faults(0), true, Expected::Never),
            (faults(19), true, Expected::Never),
            (faults(20), false, Expected::Now(LikelyCause::OtherFirmware)),
            (unknown, true, Expected::Unknown),
        ],
    );
}

#[test]
fn device_whose_connections_replace_each_other_needs_attention() {
    let shared = |shared_identity| observed(|it| it.shared_identity = shared_identity);
    let unknown = AttentionFacts { memory: DeviceMemory::default(), ..healthy() };
    check(
        AttentionKind::SharedIdentity,
        [
            (shared(false), true, Expected::Never),
            (shared(true), false, Expected::Now(LikelyCause::CopiedKey)),
            (unknown, true, Expected::Unknown),
        ],
    );
}

#[test]
fn csp_with_devices_and_without_a_technician_needs_attention() {
    let settings = AttentionSettings::default();
    let disabled = AttentionSettings { disabled: vec![AttentionKind::NoTechnician], ..settings.clone() };
    for (has_devices, has_technician, settings, expected) in [
        (true, false, &settings, true),
        (true, true, &settings, false),
        (false, false, &settings, false),
        (true, false, &disabled, false),
    ] {
        let finding = examine_csp(CspFacts { now: at(NOON), has_devices, has_technician }, settings);
        assert_eq!(matches!(finding, Present { .. }), expected, "{has_devices} {has_technician}");
    }
}

#[test]
fn settings_change_when_items_open() {
    let settings = AttentionSettings { offline_minutes: 30, ..AttentionSettings::default() };
    let facts = offline_since("2026-11-25T11:30:00Z");
    assert!(matches!(examine(AttentionKind::Offline, &facts, &settings, false), Present { .. }));
}

#[test]
fn settings_out_of_range_are_named() {
    assert_eq!(AttentionSettings::default().validate(), Ok(()));
    let settings = AttentionSettings { runs_dry_days: 0, empty_percent: 21, ..AttentionSettings::default() };
    let errors = settings.validate().unwrap_err();
    assert_eq!(errors.keys().collect::<Vec<_>>(), ["emptyPercent", "runsDryDays"]);
    assert_eq!(errors["runsDryDays"], ["must be a whole number from 1 to 60"]);
}

#[test]
fn kinds_and_severities_are_read_back_from_their_stored_form() {
    for kind in AttentionKind::ALL {
        assert_eq!(AttentionKind::from_name(kind.name()), Some(kind));
        assert_eq!(Severity::from_rank(kind.severity().rank()), Some(kind.severity()));
    }
    assert_eq!(AttentionKind::from_name("lost"), None);
    assert_eq!(Severity::from_rank(0), None);
    assert!(Severity::ALL.is_sorted_by_key(|severity| severity.rank()));
}

#[test]
fn memory_is_read_back_and_an_older_form_keeps_what_it_has() {
    let memory = healthy().memory;
    let stored = serde_json::to_string(&memory).unwrap();
    assert_eq!(serde_json::from_str::<DeviceMemory>(&stored).unwrap(), memory);
    assert_eq!(serde_json::from_str::<DeviceMemory>("{}").unwrap(), DeviceMemory::default());
}

#[test]
fn day_end_is_due_only_if_it_may_open_or_close_an_item() {
    let midnight = Some(at("2026-11-26T00:00:00Z"));
    let settings = AttentionSettings::default();
    let day_end = |kind, facts: &AttentionFacts, is_open| day_end(kind, facts, &settings, is_open);
    let use_so_far = |mut facts: AttentionFacts, today: f64| {
        facts.memory.observation.as_mut().unwrap().use_today = Some(today);
        facts
    };
    let (no_use, excess) = (AttentionKind::NoUse, AttentionKind::ExcessUse);
    let unused = use_of_days([0.0, 0.0, 10.0, 10.0, 10.0, 10.0, 10.0]);
    // 71 hours in six days and 94 are too many, as the device may run until midnight.
    let much = use_so_far(use_of_days([20.0, 15.0, 10.0, 10.0, 10.0, 6.0, 10.0]), 11.0);
    let rows = [
        (no_use, healthy(), false, None),
        (no_use, use_so_far(unused.clone(), 0.0), false, midnight),
        (no_use, use_so_far(unused.clone(), 4.0), false, None),
        // The stream has reported four hours since the read.
        (no_use, AttentionFacts { streamed_life: Some(504.0), ..use_so_far(unused.clone(), 0.0) }, false, None),
        (no_use, AttentionFacts { status: Offline, ..use_so_far(unused.clone(), 0.0) }, false, None),
        (no_use, healthy(), true, midnight),
        (excess, healthy(), false, None),
        (excess, much.clone(), false, midnight),
        // At midnight it is known that it did not.
        (excess, AttentionFacts { now: at("2026-11-26T00:00:00Z"), ..much.clone() }, false, None),
        (AttentionKind::Empty, healthy(), true, None),
    ];
    for (kind, facts, is_open, expected) in rows {
        assert_eq!(day_end(kind, &facts, is_open), expected, "{kind:?} {is_open} {facts:?}");
    }
    let disabled = AttentionSettings { disabled: vec![no_use], ..AttentionSettings::default() };
    assert_eq!(super::day_end(no_use, &use_so_far(unused, 0.0), &disabled, false), None);
}
