//! Sessions with several consoles on one database.

use std::time::Duration;

use cloud::testing::Fault;
use futures::future::join_all;
use platform::db::{Db, Dialect, params};
use platform::testing::{TestDb, pause};
use serde_json::json;

use crate::browser::Browser;
use crate::killable_console::KillableConsole;
use crate::world::*;

const REFRESH: &str = "/user/users/refresh_token.json";
/// Lifetime of a node's claim on a session whose tokens it renews.
const CLAIM_SECS: i64 = 45;

fn device() -> String {
    format!("/api/devices/dsns/{NORTH}")
}

async fn status(browser: &Browser, path: &str) -> u16 {
    browser.clone().get(path).await.status
}

async fn expired_tokens_are_renewed_once_across_nodes(database: TestDb) {
    let world = World::start_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let nodes = [browser.clone(), browser.at(other.addr())];
    for round in 1..=10 {
        // Tokens of the service account stay valid: its refreshes would be counted, too.
        world.cloud.expire_access_tokens_of(NORTH_TECH).await;
        world.pass_seconds(61);
        let requests = (0..64).map(|number| {
            let path = if number % 3 == 0 { "/api/devices".to_owned() } else { device() };
            let browser = nodes[number % 2].clone();
            async move { status(&browser, &path).await }
        });
        assert_eq!(join_all(requests).await, [200; 64]);
        assert_eq!(world.cloud.faults().carried_out(REFRESH), round);
    }
}

async fn node_killed_before_saving_renewed_tokens_keeps_the_session(database: TestDb) {
    let world = World::start_without_background_reads_on(&database).await;
    let killable_console = KillableConsole::start(&world).await;
    let browser = world.signed_in(NORTH_TECH).await;
    world.cloud.expire_access_tokens_of(NORTH_TECH).await;
    // The rejected call, then the refresh: the cloud renews the tokens, but its response does not arrive.
    for fault in [Fault::Delay(Duration::ZERO), Fault::DelayAnswer(Duration::from_secs(3600))] {
        world.cloud.faults().push(fault);
    }
    let doomed = browser.at(killable_console.console.addr());
    let request = tokio::spawn(async move { doomed.request(reqwest::Method::GET, &device()).send().await });
    while world.cloud.faults().carried_out(REFRESH) == 0 {
        pause().await;
    }
    killable_console.kill();
    assert!(request.await.unwrap().is_err(), "the node was killed before it could answer");
    let claimed = "select count(*) from sessions where claimed_by is not null";
    assert_eq!(database.fetch_one::<(i64,)>(claimed, params![]).await.unwrap().0, 1, "its claim remains");

    world.pass_seconds(CLAIM_SECS);
    assert_eq!(status(&browser, &device()).await, 200);
    assert_eq!(world.cloud.faults().carried_out(REFRESH), 2);
    world.cloud.expire_access_tokens_of(NORTH_TECH).await;
    world.pass_seconds(3600);
    assert_eq!(status(&browser, &device()).await, 200, "the session is still valid");
}

async fn tokens_that_could_not_be_stored_are_renewed_again_within_a_minute(database: TestDb) {
    let world = World::start_on(&database).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let late = world.signed_in(ADMIN).await;
    world.cloud.expire_access_tokens().await;
    for sql in refuse_to_save(&database) {
        database.execute(*sql, params![]).await.unwrap();
    }
    for browser in [&browser, &late] {
        assert_eq!(status(browser, &device()).await, 502);
    }
    database.execute(save_again(&database), params![]).await.unwrap();
    world.pass_seconds(59);
    assert_eq!(status(&browser, &device()).await, 200);
    world.pass_seconds(1);
    assert_eq!(status(&late, &device()).await, 401, "the cloud honours a replaced token no longer");
    assert_eq!(status(&late, "/api/jwt/ping").await, 200, "until its role is read again");
    assert_eq!(late.clone().post("/api/jwt/update", &json!({})).await.status, 401);
    assert_eq!(status(&late, "/api/jwt/ping").await, 401);
}

