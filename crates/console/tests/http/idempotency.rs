//! Writes that are repeated with their `Idempotency-Key`.

use std::time::Duration;

use cloud::testing::Fault;
use platform::db::params;
use platform::testing::TestDb;
use reqwest::Method;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::disconnects::{Write, writes};
use crate::jobs::{ended, path};
use crate::killable_console::KillableConsole;
use crate::statements::Statements;
use crate::world::*;

const PASS: Fault = Fault::Delay(Duration::ZERO);
const SETTINGS: &str = "update_device_settings";
/// How long the claim of a dead node is valid.
const CLAIM_SECS: i64 = 30;

fn settings(key: &str, settings: Value) -> Write {
    Write {
        method: Method::PUT,
        path: format!("/api/devices/dsns/{NORTH}/settings"),
        body: settings,
        key: key.to_owned(),
    }
}

fn is_reused(answer: &Answer) -> bool {
    (answer.status, answer.code()) == (422, "key_reused")
}

async fn repeated_write_gets_the_first_response_on_every_node(database: TestDb) {
    let world = World::start_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let mut witness = world.signed_in(ADMIN).await;
    let write = settings("k", json!({ "intensity": 35 }));
    let first = write.send(&browser).await;
    assert_eq!((first.status, &first.body["intensity"]), (200, &json!(35)), "{}", first.body);
    // Another session of the same person.
    let anew = world.signed_in(NORTH_TECH).await;
    for repeated in [browser.clone(), browser.at(other.addr()), anew] {
        let answer = write.send(&repeated).await;
        assert_eq!((answer.status, &answer.body), (200, &first.body));
        assert_eq!(answer.headers["content-type"], first.headers["content-type"]);
    }
    assert_eq!(writes(&mut witness, SETTINGS, NORTH).await, 1);
    // What somebody else writes in between is not overwritten, and the repetition is no success.
    assert_eq!(settings("k", json!({ "intensity": 40 })).send(&witness).await.status, 200);
    for repeated in [&browser, &browser.at(other.addr())] {
        let refused = write.send(repeated).await;
        assert_eq!((refused.status, refused.code()), (409, "changed_since"));
        let text = "This was saved already, and has been changed since. Nothing was saved now: look at the current values \
                    before you save again.";
        assert_eq!(refused.body["detail"], text);
    }
    assert_eq!(witness.device(NORTH).await["intensity"], 40);
    assert_eq!(writes(&mut witness, SETTINGS, NORTH).await, 2);
}

async fn key_of_another_request_is_refused(database: TestDb) {
    let world = World::start_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let mut witness = world.signed_in(ADMIN).await;
    let first = settings("k", json!({ "intensity": 35 }));
    assert_eq!(first.send(&browser).await.status, 200);
    let others = [
        settings("k", json!({ "intensity": 36 })),
        Write { path: first.path.replace(NORTH, NORTH_AQ290), ..settings("k", first.body.clone()) },
        Write { path: format!("{}?x=1", first.path), ..settings("k", first.body.clone()) },
    ];
    for write in others {
        assert!(is_reused(&write.send(&browser).await), "{} {}", write.method, write.path);
        assert!(is_reused(&write.send(&browser.at(other.addr())).await));
    }
    assert_eq!(writes(&mut witness, SETTINGS, NORTH).await, 1);
    assert_eq!(first.send(&browser).await.status, 200);
}

async fn key_is_free_again_after_24_hours(database: TestDb) {
    let world = World::start_on(&database).await;
    let write = settings("k", json!({ "intensity": 35 }));
    assert_eq!(write.send(&world.signed_in(NORTH_TECH).await).await.status, 200);
    world.pass_seconds(24 * 3600 - 1);
    let browser = world.signed_in(NORTH_TECH).await;
    assert!(is_reused(&settings("k", json!({ "intensity": 36 })).send(&browser).await));
    world.pass_seconds(1);
    assert_eq!(settings("k", json!({ "intensity": 37 })).send(&browser).await.body["intensity"], 37);
    assert!(is_reused(&write.send(&browser).await));
    let mut witness = world.signed_in(ADMIN).await;
    assert_eq!(writes(&mut witness, SETTINGS, NORTH).await, 2);
}

