use std::time::Duration;

use cloud::operator::HistoryPoint;
use cloud::testing::{Fault, TestCloud};
use futures::TryStreamExt;
use jiff::{SignedDuration, Timestamp, Zoned};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::runs_dry::white_tea;
use crate::world::*;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn history(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}/history")
}

async fn read(browser: &mut Browser, query: &str) -> Value {
    let answer = browser.get(&format!("{}{query}", history(NORTH))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

/// The changes of a series: hours before `to`, and the value since then.
fn hours_ago(history: &Value, series: &str, value: &str) -> Vec<(i64, Value)> {
    let at = |text: &Value| text.as_str().unwrap().parse::<Timestamp>().unwrap();
    let to = at(&history["to"]);
    let points = history[series].as_array().unwrap().iter();
    points.map(|point| (to.duration_since(at(&point["at"])).as_hours(), point[value].clone())).collect()
}

fn values(history: &Value, series: &str) -> Vec<(i64, i64)> {
    let points = hours_ago(history, series, "value").into_iter();
    points.map(|(ago, value)| (ago, value.as_i64().unwrap())).collect()
}

#[tokio::test]
async fn history_of_a_silent_device_has_its_initial_values() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    world.clock.advance(HOUR * 5);
    let day = read(&mut browser, "?days=1").await;
    assert_eq!((&day["from"], &day["to"]), (&json!("2026-11-19T15:00:00Z"), &json!("2026-11-20T15:00:00Z")));
    assert_eq!((values(&day, "level"), values(&day, "intensity")), (vec![(5, 64)], vec![(5, 20)]));
    assert_eq!(day["status"], json!([]));
    let whole = read(&mut browser, "").await;
    assert_eq!(whole["from"], "2026-09-21T15:00:00Z", "60 days");
}

#[tokio::test]
async fn each_series_has_its_changes_and_its_starting_value() {
    let world = World::start().await;
    let device = world.cloud.device(NORTH).await;
    for (level, intensity) in [(90, 20), (90, 25), (88, 25), (86, 30)] {
        let generation = device.connect().await;
        device.report(&[("fragrance_remaining", json!(level)), ("intensity", json!(intensity))]).await;
        world.clock.advance(HOUR * 6);
        device.disconnect(generation).await;
        world.clock.advance(HOUR * 6);
    }
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let day = read(&mut browser, "?days=1").await;
    // 30 hours ago, the level was 90 percent.
    assert_eq!(values(&day, "level"), [(24, 88), (12, 86)]);
    assert_eq!(values(&day, "intensity"), [(24, 25), (12, 30)]);
    let online = |ago: i64, online: bool| (ago, json!(online));
    assert_eq!(
        hours_ago(&day, "status", "online"),
        [online(24, true), online(18, false), online(12, true), online(6, false)]
    );
    world.clock.advance(HOUR * 18);
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let quiet = read(&mut browser, "?days=1").await;
    assert_eq!((values(&quiet, "level"), values(&quiet, "intensity")), (vec![(24, 86)], vec![(24, 30)]));
    assert_eq!(hours_ago(&quiet, "status", "online"), [online(24, false)]);
    let since = |history: &Value| history["statusSince"].clone();
    let disconnected = since(&quiet);
    assert_eq!(disconnected, json!((world.clock.now() - HOUR * 24).to_string()), "whatever the range");
    for days in [7, 30] {
        let longer = read(&mut browser, &format!("?days={days}")).await;
        let last = longer["status"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["at"], &last["online"]), (&disconnected, &json!(false)), "{days} days");
    }
    let whole = read(&mut browser, "?days=60").await;
    assert_eq!(values(&whole, "level"), [(66, 90), (42, 88), (30, 86)]);
    assert_eq!(hours_ago(&whole, "status", "online").len(), 8);
    world.clock.advance(HOUR * 48);
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let later = read(&mut browser, "?days=1").await;
    assert_eq!((hours_ago(&later, "status", "online"), since(&later)), (vec![online(24, false)], disconnected));
}

/// A command is not part of the history until the device acknowledges it.
#[tokio::test]
async fn command_takes_effect_at_its_acknowledgement() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    let settings = format!("/api/devices/dsns/{NORTH}/settings");
    device.report(&[("intensity", json!(20))]).await;
    for (input, status) in [(30, Some(200)), (35, Some(500)), (40, None)] {
        world.clock.advance(HOUR);
        assert_eq!(browser.put(&settings, &json!({ "intensity": input })).await.status, 200);
        world.clock.advance(HOUR);
        let (command, ..) = device.pending().await.remove(0);
        if let Some(status) = status {
            device.ack(&command, status, 0).await;
        }
    }
    assert_eq!(values(&read(&mut browser, "?days=1").await, "intensity"), [(6, 20), (4, 30)]);
}

