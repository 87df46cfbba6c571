//! Undo of jobs.

use cloud::testing::Fault;
use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::nodes::lease;
use platform::testing::{TestDb, pause};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::copy::{self, AQ290, OPTIONS, SOURCE, TARGET, notification_lines, stored_values};
use crate::jobs::{CLAIM_SECS, CONCURRENT_TARGETS, HANG, Orphan, PASS, assign, ended, fleet, path, texts};
use crate::killable_console::KillableConsole;
use crate::notifications::{add, form};
use crate::world::*;

async fn start_undo(browser: &mut Browser, job: &Value) -> Answer {
    browser.post(&format!("{}/undo", path(job)), &Value::Null).await
}

/// Undoes the job and returns the job that did it once it has ended.
async fn undo(browser: &mut Browser, job: &Value) -> Value {
    let answer = start_undo(browser, job).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    ended(browser, &answer.body).await
}

async fn refusal(browser: &mut Browser, job: &Value) -> String {
    let answer = start_undo(browser, job).await;
    assert_eq!((answer.status, answer.code()), (409, "conflict"), "{}", answer.body);
    answer.body["detail"].as_str().unwrap().to_owned()
}

fn counts(done: u64, failed: u64, left: u64) -> Value {
    let total = done + failed + left;
    json!({ "total": total, "waiting": 0, "done": done, "failed": failed, "left": left, "cancelled": 0 })
}

fn left(dsn: &str, reason: &str) -> Value {
    json!([{ "dsn": dsn, "state": "left", "reason": reason }])
}

