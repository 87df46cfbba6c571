//! Undo of a reset of the fragrance level (U-03).

use std::time::Duration;

use cloud::testing::{Fault, TestCloud};
use platform::db::params;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::killable_console::KillableConsole;
use crate::world::*;

const PASS: Fault = Fault::Delay(Duration::ZERO);
const CHANGED: &str = "The fragrance level was changed since. Undo would overwrite that.";
const RESET_AGAIN: &str = "The fragrance level was reset again since.";
const REPORTED: &str = "The device has reported new values since the reset. Undo would overwrite them.";
const UNDONE: &str = "This reset has been undone already.";

/// Reports 412.5 hours of use and 37 percent left.
async fn report_usage(world: &World) {
    let device = world.cloud.device(NORTH).await;
    device.report(&[("cartridge_life", json!(412.5)), ("fragrance_remaining", json!(37))]).await;
}

async fn reset(browser: &mut Browser) -> Value {
    let answer = browser.post(&format!("/api/devices/dsns/{NORTH}/fragrance-level/reset"), &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["reset"].clone()
}

fn path(reset: &Value) -> String {
    let id = reset["undo"]["id"].as_str().expect("a reset that can be undone");
    format!("/api/devices/dsns/{NORTH}/fragrance-level/resets/{id}/undo")
}

async fn undo(browser: &mut Browser, reset: &Value) -> Answer {
    browser.post(&path(reset), &Value::Null).await
}

async fn refusal(browser: &mut Browser, reset: &Value) -> String {
    let answer = undo(browser, reset).await;
    assert_eq!((answer.status, answer.code()), (409, "conflict"), "{}", answer.body);
    answer.body["detail"].as_str().unwrap().to_owned()
}

fn level(page: &Value) -> (&Value, &Value) {
    (&page["cartridgeLife"], &page["fragranceRemaining"])
}

/// Lets the device carry out its pending commands, and returns them.
async fn carry_out_commands(world: &World) -> Vec<(String, Option<f64>)> {
    let device = world.cloud.device(NORTH).await;
    let pending = device.pending().await;
    for (id, name, value) in &pending {
        device.ack(id, 200, 0).await;
        device.report(&[(name, value.clone())]).await;
    }
    pending.into_iter().map(|(_, name, value)| (name, value.as_f64())).collect()
}

fn written(life: f64, remaining: f64) -> Vec<(String, Option<f64>)> {
    vec![("cartridge_life".to_owned(), Some(life)), ("fragrance_remaining".to_owned(), Some(remaining))]
}

#[tokio::test]
async fn undo_restores_the_cartridge_life_and_the_level() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    report_usage(&world).await;
    let done = reset(&mut browser).await;
    assert_eq!(
        (&done["cartridgeLife"], &done["fragranceRemaining"]),
        (&json!(412.5), &json!(37)),
        "the values before the reset"
    );
    assert_eq!(done["undo"]["until"], "2026-11-20T10:00:30Z");
    assert_eq!(carry_out_commands(&world).await, written(0.0, 100.0));
    // The device continues to run.
    world.cloud.device(NORTH).await.report(&[("cartridge_life", json!(0.01))]).await;
    world.pass_seconds(29);

    let undone = undo(&mut browser, &done).await;
    assert_eq!(undone.status, 200, "{}", undone.body);
    assert_eq!(level(&undone.body), (&json!(412.5), &json!(37)));
    assert_eq!(undone.body["commands"]["cartridgeLife"]["state"], "pending");
    assert_eq!(browser.listed(NORTH).await["fragranceRemaining"], 37, "the list knows it before the answer");
    assert_eq!(carry_out_commands(&world).await, written(412.5, 37.0));
    let page = browser.device(NORTH).await;
    assert_eq!(level(&page), (&json!(412.5), &json!(37)));
    for value in ["cartridgeLife", "fragranceRemaining"] {
        assert_eq!(page["commands"][value]["state"], "acknowledged", "{value}");
    }

    let audit = world.signed_in(ADMIN).await.get(&format!("/api/audit?target={NORTH}")).await.body;
    let actual = |at: usize| {
        let entry = &audit["entries"][at];
        let changes = entry["changes"].as_array().unwrap().iter();
        let changes: Vec<_> = changes.map(|it| json!([it["field"], it["before"], it["after"], it["saved"]])).collect();
        (entry["operation"].as_str().unwrap(), entry["actor"]["email"].as_str().unwrap(), changes)
    };
    let back = vec![json!(["cartridgeLife", 0.01, 412.5, true]), json!(["fragranceRemaining", 100, 37, true])];
    assert_eq!(actual(0), ("undo_fragrance_level_reset", NORTH_TECH, back));
    assert_eq!(actual(1).0, "reset_fragrance_level");
}

#[tokio::test]
async fn undone_reset_never_reaches_an_offline_device() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    report_usage(&world).await;
    let done = reset(&mut browser).await;
    assert_eq!(undo(&mut browser, &done).await.status, 200);
    assert_eq!(
        carry_out_commands(&world).await,
        written(412.5, 37.0),
        "the newer command takes the place of the older"
    );
}

