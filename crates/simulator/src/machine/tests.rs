use diffuser::{Mode, OffCycle, SystemConfiguration};
use jiff::ToSpan;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A Monday, in winter time.
const START: &str = "2026-11-23T00:00:00Z";
/// Weekdays 8 to 18 at 30, weekend 10 to 14 at 20, and Sundays from 2 to 3, the hour of daylight-saving changes.
const WEEK: &str = "1,1,9,30,8,0,17,59,2,1,8,20,10,0,13,59,3,1,7,5,2,0,2,59";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn zone(name: &str) -> Option<TimeZone> {
    Some(TimeZone::get(name).unwrap())
}

fn state(mode: Mode) -> State {
    State {
        mode,
        intensity: 20,
        schedule_blob: Some(WEEK.to_owned()),
        time_zone: zone("Europe/Paris").unwrap(),
        ..State::new(SystemConfiguration::Aq380)
    }
}

fn machine(mode: Mode, now: Timestamp) -> Machine {
    Machine::new(state(mode), None, now, LIFE_REPORT_INTERVAL)
}

fn command(property: &str, value: Value) -> Input {
    Input::Command(Command { id: "c1".to_owned(), property: property.to_owned(), value })
}

/// The reported properties as JSON, or `null` without a report.
fn report(effects: &[Effect]) -> Value {
    match effects {
        [] | [Effect::Ack(_)] => Value::Null,
        [Effect::Report(report)] | [Effect::Ack(_), Effect::Report(report)] => json!(report.properties),
        _ => panic!("one acknowledgement and one report at most: {effects:?}"),
    }
}

/// Steps the machine whenever it is due until `end`, and returns each reported frame with its time.
fn frames_until(machine: &mut Machine, end: Timestamp) -> Vec<(String, u64)> {
    let mut frames = Vec::new();
    while machine.due() < end {
        let now = machine.due();
        let report = report(&machine.step(Input::Time, now));
        if let Some(frame) = report["current_schedule_running"].as_u64() {
            frames.push((now.to_string(), frame));
        }
    }
    machine.step(Input::Time, end);
    frames
}

fn frames(rows: &[(&str, u64)]) -> Vec<(String, u64)> {
    rows.iter().map(|(at, frame)| (format!("{at}:00Z"), *frame)).collect()
}

#[test]
fn schedule_follows_local_time_when_summer_time_ends() {
    let mut machine = machine(Mode::Run, at("2026-10-21T22:00:00Z"));
    let ran = frames_until(&mut machine, at("2026-10-28T23:00:00Z"));
    let expected = [
        ("2026-10-22T06:00", 1),
        ("2026-10-22T16:00", 0),
        ("2026-10-23T06:00", 1),
        ("2026-10-23T16:00", 0),
        ("2026-10-24T08:00", 2),
        ("2026-10-24T12:00", 0),
        // In Paris the hour from 2 to 3 occurs twice.
        ("2026-10-25T00:00", 3),
        ("2026-10-25T02:00", 0),
        ("2026-10-25T09:00", 2),
        ("2026-10-25T13:00", 0),
        ("2026-10-26T07:00", 1),
        ("2026-10-26T17:00", 0),
        ("2026-10-27T07:00", 1),
        ("2026-10-27T17:00", 0),
        ("2026-10-28T07:00", 1),
        ("2026-10-28T17:00", 0),
    ];
    assert_eq!(ran, frames(&expected));
    let lives = machine.state().lives().map(|(_, hours)| hours.get());
    assert_eq!(lives, [7.0 * 24.0 + 1.0, 5.0 * 10.0 + 2.0 * 4.0 + 2.0, 60.0]);
}

#[test]
fn schedule_skips_the_hour_when_summer_time_begins() {
    let mut machine = machine(Mode::Run, at("2027-03-27T00:00:00Z"));
    let ran = frames_until(&mut machine, at("2027-03-28T22:00:00Z"));
    let expected = [("2027-03-27T09:00", 2), ("2027-03-27T13:00", 0), ("2027-03-28T08:00", 2), ("2027-03-28T12:00", 0)];
    assert_eq!(ran, frames(&expected));
}

#[test]
fn life_counters_follow_the_mode() {
    let rows = [
        (Mode::Off, [24.0, 0.0, 0.0]),
        (Mode::Two, [24.0, 0.0, 0.0]),
        (Mode::AllDay, [24.0, 24.0, 24.0]),
        (Mode::Run, [24.0, 10.0, 10.0]),
    ];
    for (mode, expected) in rows {
        let mut machine = machine(mode, at(START));
        machine.step(Input::Time, at(START) + 24.hours());
        assert_eq!(machine.state().lives().map(|(_, hours)| hours.get()), expected, "{mode:?}");
    }
}

