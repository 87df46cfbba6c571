//! Passes with several consoles on one database, and reindexing while a console runs.

use platform::db::{Db, params};
use platform::testing::{PATIENCE, until};
use serde_json::json;

use crate::world::*;

async fn holder(database: &Db) -> Option<String> {
    let sql = "select holder from leases where name = 'index'";
    database.fetch_optional::<(String,)>(sql, params![]).await.unwrap().map(|(holder,)| holder)
}

#[tokio::test]
async fn resync_request_reaches_the_node_that_runs_passes() {
    let world = World::start().await;
    let database = Db::connect(&world.database).await.unwrap();
    let first = holder(&database).await.unwrap();
    let second = world.another_console(|_| {}).await;
    second.ready().await;
    world.add_device("NEW-1", "South").await;
    second.resync().await;
    assert_eq!(holder(&database).await.unwrap(), first, "still the first node's");
    let mut browser = world.signed_in(SOUTH_ADMIN).await;
    assert_eq!(browser.dsns("").await, ["NEW-1", SOUTH]);
    second.shutdown().await;
    assert_eq!(holder(&database).await.unwrap(), first, "not the second's to give back");
}

#[tokio::test]
async fn another_node_takes_over_when_the_first_one_stops() {
    let mut world = World::start().await;
    let second = world.another_console(|_| {}).await;
    let first = std::mem::replace(&mut world.console, second);
    first.shutdown().await;
    world.add_device("NEW-1", "South").await;
    world.console.resync().await;
    let mut browser = world.signed_in(SOUTH_ADMIN).await;
    assert_eq!(browser.dsns("").await, ["NEW-1", SOUTH]);
}

#[tokio::test]
async fn restarted_console_is_ready_with_the_index_it_finds() {
    let world = World::start().await;
    let restarted = world.console_without_cloud();
    world.console.shutdown().await;
    world.cloud.shutdown().await;
    restarted.await.ready().await;
}

#[tokio::test]
async fn console_with_an_old_index_is_not_ready() {
    let world = World::start_with(|config| config.metrics_listen = Some(([127, 0, 0, 1], 0).into())).await;
    let metrics = format!("http://{}/metrics", world.console.metrics_addr().unwrap());
    let database = Db::connect(&world.database).await.unwrap();
    let checks =
        |index: bool| json!({ "bus": true, "cloud": true, "database": true, "token_key": true, "index": index });
    let mut browser = world.browser();
    let ready = browser.get("/readyz").await;
    assert_eq!((ready.status, ready.body), (200, checks(true)));

    // Nobody advances the index.
    let hold = "update leases set holder = 'test', until = $1 where name = 'index'";
    database.execute(hold, params![i64::MAX]).await.unwrap();
    world.pass_seconds(121);
    let late = browser.get("/readyz").await;
    assert_eq!((late.status, late.body), (503, checks(false)));
    let metrics = reqwest::get(metrics).await.unwrap().text().await.unwrap();
    assert!(metrics.contains("sillage_check_passed{check=\"index\"} 0\n"), "{metrics}");
    assert!(metrics.contains("\nsillage_index_states_age_seconds 1"), "{metrics}");
    assert_eq!(browser.get("/readyz?exclude=index").await.status, 200);

    database.execute("delete from leases where name = 'index'", params![]).await.unwrap();
    world.console.resync().await;
    assert_eq!(browser.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn console_without_an_index_is_ready_if_it_does_not_use_one() {
    let world = World::start_with(|config| config.lists_from_cloud = true).await;
    console::reindex(&world.database).await.unwrap();
    let ready = world.browser().get("/readyz").await;
    let expected = json!({ "bus": true, "cloud": true, "database": true, "token_key": true });
    assert_eq!((ready.status, ready.body), (200, expected));
}

/// Empties the index and holds its lease, so that no console fills it.
async fn reindex_and_hold(world: &World, database: &Db) {
    let hold = "insert into leases (name, holder, until) values ('index', 'test', $1) on conflict do nothing";
    loop {
        console::reindex(&world.database).await.unwrap();
        if database.execute(hold, params![i64::MAX]).await.unwrap() > 0 {
            return;
        }
    }
}

#[tokio::test]
async fn reindex_serves_lists_from_the_cloud_until_the_index_is_filled() {
    let world = World::start().await;
    let database = Db::connect(&world.database).await.unwrap();
    let mut browser = world.signed_in(ADMIN).await;
    assert_eq!(browser.get("/api/devices").await.body["source"], "index");
    reindex_and_hold(&world, &database).await;
    let list = browser.get("/api/devices").await.body;
    assert_eq!((&list["source"], &list["total"]), (&json!("cloud"), &json!(4)));
    assert_eq!(browser.get("/api/csps/all").await.body.as_array().unwrap().len(), 2, "the CSPs stay");

    database.execute("delete from leases", params![]).await.unwrap();
    let filled = until(async || browser.get("/api/devices").await.body["source"] == "index");
    tokio::time::timeout(PATIENCE, filled).await.expect("the console takes it up by itself");
    assert_eq!(browser.dsns("").await, [NORTH, NORTH_AQ290, SOUTH, OWNED]);
}
