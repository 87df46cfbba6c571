use std::collections::BTreeSet;

use cloud::testing::Fault;
use platform::db::{Db, params};
use serde_json::json;

use crate::index::stamp;
use crate::world::*;

#[tokio::test]
async fn device_events_arrive_on_the_stream() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut stream = browser.follow(&[NORTH]).await;
    let device = world.cloud.device(NORTH).await;

    device.connect().await;
    let shown = stream.until("connection", NORTH).await;
    assert_eq!((&shown["connectionStatus"], &shown["can"]["edit"]), (&json!("Online"), &json!(true)));

    device.report(&[("fragrance_remaining", json!(12))]).await;
    assert_eq!(stream.until("reported", NORTH).await["fragranceRemaining"], 12);
    assert_eq!(browser.listed(NORTH).await["fragranceRemaining"], 12, "the list has it too");

    browser.put(&format!("/api/devices/dsns/{NORTH}/settings"), &json!({ "fan": 5 })).await;
    assert_eq!(stream.until("commanded", NORTH).await["fan"], 5);
    device.report(&[("fan", json!(1))]).await;
    assert_eq!(
        stream.until("reported", NORTH).await["fan"],
        5,
        "the requested value is shown until it is acknowledged"
    );
    let (id, ..) = device.pending().await.remove(0);
    device.ack(&id, 200, 0).await;
    assert_eq!(stream.until("acknowledged", NORTH).await["fan"], 5);
}

/// Reads take a while: what a page was read for may have been closed, and another page opened.
#[tokio::test]
async fn page_opened_during_a_read_misses_no_later_change() {
    let world = World::start().await;
    let (mut tech, admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let (mut closed, mut lists) = (tech.follow_page(NORTH).await, admin.follow(&[]).await);
    let device = world.cloud.device(NORTH).await;
    let connection = device.connect().await;
    assert_eq!(closed.until("connection", NORTH).await["connectionStatus"], "Online");
    lists.until_event("list").await;

    world.cloud.faults().push_for(format!("/device/apiv1/dsns/{NORTH}"), Fault::Hold);
    device.report(&[("intensity", json!(21))]).await;
    world.cloud.faults().held().await;
    assert_eq!(tech.delete("/api/session").await.status, 204);
    while closed.next().await.is_some() {}
    device.disconnect(connection).await;
    lists.until_event("list").await;

    let mut opened = admin.follow_page(NORTH).await;
    world.cloud.faults().release();
    assert_eq!(opened.until("reported", NORTH).await["connectionStatus"], "Online", "as it was read");
    assert_eq!(opened.until("connection", NORTH).await["connectionStatus"], "Offline");
}

#[tokio::test]
async fn stream_contains_only_own_devices() {
    let world = World::start().await;
    let tech = world.signed_in(NORTH_TECH).await;
    let mut stream = tech.follow(&[NORTH, SOUTH, OWNED, "SC-NONE"]).await;
    for dsn in [SOUTH, OWNED, NORTH_AQ290, NORTH] {
        world.cloud.device(dsn).await.report(&[("intensity", json!(5))]).await;
    }
    let (event, data) = stream.next().await.unwrap();
    assert_eq!((event.as_str(), &data["dsn"]), ("device", &json!(NORTH)), "the first event is the only one of ours");
}

#[tokio::test]
async fn list_event_reaches_only_sessions_that_may_see_the_list() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_TECH).await.follow(&[]).await;
    let mut admin = world.signed_in(ADMIN).await.follow(&[]).await;
    world.cloud.device(NORTH).await.connect().await;
    for stream in [&mut north, &mut admin] {
        assert_eq!(stream.next().await, Some(("list".to_owned(), json!({}))));
    }
    world.add_device("NEW-1", "North").await;
    world.console.resync().await;
    for stream in [&mut north, &mut admin] {
        assert_eq!(stream.next().await, Some(("list".to_owned(), json!({}))));
    }
}

/// Lists are sorted and filtered by the level.
#[tokio::test]
async fn changed_level_publishes_a_list_event() {
    let world = World::start().await;
    let mut stream = world.signed_in(NORTH_TECH).await.follow(&[NORTH_AQ290]).await;
    for level in [64, 5] {
        world.cloud.device(NORTH).await.report(&[("fragrance_remaining", json!(level))]).await;
    }
    assert_eq!(stream.next().await, Some(("list".to_owned(), json!({}))));
    world.cloud.device(NORTH_AQ290).await.report(&[("fragrance_remaining", json!(64))]).await;
    let (event, data) = stream.next().await.unwrap();
    assert_eq!((event.as_str(), &data["dsn"]), ("device", &json!(NORTH_AQ290)), "the same level changes nothing");
}

#[tokio::test]
async fn unsorted_values_and_devices_of_others_change_no_list() {
    let world = World::start().await;
    let mut stream = world.signed_in(NORTH_TECH).await.follow(&[NORTH_AQ290]).await;
    world.cloud.device(SOUTH).await.connect().await;
    world.add_device("NEW-1", "South").await;
    world.console.resync().await;
    for dsn in [NORTH, NORTH_AQ290] {
        world.cloud.device(dsn).await.report(&[("intensity", json!(5)), ("fan", json!(1))]).await;
    }
    let (event, data) = stream.next().await.unwrap();
    assert_eq!((event.as_str(), &data["dsn"]), ("device", &json!(NORTH_AQ290)), "nothing came before it");
}