#[test]
fn life_counters_are_reported_every_15_minutes_and_on_start_and_stop() {
    let mut machine = machine(Mode::Run, at("2026-11-23T06:40:00Z"));
    machine.step(Input::Connected, at("2026-11-23T06:40:00Z"));
    let mut reported = Vec::new();
    while machine.due() < at("2026-11-23T07:20:00Z") {
        let now = machine.due();
        reported.push((now.to_string(), report(&machine.step(Input::Time, now))));
    }
    let expected = [
        ("2026-11-23T06:55:00Z", json!({"appliance_life": 0.25})),
        ("2026-11-23T07:00:00Z", json!({"appliance_life": 0.33, "current_schedule_running": 1})),
        ("2026-11-23T07:10:00Z", json!({"appliance_life": 0.5, "pump_life": 0.16, "cartridge_life": 0.16})),
    ];
    assert_eq!(reported, expected.map(|(at, report)| (at.to_owned(), report)));
    let ended = machine.step(Input::Time, at("2026-11-23T17:00:00Z"));
    let expected = json!({
        "appliance_life": 10.33, "pump_life": 10.0, "cartridge_life": 10.0, "current_schedule_running": 0,
    });
    assert_eq!(report(&ended), expected);
}

#[test]
fn changes_of_mode_schedule_zone_and_clock_apply_immediately() {
    // 8:30 in Paris.
    let now = at("2026-11-23T07:30:00Z");
    let here = |mode| machine(mode, now);
    let settings = |time_zone, time: Option<&str>| Input::Settings { time_zone, time: time.map(at) };
    let rows = [
        (
            here(Mode::Off),
            command("current_state", json!(4)),
            json!({"current_state": 4, "current_schedule_running": 1}),
        ),
        (
            here(Mode::Run),
            command("current_state", json!(1)),
            json!({"current_state": 1, "current_schedule_running": 0}),
        ),
        (
            here(Mode::Run),
            command("current_state", json!(3)),
            json!({"current_state": 3, "current_schedule_running": 0}),
        ),
        (
            here(Mode::Run),
            command("schedule_blob", json!("1,0,0,1,0,0,0,0,2,1,1,9,8,30,8,30")),
            json!({"schedule_blob": "1,0,0,1,0,0,0,0,2,1,1,9,8,30,8,30", "current_schedule_running": 2}),
        ),
        (here(Mode::Run), settings(zone("Europe/London"), None), json!({"current_schedule_running": 0})),
        (here(Mode::Run), settings(None, Some("2026-11-22T09:30:00Z")), json!({"current_schedule_running": 2})),
        (here(Mode::Run), settings(zone("Europe/Berlin"), Some("2026-11-23T07:30:04Z")), Value::Null),
        (here(Mode::Run), settings(None, None), Value::Null),
        (here(Mode::Run), command("intensity", json!(7)), json!({"intensity": 7})),
    ];
    for (mut machine, input, expected) in rows {
        assert_eq!(report(&machine.step(input.clone(), now)), expected, "{input:?}");
    }
}

#[test]
fn clock_set_by_the_cloud_shifts_the_schedule_but_not_the_life_counters() {
    let mut machine = machine(Mode::Run, at("2030-01-01T00:00:00Z"));
    let time = Some(at("2026-11-23T06:59:30Z"));
    machine.step(Input::Settings { time_zone: None, time }, at("2030-01-01T00:00:00Z"));
    assert_eq!(machine.due(), at("2030-01-01T00:00:30Z"));
    let nearly_the_same = Some(at("2026-11-23T06:59:29Z"));
    machine.step(Input::Settings { time_zone: None, time: nearly_the_same }, at("2030-01-01T00:00:01Z"));
    assert_eq!(machine.due(), at("2030-01-01T00:00:30Z"));
    let began = machine.step(Input::Time, at("2030-01-01T00:00:30Z"));
    assert_eq!(report(&began), json!({"current_schedule_running": 1}));
    assert_eq!(machine.state().appliance_life.get(), 0.0);
}

#[test]
fn cartridge_reset_does_not_reset_the_pump_counter() {
    let mut machine = machine(Mode::AllDay, at(START));
    let noon = at(START) + 12.hours();
    let effects = machine.step(command("cartridge_life", json!(0)), noon);
    assert_eq!(effects[0], Effect::Ack(Ack::done("c1".to_owned())));
    assert_eq!(report(&effects)["cartridge_life"], json!(0.0));
    machine.step(Input::Time, noon + 1.hour());
    assert_eq!(machine.state().lives().map(|(_, hours)| hours.get()), [13.0, 13.0, 1.0]);
}