async fn repetitions_wait_for_the_first_request(database: TestDb) {
    let world = World::start_without_background_reads_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let mut witness = world.signed_in(ADMIN).await;
    world.cloud.faults().push(Fault::Hold);
    let send = |browser: Browser| tokio::spawn(async move { settings("k", json!({ "fan": 4 })).send(&browser).await });
    let first = send(browser.clone());
    world.cloud.faults().held().await;
    assert!(is_reused(&settings("k", json!({ "fan": 5 })).send(&browser).await), "it is refused while the first runs");
    let repeated = [browser.clone(), browser.clone(), browser.at(other.addr())].map(send);
    world.cloud.faults().release();
    let first = first.await.unwrap();
    assert_eq!(first.status, 200, "{}", first.body);
    for answer in repeated {
        let answer = answer.await.unwrap();
        assert_eq!((answer.status, &answer.body), (200, &first.body));
    }
    assert_eq!(writes(&mut witness, SETTINGS, NORTH).await, 1);
}

async fn write_of_a_node_that_died_is_carried_out_by_its_repetition(database: TestDb) {
    let world = World::start_without_background_reads_on(&database).await;
    let doomed = KillableConsole::start(&world).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let write = settings("k", json!({ "intensity": 35, "fan": 4 }));
    // The reading and the first value reach the cloud.
    [PASS, PASS, Fault::Hold].into_iter().for_each(|fault| world.cloud.faults().push(fault));
    let sent = tokio::spawn(write.request(&browser.at(doomed.console.addr())).send());
    world.cloud.faults().held().await;
    doomed.kill();
    assert!(sent.await.unwrap().is_err(), "the node was killed before it could answer");
    world.cloud.faults().release();
    world.pass_seconds(CLAIM_SECS);
    assert!(is_reused(&settings("k", json!({ "fan": 5 })).send(&browser).await));
    let answer = write.send(&browser).await;
    assert_eq!((answer.status, &answer.body["intensity"], &answer.body["fan"]), (200, &json!(35), &json!(4)));
    assert_eq!(write.send(&browser).await.body, answer.body);
}

async fn bodies_are_not_stored_in_clear(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let changed = Write {
        method: Method::PUT,
        path: "/api/account/password".to_owned(),
        body: json!({ "current": PASSWORD, "new": "Better-Horse-2" }),
        key: "k".to_owned(),
    };
    let answer = browser.send(changed.request(&browser)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    // The session of the first response was new; with it the password is not changed again.
    let repeated = changed.send(&browser).await;
    assert_eq!((repeated.status, &repeated.body), (200, &answer.body));
    assert!(repeated.headers.get("set-cookie").is_none(), "a cookie belongs to the browser that got it");
    let sql = "select request, response from idempotency_keys";
    let rows: Vec<(Vec<u8>, Vec<u8>)> = database.fetch_all(sql, params![]).await.unwrap();
    assert_eq!(rows.len(), 1);
    for (request, response) in rows {
        assert!(request.len() < 100, "a digest");
        assert!(!response.windows(4).any(|part| part == b"role" || part == b"Tess"));
    }
}

#[tokio::test]
async fn request_that_was_not_carried_out_is_handled_again() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let refused = settings("refused", json!({ "intensity": 999 }));
    let first = refused.send(&browser).await;
    assert_eq!((first.status, first.fields()), (422, vec!["intensity"]));
    assert_eq!(refused.send(&browser).await.body, first.body);
    // The cloud fails after the first of two values.
    let half_done = settings("failed", json!({ "intensity": 35, "fan": 4 }));
    [PASS, PASS, Fault::UnprocessableEntity].into_iter().for_each(|fault| world.cloud.faults().push(fault));
    assert_eq!(half_done.send(&browser).await.status, 502);
    assert_eq!(half_done.send(&browser).await.status, 200, "it continues where the first one stopped");
    let device = browser.device(NORTH).await;
    assert_eq!((&device["intensity"], &device["fan"]), (&json!(35), &json!(4)));
}

#[tokio::test]
async fn response_is_repeated_only_while_the_person_has_the_same_rights() {
    let world = World::start().await;
    let browser = world.signed_in(NORTH_TECH).await;
    let write = settings("k", json!({ "intensity": 35 }));
    assert_eq!(write.send(&browser).await.status, 200);
    world.cloud.revoke_roles(NORTH_TECH).await;
    world.pass_seconds(61);
    assert_eq!(write.send(&browser).await.status, 404);
}

#[tokio::test]
async fn invalid_key_is_refused_before_anything_is_written() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = settings("", json!({})).path;
    let too_long = "x".repeat(65);
    for keys in [vec![""], vec![&too_long], vec!["two words"], vec!["a", "a"]] {
        let mut request = browser.request(Method::PUT, &path).json(&json!({ "fan": 5 }));
        for key in &keys {
            request = request.header("idempotency-key", *key);
        }
        let answer = browser.send(request).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["Idempotency-Key"]), "{keys:?}: {}", answer.body);
    }
    let request = browser.request(Method::PUT, &path).header("idempotency-key", b"caf\xe9".as_slice());
    assert_eq!(browser.send(request.json(&json!({ "fan": 5 }))).await.status, 422);
    assert!(world.cloud.device(NORTH).await.pending().await.is_empty());
    let longest = settings(&"x".repeat(64), json!({ "fan": 5 }));
    assert_eq!(longest.send(&browser).await.status, 200);
    let anonymous = settings("k", json!({ "fan": 5 })).send(&world.browser()).await;
    assert_eq!((anonymous.status, anonymous.code()), (401, "not_signed_in"));
}