#[tokio::test]
async fn removed_device_is_published_to_sessions_that_saw_it() {
    let world = World::start().await;
    let database = Db::connect(&world.database).await.unwrap();
    for table in ["idx_devices", "idx_device_state"] {
        let sql = format!("update {table} set dsn = 'SC-GONE' where dsn = $1");
        database.execute(sqlx::AssertSqlSafe(sql), params![SOUTH]).await.unwrap();
    }
    stamp(&database).await;
    let mut south = world.signed_in(SOUTH_ADMIN).await.follow(&["SC-GONE"]).await;
    let mut admin = world.signed_in(ADMIN).await.follow(&["SC-GONE"]).await;
    let mut north = world.signed_in(NORTH_TECH).await.follow(&["SC-GONE", NORTH]).await;
    world.console.resync().await;
    for stream in [&mut south, &mut admin] {
        assert_eq!(stream.until_event("removed").await, json!({ "dsn": "SC-GONE" }));
    }
    world.cloud.device(NORTH).await.report(&[("fan", json!(1))]).await;
    let (event, data) = north.next().await.unwrap();
    assert_eq!((event.as_str(), &data["dsn"]), ("device", &json!(NORTH)), "no event for a device of another CSP");
}

#[tokio::test]
async fn device_moved_to_another_csp_is_removed_for_the_previous_csp() {
    let world = World::start().await;
    // The index still has the device in North; the pass moves it to South.
    let database = Db::connect(&world.database).await.unwrap();
    for table in ["idx_devices", "idx_device_state"] {
        let sql = format!("update {table} set csp = 'North' where dsn = $1");
        database.execute(sqlx::AssertSqlSafe(sql), params![SOUTH]).await.unwrap();
    }
    stamp(&database).await;
    let mut before = world.signed_in(NORTH_TECH).await.follow(&[SOUTH]).await;
    let mut after = world.signed_in(SOUTH_ADMIN).await.follow(&[SOUTH]).await;
    let (mut list_before, mut list_after) =
        (world.signed_in(NORTH_ADMIN).await.follow(&[]).await, world.signed_in(SOUTH_ADMIN).await.follow(&[]).await);
    world.console.resync().await;
    assert_eq!(before.until_event("removed").await, json!({ "dsn": SOUTH }));
    assert_eq!(after.until("changed", SOUTH).await["csp"], "South");
    for stream in [&mut list_before, &mut list_after] {
        assert_eq!(stream.next().await, Some(("list".to_owned(), json!({}))));
    }
}

#[tokio::test]
async fn stream_needs_a_role_and_names_at_most_100_devices() {
    let world = World::start().await;
    for email in [NO_ROLE, END_USER] {
        assert_eq!(world.signed_in(email).await.get("/api/events").await.status, 403, "{email}");
    }
    let mut admin = world.signed_in(ADMIN).await;
    let names: Vec<String> = (0..101).map(|number| format!("dsn=D{number}")).collect();
    let answer = admin.get(&format!("/api/events?{}", names.join("&"))).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["dsn"]));
    admin.follow(&["D1"; 200]).await;
    let pages: Vec<String> = (0..11).map(|number| format!("page=D{number}")).collect();
    let answer = admin.get(&format!("/api/events?{}", pages.join("&"))).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["page"]));
}

#[tokio::test]
async fn signing_out_ends_the_stream() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let mut stream = browser.follow(&[NORTH]).await;
    browser.delete("/api/session").await;
    assert_eq!(stream.next().await, Some(("end".to_owned(), json!({ "reason": "signed_out" }))));
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn changed_role_ends_the_stream_before_any_event() {
    let world = World::start().await;
    let mut stream = world.signed_in(NORTH_TECH).await.follow(&[NORTH]).await;
    world.cloud.revoke_roles(NORTH_TECH).await;
    world.pass_seconds(61);
    world.cloud.device(NORTH).await.report(&[("fragrance_remaining", json!(5))]).await;
    assert_eq!(stream.next().await, Some(("end".to_owned(), json!({ "reason": "access_changed" }))));
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn readers_of_a_stopping_server_are_told_to_reconnect_at_different_times() {
    let world = World::start().await;
    let browser = world.signed_in(ADMIN).await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        streams.push(browser.follow(&[NORTH]).await);
    }
    let World { console, cloud: _cloud, .. } = world;
    let stopped = tokio::spawn(console.shutdown());
    let mut delays = BTreeSet::new();
    for stream in &mut streams {
        let (event, data) = stream.next().await.unwrap();
        assert_eq!(event, "reconnect");
        delays.insert(data["afterMs"].as_u64().unwrap());
        assert_eq!(stream.next().await, None);
    }
    stopped.await.unwrap();
    assert!(delays.len() > 10 && delays.iter().all(|delay| (500..2_500).contains(delay)), "{delays:?}");
}