/// The marks, each as hours before `to` and its other members.
fn marks(history: &Value) -> Vec<(i64, Value)> {
    let mut marks = hours_ago(history, "marks", "kind");
    for (mark, given) in marks.iter_mut().zip(history["marks"].as_array().unwrap()) {
        let changes = given["changes"].as_array().unwrap().iter();
        let changes: Vec<_> = changes.map(|it| json!([it["field"], it["before"], it["after"]])).collect();
        mark.1 = json!([given["kind"], given["operation"], changes]);
    }
    marks
}

#[tokio::test]
async fn commands_and_refills_are_marks_of_the_history() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    let path = format!("/api/devices/dsns/{NORTH}");
    device.report(&[("fragrance_remaining", json!(12)), ("cartridge_life", json!(700))]).await;
    world.clock.advance(HOUR);
    assert_eq!(browser.put(&format!("{path}/settings"), &json!({ "intensity": 30, "fan": 2 })).await.status, 200);
    assert_eq!(browser.put(&format!("{path}/settings"), &json!({ "intensity": 51 })).await.status, 422, "no command");
    world.clock.advance(HOUR);
    assert_eq!(browser.put(&format!("{path}/schedule"), &crate::schedule::running_at_noon()).await.status, 200);
    world.clock.advance(HOUR);
    assert_eq!(browser.post(&format!("{path}/fragrance-level/reset"), &Value::Null).await.status, 200);
    world.clock.advance(HOUR);
    for (id, name, value) in device.pending().await {
        device.ack(&id, 200, 0).await;
        device.report(&[(&name, value)]).await;
    }
    world.clock.advance(HOUR);
    let reset = json!([["cartridgeLife", 700.0, 0], ["fragranceRemaining", 12, 100]]);
    let expected = [
        (4, json!(["command", "update_device_settings", [["intensity", 20, 30]]])),
        (3, json!(["command", "update_device_schedule", []])),
        (2, json!(["command", "reset_fragrance_level", reset])),
        (1, json!(["refill", null, [["fragranceRemaining", 12, 100]]])),
    ];
    assert_eq!(marks(&read(&mut browser, "?days=1").await), expected);

    // Every reader of the device sees the marks; only some see the authors of the commands.
    let mut observer = world.signed_in(NORTH_OBSERVER).await;
    let seen = read(&mut observer, "?days=7").await;
    assert_eq!(marks(&seen), expected);
    assert!(!seen.to_string().contains(NORTH_TECH));
    // Earlier marks are not in the range.
    world.clock.advance(HOUR * 21);
    let mut observer = world.signed_in(NORTH_OBSERVER).await;
    let later: Vec<_> = marks(&read(&mut observer, "?days=1").await).into_iter().map(|(ago, _)| ago).collect();
    assert_eq!(later, [24, 23, 22]);
}

/// The kind and author of each mark.
fn authors(history: &Value) -> Vec<(Value, Value)> {
    let marks = history["marks"].as_array().unwrap().iter();
    marks.map(|mark| (mark["kind"].clone(), mark["author"].clone())).collect()
}

#[tokio::test]
async fn history_shows_when_a_device_was_switched_off_and_by_whom() {
    let world = World::start().await;
    let device = world.cloud.device(NORTH).await;
    device.report(&[("current_state", json!(4)), ("schedule_blob", json!("1,1,0,20,0,0,23,59"))]).await;
    world.clock.advance(HOUR * 6);
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = format!("/api/devices/dsns/{NORTH}");
    assert_eq!(browser.put(&format!("{path}/settings"), &json!({ "mode": 1 })).await.status, 200);
    let (command, ..) = device.pending().await.remove(0);
    device.ack(&command, 200, 0).await;
    world.clock.advance(HOUR * 2);
    assert_eq!(browser.put(&path, &json!({ "customer": "Aurora" })).await.status, 200);
    world.clock.advance(HOUR);
    for (reader, is_known) in [(NORTH_ADMIN, true), (OBSERVER, true), (NORTH_OBSERVER, false), (NORTH_TECH, false)] {
        let day = read(&mut world.signed_in(reader).await, "?days=1").await;
        assert_eq!(hours_ago(&day, "activity", "activity"), [(9, json!("running")), (3, json!("off"))], "{reader}");
        let author = is_known.then_some(NORTH_TECH);
        let expected = [(json!("command"), json!(author)), (json!("change"), json!(author))];
        assert_eq!(authors(&day), expected, "{reader}");
    }
}