#[tokio::test]
async fn undo_restores_the_level_that_the_page_showed() {
    let world = World::start().await;
    let flow = [Some(0.5), Some(0.25), None, Some(1.0), Some(1.1), Some(1.9), Some(2.0)];
    let fragrance = diffuser::Fragrance { name: "White Tea".to_owned(), sku: "WT".to_owned(), density: 1.0, flow };
    world.console.add_missing_fragrances(&[fragrance]).await.unwrap();
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.cloud.device(NORTH).await.report(&[("cartridge_life", json!(400))]).await;
    assert_eq!(browser.device(NORTH).await["fragranceRemaining"], 80, "computed; the device stores 64");
    let done = reset(&mut browser).await;
    assert_eq!(done["fragranceRemaining"], 80);
    let page = undo(&mut browser, &done).await.body;
    assert_eq!(level(&page), (&json!(400.0), &json!(80)));
}

async fn undo_is_possible_as_long_as_the_device_reports_nothing_new_and_once(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    report_usage(&world).await;
    assert_eq!(browser.device(NORTH).await["undoableReset"], Value::Null, "nothing was reset");
    let done = reset(&mut browser).await;
    carry_out_commands(&world).await;
    let undoable = json!({ "id": done["undo"]["id"], "cartridgeLife": 412.5, "fragranceRemaining": 37 });
    assert_eq!(browser.device(NORTH).await["undoableReset"], undoable);
    let observed = world.signed_in(NORTH_OBSERVER).await.device(NORTH).await;
    assert_eq!(observed["undoableReset"], Value::Null, "an observer cannot undo it");
    world.pass_seconds(3 * 24 * 3600);
    let mut browser = world.signed_in(NORTH_TECH).await;
    assert_eq!(browser.device(NORTH).await["undoableReset"], undoable, "days later");
    let undone = undo(&mut browser, &done).await;
    assert_eq!((undone.status, level(&undone.body)), (200, (&json!(412.5), &json!(37))));
    assert_eq!(undone.body["undoableReset"], Value::Null);
    assert_eq!(refusal(&mut browser, &done).await, UNDONE);

    carry_out_commands(&world).await;
    let done = reset(&mut browser).await;
    carry_out_commands(&world).await;
    world.pass_seconds(29);
    world.cloud.device(NORTH).await.report(&[("cartridge_life", json!(0.01))]).await;
    assert_eq!(browser.device(NORTH).await["undoableReset"]["id"], done["undo"]["id"], "within 30 seconds");
    world.pass_seconds(1);
    assert_eq!(browser.device(NORTH).await["undoableReset"], Value::Null);
    assert_eq!(refusal(&mut browser, &done).await, REPORTED);
    assert_eq!(level(&browser.device(NORTH).await), (&json!(0.01), &json!(100)), "the reset stays");

    report_usage(&world).await;
    carry_out_commands(&world).await;
    report_usage(&world).await;
    let done = reset(&mut browser).await;
    assert_eq!(undo(&mut browser, &done).await.status, 200);
    assert_eq!(refusal(&mut browser, &done).await, UNDONE);
    assert_eq!(level(&browser.device(NORTH).await), (&json!(412.5), &json!(37)));
}

#[tokio::test]
async fn undo_keeps_later_changes_of_others() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let other = world.cloud_as(ADMIN).await;
    for (property, value) in
        [("cartridge_life", 7.5.into()), ("cartridge_life", 0.into()), ("fragrance_remaining", 55.into())]
    {
        carry_out_commands(&world).await;
        report_usage(&world).await;
        let done = reset(&mut browser).await;
        world.pass_seconds(1);
        let value: devicecloud::PropertyValue = value;
        other.datapoints().create(NORTH, property, value.clone()).send().await.unwrap();
        assert_eq!(refusal(&mut browser, &done).await, CHANGED, "{property} {value:?}");
        world.pass_seconds(30);
    }
    let reported = world.cloud.device(NORTH).await.pending().await;
    assert!(reported.iter().all(|(.., value)| value != &json!(412.5)), "{reported:?}");
}

#[tokio::test]
async fn second_reset_replaces_the_undo() {
    let world = World::start().await;
    let (mut first, mut second) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    report_usage(&world).await;
    let [earlier, later] = [reset(&mut first).await, reset(&mut second).await];
    assert_eq!(
        later["cartridgeLife"], 412.5,
        "it restores the values from before the first reset, whose response may be lost"
    );
    assert_eq!(refusal(&mut first, &earlier).await, RESET_AGAIN);
    // Every user who may reset the level may undo a reset.
    let page = undo(&mut first, &later).await.body;
    assert_eq!(level(&page), (&json!(412.5), &json!(37)));
    assert_eq!(refusal(&mut second, &later).await, UNDONE);
}

#[tokio::test]
async fn unknown_level_before_a_reset_cannot_be_restored() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let expected = json!({ "cartridgeLife": null, "fragranceRemaining": 64, "undo": null });
    assert_eq!(reset(&mut browser).await, expected);
}