#[test]
fn rejected_command_is_acknowledged_and_changes_nothing() {
    let mut machine = machine(Mode::AllDay, at(START));
    let before = machine.clone();
    let effects = machine.step(command("intensity", json!(51)), at(START));
    let refused = Ack::refused("c1".to_owned(), "Intensity must be between 1 and 50".to_owned());
    assert_eq!((effects, machine), (vec![Effect::Ack(refused)], before));
}

#[test]
fn connecting_reports_everything_and_leaving_only_changes() {
    let mut machine = machine(Mode::Run, at("2026-11-23T07:00:00Z"));
    let reported = report(&machine.step(Input::Connected, at("2026-11-23T07:00:40Z")));
    let expected = json!({
        "schedule_blob": WEEK, "current_state": 4, "cycle": 3, "intensity": 20, "fan": 0, "fragrance_remaining": 100,
        "clock_mode": 0, "appliance_life": 0.01, "pump_life": 0.01, "cartridge_life": 0.01, "current_schedule_running": 1,
    });
    assert_eq!(reported, expected);
    assert_eq!(machine.step(Input::Leaving, at("2026-11-23T07:00:50Z")), []);
    let reported = report(&machine.step(Input::Leaving, at("2026-11-23T07:01:12Z")));
    assert_eq!(reported, json!({"appliance_life": 0.02, "pump_life": 0.02, "cartridge_life": 0.02}));
}

#[test]
fn restarted_simulator_continues_from_the_last_report() {
    let mut first = machine(Mode::Run, at(START));
    first.step(Input::Connected, at(START));
    let cut = at(START) + 9.hours() + 3.minutes();
    first.step(Input::Leaving, cut);

    let mut restored = State { time_zone: zone("Europe/Paris").unwrap(), ..State::new(SystemConfiguration::Aq380) };
    let reported = first.state().values();
    restored.restore(reported.iter().map(|(name, value)| (*name, value)));
    let mut second = Machine::new(restored, None, cut, LIFE_REPORT_INTERVAL);
    let end = at(START) + 7 * 24.hours();
    first.step(Input::Time, end);
    second.step(Input::Time, end);
    assert_eq!(second.state(), first.state());
}

fn inputs() -> impl Strategy<Value = Input> {
    const ZONES: &[&str] = &["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe"];
    const BLOBS: &[&str] = &[WEEK, "", "1,1,0,9,0,0,23,59", "1,1,0,9,12,0,12,0,2,1,8,3,5,0,6,0"];
    prop_oneof![
        6 => Just(Input::Time),
        1 => Just(Input::Connected),
        2 => prop_oneof![Just(1), Just(3), Just(4)].prop_map(|mode| command("current_state", json!(mode))),
        1 => (1..=3).prop_map(|cycle| command("cycle", json!(cycle))),
        1 => proptest::sample::select(BLOBS).prop_map(|blob| command("schedule_blob", json!(blob))),
        1 => proptest::sample::select(ZONES)
            .prop_map(|name| Input::Settings { time_zone: zone(name), time: None }),
        1 => (-1_000_000..1_000_000i64)
            .prop_map(|off| Input::Settings { time_zone: None, time: Some(at(START) + SignedDuration::from_secs(off)) }),
    ]
}

proptest! {
    #[test]
    fn life_counters_never_decrease_or_outrun_time(
        steps in proptest::collection::vec((inputs(), -90_000..400_000i64), 1..40),
    ) {
        let mut now = at(START);
        let mut machine = machine(Mode::Run, now);
        for (input, seconds) in steps {
            let before = machine.state().clone();
            let then = now + SignedDuration::from_secs(seconds);
            machine.step(input, then);
            let most = Duration::try_from(then.duration_since(now)).unwrap_or_default();
            let after = machine.state();
            for ((name, before), (_, after)) in before.lives().into_iter().zip(after.lives()) {
                let mut fastest = before;
                fastest.count(most);
                prop_assert!(before <= after && after <= fastest, "{}", name);
            }
            prop_assert!(after.pump_life <= after.appliance_life);
            prop_assert_eq!(machine.running(), after.running(shifted(then, machine.ahead)));
            prop_assert!(machine.due() > then);
            now = then;
        }
    }

    #[test]
    fn life_counters_do_not_depend_on_step_times(
        steps in proptest::collection::vec((inputs(), 0..200_000i64), 1..15),
        looks in proptest::collection::vec(0..200_000i64, 0..40),
    ) {
        let (mut seen, mut alone) = (machine(Mode::Run, at(START)), machine(Mode::Run, at(START)));
        let mut now = at(START);
        let mut looks = looks.into_iter();
        for (input, seconds) in steps {
            let then = now + SignedDuration::from_secs(seconds);
            for look in looks.by_ref().take(3).filter(|look| *look < seconds).collect::<std::collections::BTreeSet<_>>() {
                seen.step(Input::Time, now + SignedDuration::from_secs(look));
            }
            seen.step(input.clone(), then);
            alone.step(input, then);
            prop_assert_eq!(seen.state(), alone.state());
            prop_assert_eq!(seen.running(), alone.running());
            now = then;
        }
    }

    #[test]
    fn cartridge_life_can_be_written(hours in 0.0..1e6f64, ran in 0..1000u32) {
        let mut machine = Machine::new(state(Mode::AllDay), None, at(START), LIFE_REPORT_INTERVAL);
        let then = at(START) + Duration::from_secs(u64::from(ran));
        machine.step(command("cartridge_life", json!(hours)), then);
        prop_assert!((machine.state().cartridge_life.get() - hours).abs() <= 0.005 + 1e-9);
        prop_assert_eq!(machine.state().pump_life.hundredths(), ran / 36);
    }
}