async fn put(browser: &mut Browser, path: &str, body: &Value) {
    let answer = browser.put(path, body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[tokio::test]
async fn undo_restores_every_value_that_the_job_wrote() {
    let world = copy::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    add(&mut browser, SOURCE, &form("email", "jo@example.com", &["connected", "lowProductLevel"])).await;
    add(&mut browser, TARGET, &form("email", "jo@example.com", &["disconnected"])).await;
    let before = [stored_values(browser.device(TARGET).await), stored_values(browser.device(AQ290).await)];
    let options = [OPTIONS.as_slice(), &["notifications"]].concat();
    let job = copy::copy(&mut browser, &options, &[TARGET, AQ290]).await;
    assert_eq!((&job["counts"], &job["can"]["undo"]), (&counts(2, 0, 0), &json!(true)));
    assert_ne!(stored_values(browser.device(TARGET).await), before[0]);
    let database = Db::connect(&world.database).await.unwrap();
    let stored: Vec<(String,)> = database.fetch_all("select written from job_writes", params![]).await.unwrap();
    assert!(stored.len() == 2 && stored.iter().all(|(written,)| !written.contains("example.com")), "{stored:?}");

    let undone = undo(&mut browser, &job).await;
    assert_eq!((&undone["state"], &undone["counts"]), (&json!("done"), &counts(2, 0, 0)), "{undone}");
    assert_eq!((&undone["operation"], &undone["undoes"]), (&json!("undo_job"), &job["id"]));
    assert_eq!(undone["can"], json!({ "cancel": false, "retry": false, "undo": false }));
    for (dsn, before) in [TARGET, AQ290].into_iter().zip(&before) {
        assert_eq!(stored_values(browser.device(dsn).await), *before, "{dsn}");
    }
    let left = notification_lines(&browser.notifications(TARGET).await);
    assert_eq!(left, [r#"email jo@example.com ["disconnected"]"#]);
    assert_eq!(browser.listed(TARGET).await["customer"], before[0]["customer"], "the list knows it");
    while database.fetch_one::<(i64,)>("select count(*) from job_writes", params![]).await.unwrap().0 > 0 {
        pause().await;
    }
}

#[tokio::test]
async fn values_that_others_changed_meanwhile_are_left_and_named() {
    let world = copy::start().await;
    let (mut browser, mut other) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let job = copy::copy(&mut browser, &["copyName", "settings"], &[TARGET, AQ290]).await;
    let device = format!("/api/devices/dsns/{TARGET}");
    put(&mut other, &device, &json!({ "customer": "Grand Hotel" })).await;
    put(&mut other, &format!("{device}/settings"), &json!({ "fan": 4 })).await;

    let undone = undo(&mut browser, &job).await;
    assert_eq!((&undone["state"], &undone["counts"]), (&json!("done"), &counts(1, 0, 1)));
    assert_eq!(undone["unfinished"], left(TARGET, "Changed since, so left: Customer, Fan Speed."));
    assert_eq!(undone["can"]["retry"], false, "another attempt would leave them again");
    let target = browser.device(TARGET).await;
    assert_eq!((&target["customer"], &target["fan"]), (&json!("Grand Hotel"), &json!(4)));
    assert_eq!((&target["serviceArea"], &target["intensity"]), (&json!("Door"), &json!(9)));
    let targets = browser.get(&format!("{}/targets?state=left", path(&undone))).await.body;
    assert_eq!(targets["targets"][0]["dsn"], TARGET);
}

#[tokio::test]
async fn value_written_by_a_later_job_is_left() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let first = assign(&mut admin, &[OWNED], "South").await;
    let second = assign(&mut admin, &[OWNED], "North").await;
    let undone = undo(&mut admin, &first).await;
    assert_eq!(undone["unfinished"], left(OWNED, "Changed since, so left: CSP."));
    assert_eq!(admin.device(OWNED).await["csp"], "North");
    assert_eq!(undo(&mut admin, &second).await["counts"], counts(1, 0, 0));
    assert_eq!(admin.device(OWNED).await["csp"], "South");
}

#[tokio::test]
async fn device_without_a_csp_loses_it_again_and_a_removed_csp_cannot_be_restored() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let job = assign(&mut admin, &[OWNED, SOUTH], "North").await;
    let database = Db::connect(&world.database).await.unwrap();
    database.execute("delete from csps where name = 'South'", params![]).await.unwrap();
    let undone = undo(&mut admin, &job).await;
    assert_eq!(undone["counts"], counts(1, 0, 1));
    assert_eq!(undone["unfinished"], left(SOUTH, "The former CSP “South” has been removed."));
    assert_eq!((&admin.device(OWNED).await["csp"], &admin.device(SOUTH).await["csp"]), (&Value::Null, &json!("North")));
    assert_eq!(admin.listed(OWNED).await["csp"], Value::Null);
}

#[tokio::test]
async fn job_is_undone_once_and_its_undo_never() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let job = assign(&mut admin, &[NORTH, "SC-NONE"], "South").await;
    assert_eq!(job["can"], json!({ "cancel": false, "retry": true, "undo": true }));
    let undone = undo(&mut admin, &job).await;
    assert_eq!(undone["counts"], counts(1, 0, 0), "only targets that were written to");
    assert_eq!(refusal(&mut admin, &job).await, "The job has been undone already.");
    assert_eq!(refusal(&mut admin, &undone).await, "The job cannot be undone any more.");
    let retry = admin.post(&format!("{}/retry", path(&job)), &Value::Null).await;
    assert_eq!((retry.status, &retry.body["detail"]), (409, &json!("The job has been undone already.")));
    let job = admin.get(&path(&job)).await.body;
    assert_eq!(
        (&job["undoneBy"], &job["can"]),
        (&undone["id"], &json!({ "cancel": false, "retry": false, "undo": false }))
    );
    assert_eq!(admin.get("/api/jobs").await.body["jobs"][1]["undoneBy"], undone["id"]);
}

#[tokio::test]
async fn job_that_wrote_nothing_or_ended_a_week_ago_cannot_be_undone() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let idle = assign(&mut admin, &[NORTH], "North").await;
    assert_eq!(refusal(&mut admin, &idle).await, "The job cannot be undone any more.");
    let job = assign(&mut admin, &[NORTH], "South").await;
    world.pass_seconds(7 * 24 * 3600 - 60);
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.get(&path(&job)).await.body["can"]["undo"], true);
    world.pass_seconds(60);
    assert_eq!(admin.get(&path(&job)).await.body["can"]["undo"], false);
    assert_eq!(refusal(&mut admin, &job).await, "The job cannot be undone any more.");
    assert_eq!(admin.device(NORTH).await["csp"], "South");
}

#[tokio::test]
async fn undo_requires_the_right_to_each_device() {
    let world = copy::start().await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let job = copy::copy(&mut tech, &["copyName"], &[TARGET, AQ290]).await;
    for email in [NORTH_ADMIN, NORTH_OBSERVER, OBSERVER, SOUTH_ADMIN, NO_ROLE, END_USER] {
        assert_eq!(start_undo(&mut world.signed_in(email).await, &job).await.status, 404, "{email}");
    }
    assert_eq!(start_undo(&mut world.browser(), &job).await.status, 401);
    // One of them belongs to another CSP by now.
    assign(&mut world.signed_in(ADMIN).await, &[TARGET], "South").await;
    let undone = undo(&mut tech, &job).await;
    let failed = json!([{ "dsn": TARGET, "state": "failed", "reason": "There is no such thing here." }]);
    assert_eq!((&undone["counts"], &undone["unfinished"]), (&counts(1, 1, 0), &failed));
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.device(TARGET).await["customer"], "Hotel Aurora", "untouched");
    // The retry of an administrator does not lend the owner a right.
    admin.post(&format!("{}/retry", path(&undone)), &Value::Null).await;
    assert_eq!(ended(&mut admin, &undone).await["counts"], counts(1, 1, 0));
    assert_eq!(admin.device(TARGET).await["customer"], "Hotel Aurora", "untouched");
}