#[tokio::test]
async fn interrupted_undo_is_reported_and_can_be_repeated() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    report_usage(&world).await;
    let done = reset(&mut browser).await;
    // Requests: the read, the hours. The level fails.
    for fault in [PASS, PASS, Fault::Drop] {
        world.cloud.faults().push(fault);
    }
    let answer = undo(&mut browser, &done).await;
    assert_eq!((answer.status, answer.fields()), (502, vec!["fragranceRemaining"]));
    let page = undo(&mut browser, &done).await.body;
    assert_eq!(level(&page), (&json!(412.5), &json!(37)));
}

#[tokio::test]
async fn undo_requires_the_right_to_edit_the_device() {
    let world = World::start().await;
    report_usage(&world).await;
    let done = reset(&mut world.signed_in(NORTH_TECH).await).await;
    for (email, status) in [(NORTH_OBSERVER, 403), (OBSERVER, 403), (SOUTH_ADMIN, 404), (END_USER, 404), (NO_ROLE, 404)]
    {
        assert_eq!(undo(&mut world.signed_in(email).await, &done).await.status, status, "{email}");
    }
    assert_eq!(undo(&mut world.browser(), &done).await.status, 401);
    let mut admin = world.signed_in(ADMIN).await;
    let foreign = admin.request(reqwest::Method::POST, &path(&done)).header("origin", "https://evil.example");
    assert_eq!(admin.send(foreign).await.status, 403);
    let of = |dsn: &str, id: &str| format!("/api/devices/dsns/{dsn}/fragrance-level/resets/{id}/undo");
    let id = done["undo"]["id"].as_str().unwrap();
    let long = "a".repeat(4000);
    let never = "00000000-0000-4000-8000-000000000000";
    for path in
        [of(SOUTH, id), of("SC-NONE", id), of(NORTH, "none"), of(NORTH, "%00"), of(NORTH, &long), of(SOUTH, never)]
    {
        assert_eq!(admin.post(&path, &Value::Null).await.status, 404, "{path:.90}");
    }
    assert_eq!(admin.post(&of(NORTH, never), &Value::Null).await.status, 409, "not the newest reset");
    assert_eq!(level(&admin.device(NORTH).await), (&json!(0.0), &json!(100)));
    assert_eq!(undo(&mut admin, &done).await.status, 200);
}

#[tokio::test]
async fn undo_works_with_a_cloud_that_shows_no_commands() {
    let world = World::start_before(TestCloud::start_plain().await, |_| {}).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    report_usage(&world).await;
    let done = reset(&mut browser).await;
    let page = undo(&mut browser, &done).await.body;
    assert_eq!(level(&page), (&json!(412.5), &json!(37)));
}

async fn reset_is_undone_on_another_node_and_after_a_restart(database: TestDb) {
    let world = World::start_on(&database).await;
    let killable_console = KillableConsole::start(&world).await;
    let browser = world.signed_in(NORTH_TECH).await;
    report_usage(&world).await;
    let done = reset(&mut browser.at(killable_console.console.addr())).await;
    killable_console.kill();
    let restarted = world.another_console(|_| {}).await;
    let page = undo(&mut browser.at(restarted.addr()), &done).await.body;
    assert_eq!(level(&page), (&json!(412.5), &json!(37)));
    assert_eq!(refusal(&mut browser.clone(), &done).await, UNDONE);
}

async fn old_resets_are_deleted(database: TestDb) {
    let world = World::start_on(&database).await;
    report_usage(&world).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let done = reset(&mut tech).await;
    world.console.delete_expired().await;
    let count = async || database.fetch_one::<(i64,)>("select count(*) from level_resets", params![]).await.unwrap().0;
    assert_eq!(count().await, 1);
    // Nothing would be deleted by a clock so far ahead.
    let days = 401 * 24 * 3600 * 1_000_000_i64;
    database.execute("update level_resets set undo_until = undo_until - $1", params![days]).await.unwrap();
    world.console.delete_expired().await;
    assert_eq!(count().await, 0);
    assert_eq!(undo(&mut tech, &done).await.status, 404);
}

async fn concurrent_undos_restore_the_same_level(database: TestDb) {
    let world = World::start_on(&database).await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    report_usage(&world).await;
    let done = reset(&mut tech).await;
    let (one, other) = tokio::join!(undo(&mut tech, &done), undo(&mut admin, &done));
    let statuses = [one.status, other.status];
    assert!(statuses.contains(&200) && statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
    assert_eq!(level(&tech.device(NORTH).await), (&json!(412.5), &json!(37)));
    assert_eq!(carry_out_commands(&world).await, written(412.5, 37.0));
}

on_both_databases!(
    reset_is_undone_on_another_node_and_after_a_restart,
    old_resets_are_deleted,
    concurrent_undos_restore_the_same_level,
    undo_is_possible_as_long_as_the_device_reports_nothing_new_and_once,
);