#[tokio::test]
async fn refused_and_unanswered_commands_are_marks() {
    let world = World::start().await;
    let device = world.cloud.device(NORTH).await;
    device.report(&[("intensity", json!(20)), ("current_state", json!(3))]).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = format!("/api/devices/dsns/{NORTH}");
    assert_eq!(browser.put(&format!("{path}/settings"), &json!({ "intensity": 35 })).await.status, 200);
    let (command, ..) = device.pending().await.remove(0);
    device.ack(&command, 500, 0).await;
    world.clock.advance(HOUR);
    assert_eq!(browser.put(&format!("{path}/schedule"), &crate::schedule::running_at_noon()).await.status, 200);
    world.clock.advance(HOUR);
    let day = read(&mut browser, "?days=1").await;
    let mut failed = marks(&day);
    failed.retain(|(_, mark)| mark[0] != "command");
    let expected = [
        (2, json!(["refused", null, [["intensity", null, 35]]])),
        (1, json!(["unanswered", "update_device_schedule", []])),
    ];
    assert_eq!(failed, expected);
}

#[tokio::test]
async fn csp_sees_no_commands_from_before_it_owned_the_device() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let settings = format!("/api/devices/dsns/{NORTH}/settings");
    assert_eq!(admin.put(&settings, &json!({ "fan": 4 })).await.status, 200);
    crate::jobs::assign(&mut admin, &[NORTH], "South").await;
    assert_eq!(admin.put(&settings, &json!({ "fan": 5 })).await.status, 200);
    let actual = |history: &Value| -> Vec<Value> {
        let commands = marks(history).into_iter().filter(|(_, mark)| mark[0] == "command");
        commands.map(|(_, mark)| mark[2].clone()).collect()
    };
    assert_eq!(actual(&read(&mut admin, "").await), [json!([["fan", 2, 4]]), json!([["fan", 4, 5]])]);
    let mut south = world.signed_in(SOUTH_ADMIN).await;
    assert_eq!(actual(&read(&mut south, "").await), [json!([["fan", 4, 5]])]);
}

#[tokio::test]
async fn series_and_its_calls_are_bounded() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let count = 2_500;
    let point = |n: i32| HistoryPoint {
        dsn: NORTH.to_owned(),
        property: "intensity".to_owned(),
        value: json!(1 + n % 50),
        at: world.clock.now() - SignedDuration::from_mins(10) * (count - n),
    };
    world.cloud.operator().add_history(&world.oem, &(0..count).map(point).collect::<Vec<_>>()).await.unwrap();
    let whole = read(&mut browser, "").await;
    let series = values(&whole, "intensity");
    assert!((500..=1_000).contains(&series.len()), "{}", series.len());
    assert_eq!((series[0].0, series.last().unwrap().0), (2_000 / 6, 0), "the newest 2,000");
    for extreme in [1, 50] {
        assert!(series.iter().any(|(_, value)| *value == extreme), "{extreme}");
    }
    let path = format!("/device/apiv1/dsns/{NORTH}/properties/intensity/datapoints.json");
    assert_eq!(world.cloud.faults().carried_out(&path), 20);
}

#[tokio::test]
async fn cloud_without_connection_history_returns_none() {
    let world = World::start_before(TestCloud::start_plain().await, |_| {}).await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    world.cloud.device(NORTH).await.connect().await;
    let day = read(&mut browser, "?days=1").await;
    assert_eq!((values(&day, "intensity"), &day["status"]), (vec![(0, 20)], &Value::Null));
}

#[tokio::test]
async fn history_requires_the_right_to_view_the_device() {
    let world = World::start().await;
    for (email, dsn, status) in [
        (ADMIN, OWNED, 200),
        (OBSERVER, SOUTH, 200),
        (NORTH_TECH, NORTH, 200),
        (NORTH_ADMIN, SOUTH, 404),
        (END_USER, OWNED, 404),
        (NO_ROLE, NORTH, 404),
        (ADMIN, STOCK, 404),
        (ADMIN, "SC-NONE", 404),
    ] {
        assert_eq!(world.signed_in(email).await.get(&history(dsn)).await.status, status, "{email} {dsn}");
    }
    assert_eq!(world.browser().get(&history(NORTH)).await.status, 401);
}