#[test]
fn longer_off_cycle_limits_the_intensity_of_a_frame() {
    let aq290 = State { configuration: SystemConfiguration::Aq290, cycle: OffCycle::VeryShort, ..state(Mode::Run) };
    let blob = Some("1,1,0,50,0,0,23,59".to_owned());
    let mut machine = Machine::new(State { schedule_blob: blob, ..aq290 }, None, at(START), LIFE_REPORT_INTERVAL);
    assert_eq!(machine.running(), Some(Running { frame: Some(1), intensity: 49 }));
    machine.step(command("cycle", json!(3)), at(START));
    assert_eq!(machine.running(), Some(Running { frame: Some(1), intensity: 40 }));
}

fn faulty(mode: Mode, fault: Fault) -> Machine {
    let state = State { cartridge_life: Hours::new(500.0).unwrap(), ..state(mode) };
    Machine::new(state, Some(fault), at(START), LIFE_REPORT_INTERVAL)
}

/// The cartridge life after so many hours.
fn life_after(machine: &mut Machine, hours: i64) -> f64 {
    machine.step(Input::Time, at(START) + hours.hours());
    machine.state().cartridge_life.get()
}

#[test]
fn clogged_diffuser_runs_without_use_until_its_cartridge_is_reset() {
    let mut machine = faulty(Mode::AllDay, Fault::Clogged);
    assert_eq!(life_after(&mut machine, 10), 500.0);
    assert!(machine.running().is_some());
    machine.step(command("cartridge_life", json!(0)), at(START) + 10.hours());
    assert_eq!(life_after(&mut machine, 15), 5.0);
}

#[test]
fn stuck_diffuser_runs_all_day_until_it_gets_another_schedule() {
    let mut machine = faulty(Mode::Run, Fault::StuckOn);
    assert_eq!(life_after(&mut machine, 24), 524.0);
    machine.step(command("intensity", json!(10)), at(START) + 24.hours());
    assert_eq!(life_after(&mut machine, 48), 548.0);
    machine.step(command("schedule_blob", json!(WEEK)), at(START) + 48.hours());
    // Ten hours of a Wednesday.
    assert_eq!(life_after(&mut machine, 72), 558.0);
}

#[test]
fn hanging_diffuser_answers_an_hour_and_a_half_later() {
    let mut machine = faulty(Mode::AllDay, Fault::Hangs);
    let later = at(START) + 1.hour();
    // The cloud repeats it after a connect.
    for at in [later, later + 1.minute()] {
        let effects = machine.step(command("intensity", json!(10)), at);
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::Ack(_))));
    }
    while machine.due() < later + 90.minutes() {
        let effects = machine.step(Input::Time, machine.due());
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::Ack(_))));
    }
    assert_eq!(machine.due(), later + 90.minutes());
    let effects = machine.step(Input::Time, machine.due());
    assert_eq!(effects.iter().filter(|effect| matches!(effect, Effect::Ack(ack) if ack.status == 200)).count(), 1);
    assert_eq!(machine.state().intensity, 10);
    let effects = machine.step(command("intensity", json!(11)), later + 2.hours());
    assert!(matches!(effects[0], Effect::Ack(_)), "it is repaired");
}

#[test]
fn refilled_cartridge_has_fewer_hours_but_not_none() {
    let mut machine = faulty(Mode::Off, Fault::RefilledWithoutReset);
    assert_eq!(machine.due(), at(START) + 10.minutes());
    assert_eq!(report(&machine.step(Input::Time, machine.due()))["cartridge_life"], json!(150.0));
    assert!(machine.due() > at(START) + 10.minutes());
    assert_eq!(life_after(&mut machine, 24), 150.0);
}