#[tokio::test]
async fn undo_of_a_failed_target_restores_only_what_was_written() {
    let world = copy::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // The source, the target, its name; the customer is refused.
    for fault in [PASS, PASS, PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let job = copy::copy(&mut browser, &["copyName"], &[TARGET]).await;
    assert_eq!(job["counts"], counts(0, 1, 0));
    // Somebody gives the device the value that the job did not come to.
    let source = browser.device(SOURCE).await["customerId"].clone();
    put(&mut browser, &format!("/api/devices/dsns/{TARGET}"), &json!({ "customerId": source })).await;
    assert_eq!(undo(&mut browser, &job).await["counts"], counts(1, 0, 0));
    let target = browser.device(TARGET).await;
    assert_eq!((&target["serviceArea"], &target["customerId"]), (&json!("Door"), &source));
}

#[tokio::test]
async fn undo_and_each_changed_device_are_audited() {
    let world = copy::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let before = browser.device(TARGET).await["fragrance"].clone();
    let job = copy::copy(&mut browser, &["copyId"], &[TARGET]).await;
    let undone = undo(&mut browser, &job).await;
    let mut admin = world.signed_in(ADMIN).await;
    let id = undone["id"].as_str().unwrap();
    let entry = admin.get(&format!("/api/audit?target={id}")).await.body["entries"][0].clone();
    let expected = json!([
        { "field": "undoes", "before": null, "after": job["id"], "saved": true },
        { "field": "undoneOperation", "before": null, "after": "copy_device", "saved": true },
        { "field": "devices", "before": null, "after": 1, "saved": true },
    ]);
    assert_eq!((&entry["operation"], &entry["changes"]), (&json!("undo_job"), &expected));
    let entry = admin.get(&format!("/api/audit?target={TARGET}")).await.body["entries"][0].clone();
    let change = &entry["changes"][0];
    assert_eq!((&entry["operation"], &entry["actor"]["email"]), (&json!("undo_job"), &json!(NORTH_TECH)));
    assert_eq!(
        (&change["field"], &change["before"], &change["after"]),
        (&json!("fragrance"), &json!("White Tea"), &before)
    );
}

/// The labels of a device, in order.
async fn labels(browser: &mut Browser, dsn: &str) -> Vec<String> {
    let labels = browser.device(dsn).await["roleLabels"].clone();
    let mut labels: Vec<String> = labels.as_array().unwrap().iter().map(Value::to_string).collect();
    labels.sort();
    labels
}

async fn undo_of_a_killed_node_is_finished_by_another(database: TestDb) {
    let world = World::start_without_background_reads_on(&database).await;
    let (mut browser, dsns) = (world.signed_in(ADMIN).await, fleet(&world, 12).await);
    let job = assign(&mut browser, &texts(&dsns), "South").await;
    assert_eq!(job["counts"], counts(12, 0, 0));
    let (killable_console, next) = (KillableConsole::start(&world).await, world.another_console(|_| {}));
    let World { cloud, clock, console, .. } = world;
    console.shutdown().await;
    // A device takes five to eight requests: after 36, some are done and at least four are left, which then hang at the same time.
    for _ in 0..36 {
        cloud.faults().push(PASS);
    }
    for _ in 0..CONCURRENT_TARGETS {
        cloud.faults().push(Fault::Delay(HANG));
    }
    let undone = start_undo(&mut browser.at(killable_console.console.addr()), &job).await.body;
    while cloud.faults().waiting() > 0 {
        pause().await;
    }
    killable_console.kill();
    clock.advance(lease::LIFETIME);
    let node = next.await;
    let mut browser = browser.at(node.addr());
    let halfway = browser.get(&path(&undone)).await.body;
    assert!((1..12).contains(&halfway["counts"]["done"].as_u64().unwrap()), "{halfway}");
    assert_eq!(refusal(&mut browser, &job).await, "The job has been undone already.");
    clock.advance(SignedDuration::from_secs(CLAIM_SECS));
    assert_eq!(ended(&mut browser, &undone).await["counts"], counts(12, 0, 0));
    let expected = labels(&mut browser, NORTH).await;
    for dsn in &dsns {
        assert_eq!(labels(&mut browser, dsn).await, expected, "{dsn}");
    }
}

async fn job_of_a_killed_node_is_undone_completely(database: TestDb) {
    let mut orphan = Orphan::make(&database).await;
    orphan.expire_claim();
    let job = ended(&mut orphan.browser, &orphan.job).await;
    assert_eq!(undo(&mut orphan.browser, &job).await["counts"], counts(12, 0, 0));
    let expected = labels(&mut orphan.browser, NORTH).await;
    assert!(expected.len() >= 3, "{expected:?}");
    for dsn in &orphan.dsns {
        assert_eq!(labels(&mut orphan.browser, dsn).await, expected, "{dsn}");
    }
}

on_both_databases!(undo_of_a_killed_node_is_finished_by_another, job_of_a_killed_node_is_undone_completely);