#[tokio::test]
async fn history_accepts_1_to_60_days() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    for query in ["days=0", "days=61", "days=-1", "days=1.5", "days=week", "days=999999999999", "days=1&days=1"] {
        let answer = browser.get(&format!("{}?{query}", history(NORTH))).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["days"]), "{query}");
    }
    for query in ["days=1", "days=60", "days=", "unknown=1"] {
        assert_eq!(browser.get(&format!("{}?{query}", history(NORTH))).await.status, 200, "{query}");
    }
}

#[tokio::test]
async fn cloud_failure_at_any_read_fails_the_history() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let pass = Fault::Delay(Duration::ZERO);
    for passed in 0..7 {
        for fault in std::iter::repeat_n(pass, passed).chain([Fault::UnprocessableEntity]) {
            world.cloud.faults().push(fault);
        }
        let answer = browser.get(&history(NORTH)).await;
        assert_eq!((answer.status, answer.code()), (502, "cloud_failed"), "{passed}");
        assert_eq!(world.cloud.faults().waiting(), 0, "{passed}");
    }
    assert_eq!(browser.get(&history(NORTH)).await.status, 200);
}

/// The figures of the last week are those of the cloud's history of the counter, the mode and the schedule.
#[tokio::test]
async fn last_week_is_what_the_history_of_the_cloud_says() {
    let world = World::start().await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    let device = world.cloud.device(NORTH).await;
    let generation = device.connect().await;
    let first: Timestamp = "2026-11-21T00:00:00Z".parse().unwrap();
    // The Tuesday after the week that begins on Monday, November 23.
    world.clock.advance("2026-12-01T12:00:00Z".parse::<Timestamp>().unwrap().duration_since(world.clock.now()));
    let point = |property: &str, value: Value, at| HistoryPoint {
        dsn: NORTH.to_owned(),
        property: property.to_owned(),
        value,
        at,
    };
    // Every day from 9 to 17 o'clock in Oslo, an hour behind.
    let schedule = point("schedule_blob", json!("1,1,0,20,9,0,16,59"), first);
    let mut points =
        vec![schedule, point("current_state", json!(4), first), point("cartridge_life", json!(0.0), first)];
    let mut life = 0.0;
    for day in 0..10 {
        // Friday passes without power for the pump.
        points.push(point("cartridge_life", json!(life), first + HOUR * (day * 24 + 8)));
        for hour in (9..=16).filter(|_| day != 6) {
            life += if day == 8 { 0.5 } else { 1.0 };
            points.push(point("cartridge_life", json!(life), first + HOUR * (day * 24 + hour)));
        }
    }
    world.cloud.operator().add_history(&world.oem, &points).await.unwrap();

    let cloud = world.cloud_as(NORTH_OBSERVER).await;
    let counter: Vec<_> = cloud.datapoints().list(NORTH, "cartridge_life").history().try_collect().await.unwrap();
    let at_midnight = |day: &str| {
        let midnight = format!("{day}T00:00:00[Europe/Oslo]").parse::<Zoned>().unwrap().timestamp();
        let held = counter.iter().filter(|it| it.created_at.unwrap().unix_micros() <= midnight.as_microsecond());
        let held = held.max_by_key(|it| it.created_at.unwrap().unix_micros()).unwrap();
        held.value.as_ref().unwrap().as_f64().unwrap()
    };
    let ran = at_midnight("2026-11-30") - at_midnight("2026-11-23");
    assert_eq!(ran, 44.0, "five days of 8 hours, and one of 4");
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    for days in [1, 60] {
        let week = read(&mut browser, &format!("?days={days}")).await["lastWeek"].clone();
        let (from, to) = ("2026-11-22T23:00:00Z", "2026-11-29T23:00:00Z");
        let expected = json!({ "from": from, "to": to, "ranHours": ran, "plannedHours": 56.0, "usedMl": ran * 1.0 });
        assert_eq!(week, expected, "{days} days");
    }
    // Nobody knows what it did after it went offline.
    world.clock.advance(HOUR);
    device.disconnect(generation).await;
    world.clock.advance(HOUR * 24 * 7);
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let week = read(&mut browser, "?days=1").await["lastWeek"].clone();
    let (from, to) = ("2026-11-29T23:00:00Z", "2026-12-06T23:00:00Z");
    let expected = json!({ "from": from, "to": to, "ranHours": null, "plannedHours": 56.0, "usedMl": null });
    assert_eq!(week, expected);
}