async fn session_ended_on_one_node_is_ended_on_the_other(database: TestDb) {
    let world = World::start_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let at_other = browser.at(other.addr());
    let mut stream = at_other.follow(&[NORTH]).await;
    assert_eq!(browser.delete("/api/session").await.status, 204);
    assert_eq!(status(&at_other, "/api/devices").await, 401);
    world.cloud.device(NORTH).await.report(&[("fan", json!(1))]).await;
    assert_eq!(stream.next().await, Some(("end".to_owned(), json!({ "reason": "signed_out" }))));
}

/// Only the first node writes the index.
async fn readers_of_both_nodes_get_events_with_the_row_that_one_node_writes(database: TestDb) {
    let world = World::start_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let mut streams = [browser.follow(&[NORTH]).await, browser.at(other.addr()).follow(&[NORTH]).await];
    let device = world.cloud.device(NORTH).await;
    for level in [30, 29, 28] {
        device.report(&[("fragrance_remaining", json!(level))]).await;
        for stream in &mut streams {
            assert_eq!(stream.until("reported", NORTH).await["fragranceRemaining"], level);
        }
    }
}

async fn changed_access_on_one_node_ends_streams_of_the_other_before_any_event(database: TestDb) {
    let world = World::start_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let at_other = browser.at(other.addr());
    let mut stream = at_other.follow(&[NORTH]).await;
    world.cloud.revoke_roles(NORTH_TECH).await;
    assert_eq!(browser.post("/api/jwt/update", &json!({})).await.status, 200);
    assert_eq!(status(&at_other, &device()).await, 404);
    world.cloud.device(NORTH).await.report(&[("fan", json!(1))]).await;
    assert_eq!(stream.next().await, Some(("end".to_owned(), json!({ "reason": "access_changed" }))));
    assert_eq!(stream.next().await, None);
}

async fn session_outlives_the_rotation_of_the_token_key(database: TestDb) {
    let (old, new) = ([7; 32], [8; 32]);
    let world = World::start_on(&database).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let rotated = world.another_console(|config| {
        config.token_key = new;
        config.earlier_token_keys = vec![old];
    });
    let rotated = rotated.await;
    assert_eq!(status(&browser.at(rotated.addr()), &device()).await, 200);
    world.cloud.expire_access_tokens().await;
    assert_eq!(status(&browser.at(rotated.addr()), &device()).await, 200);
    let done = console::reencrypt(&database.url, &new, &[old], false).await.unwrap();
    assert!(done.iter().all(|kind| kind.left == 0), "{done:?}");
    let without_old = world.another_console(|config| config.token_key = new).await;
    assert_eq!(status(&browser.at(without_old.addr()), &device()).await, 200);
}

/// Statements that make every write of tokens fail.
fn refuse_to_save(db: &Db) -> &'static [&'static str] {
    match db.dialect() {
        Dialect::Sqlite => {
            &["create trigger refuse before update of tokens on sessions begin select RAISE(ABORT, 'full'); end"]
        }
        Dialect::Postgres => &[
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''full''; END'",
            "CREATE TRIGGER refuse BEFORE UPDATE OF tokens ON sessions FOR EACH ROW EXECUTE FUNCTION refuse()",
        ],
    }
}

fn save_again(db: &Db) -> &'static str {
    match db.dialect() {
        Dialect::Sqlite => "DROP TRIGGER refuse",
        Dialect::Postgres => "DROP TRIGGER refuse ON sessions",
    }
}

on_both_databases!(
    expired_tokens_are_renewed_once_across_nodes,
    node_killed_before_saving_renewed_tokens_keeps_the_session,
    tokens_that_could_not_be_stored_are_renewed_again_within_a_minute,
    session_ended_on_one_node_is_ended_on_the_other,
    readers_of_both_nodes_get_events_with_the_row_that_one_node_writes,
    changed_access_on_one_node_ends_streams_of_the_other_before_any_event,
    session_outlives_the_rotation_of_the_token_key,
);