#[tokio::test]
async fn sign_in_ignores_the_key() {
    let world = World::start().await;
    let mut browser = world.browser();
    let body = json!({ "email": NORTH_TECH, "password": PASSWORD });
    let sign_in = Write { method: Method::POST, path: "/api/session".to_owned(), body, key: "k".to_owned() };
    for _ in 0..2 {
        let answer = browser.send(sign_in.request(&browser)).await;
        assert!(answer.status == 200 && answer.headers.contains_key("set-cookie"), "{}", answer.body);
    }
}

#[tokio::test]
async fn job_is_started_once() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let start = Write {
        method: Method::PUT,
        path: "/api/devices/csp".to_owned(),
        body: json!({ "csp": "South", "dsns": [NORTH] }),
        key: "k".to_owned(),
    };
    let first = start.send(&browser).await;
    assert_eq!(first.status, 202, "{}", first.body);
    assert_eq!(start.send(&browser).await.body, first.body);
    let jobs = browser.get("/api/jobs").await;
    assert_eq!(jobs.body["jobs"].as_array().unwrap().len(), 1, "{}", jobs.body);
}

#[tokio::test]
async fn job_whose_targets_have_changed_since_is_not_reported_as_started() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let write = |path: &str, csp: &str, key: &str| Write {
        method: if csp.is_empty() { Method::POST } else { Method::PUT },
        path: path.to_owned(),
        body: if csp.is_empty() { Value::Null } else { json!({ "csp": csp, "dsns": [NORTH, "SC-NONE"] }) },
        key: key.to_owned(),
    };
    let south = write("/api/devices/csp", "South", "south");
    let first = south.send(&admin).await;
    ended(&mut admin, &first.body).await;
    assert_eq!(south.send(&admin).await.body, first.body, "what the job itself has changed is no other change");
    let north = write("/api/devices/csp", "North", "north").send(&admin).await;
    ended(&mut admin, &north.body).await;
    assert_eq!(south.send(&admin).await.code(), "changed_since");
    assert_eq!(admin.device(NORTH).await["csp"], "North");

    let retry = write(&format!("{}/retry", path(&first.body)), "", "retry");
    let cancel = write(&format!("{}/cancel", path(&first.body)), "", "cancel");
    for (lost, between) in [(&retry, "between"), (&cancel, "after")] {
        let answered = lost.send(&admin).await;
        assert_eq!(lost.send(&admin).await.body, answered.body, "one press");
        ended(&mut admin, &first.body).await;
        assert_eq!(write(&retry.path, "", between).send(&admin).await.status, 200);
        ended(&mut admin, &first.body).await;
        assert_eq!(lost.send(&admin).await.code(), "changed_since", "{}", lost.path);
    }
}

/// What a key adds must not be a second look at the session.
async fn request_with_a_key_is_authenticated_once(database: TestDb) {
    let statements = Statements::record();
    let world = World::start_without_background_reads_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut reads = Vec::new();
    // The first write may refresh what the session knows.
    for (intensity, key) in [(31, None), (32, None), (33, Some("k"))] {
        let write = browser.request(Method::PUT, &format!("/api/devices/dsns/{NORTH}/settings"));
        let write = write.json(&json!({ "intensity": intensity }));
        let write = if let Some(key) = key { write.header("idempotency-key", key) } else { write };
        statements.take_reads();
        let answer = browser.send(write).await;
        assert_eq!((answer.status, &answer.body["intensity"]), (200, &json!(intensity)), "{}", answer.body);
        reads.push(statements.take_reads().iter().filter(|it| it.contains("from sessions")).count());
    }
    assert!(reads[1] > 0, "{reads:?}");
    assert_eq!(reads[1], reads[2], "{reads:?}");
}

on_both_databases!(
    repeated_write_gets_the_first_response_on_every_node,
    key_of_another_request_is_refused,
    key_is_free_again_after_24_hours,
    repetitions_wait_for_the_first_request,
    write_of_a_node_that_died_is_carried_out_by_its_repetition,
    bodies_are_not_stored_in_clear,
    request_with_a_key_is_authenticated_once,
);
