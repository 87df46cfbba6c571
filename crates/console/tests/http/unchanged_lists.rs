//! Conditional requests for the device list and its counts: 304 only while the contents are the same.

use platform::testing::TestDb;
use reqwest::Method;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::world::*;

const LIST: &str = "/api/devices?pageSize=25";
const COUNTS: &str = "/api/devices/counts";

async fn get_unless(browser: &mut Browser, path: &str, tags: &[&str]) -> Answer {
    let request = browser.request(Method::GET, path);
    let request = tags.iter().fold(request, |request, tag| request.header("if-none-match", *tag));
    browser.send(request).await
}

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

async fn read(browser: &mut Browser, path: &str) -> (String, Value) {
    let answer = browser.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    (tag(&answer), answer.body)
}

/// The status of both requests with the tags of earlier responses.
async fn statuses(browser: &mut Browser, tags: &[String; 2]) -> [u16; 2] {
    let [list, counts] = tags;
    [get_unless(browser, LIST, &[list]).await.status, get_unless(browser, COUNTS, &[counts]).await.status]
}

async fn tags(browser: &mut Browser) -> [String; 2] {
    [read(browser, LIST).await.0, read(browser, COUNTS).await.0]
}

/// Reports a value and waits until the console has it.
async fn report(world: &World, browser: &mut Browser, dsn: &str, name: &str, value: i64) {
    let mut stream = browser.follow(&[dsn]).await;
    world.cloud.device(dsn).await.report(&[(name, json!(value))]).await;
    stream.until("reported", dsn).await;
}

async fn only_a_change_in_the_scope_ends_304(database: TestDb) {
    let world = World::start_on(&database).await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let (of_tech, of_admin) = (tags(&mut tech).await, tags(&mut admin).await);
    assert_eq!(statuses(&mut tech, &of_tech).await, [304, 304]);
    assert_eq!(statuses(&mut admin, &of_admin).await, [304, 304]);

    // South's device is low now.
    report(&world, &mut admin, SOUTH, "fragrance_remaining", 3).await;
    assert_eq!(statuses(&mut tech, &of_tech).await, [304, 304], "a change in another CSP");
    assert_eq!(statuses(&mut admin, &of_admin).await, [200, 200], "administrators see all CSPs");

    // A value that no list is sorted by and that is not counted.
    report(&world, &mut tech, NORTH, "fan", 4).await;
    assert_eq!(statuses(&mut tech, &of_tech).await, [200, 304]);
    let (renewed, list) = read(&mut tech, LIST).await;
    let row = list["devices"].as_array().unwrap().iter().find(|row| row["dsn"] == NORTH).unwrap();
    assert_eq!(row["fan"], 4);
    assert_eq!(get_unless(&mut tech, LIST, &[&renewed]).await.status, 304);
}

on_both_databases!(only_a_change_in_the_scope_ends_304);

#[tokio::test]
async fn unchanged_list_has_no_body_and_a_current_as_of() {
    let world = World::start().await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let (list_tag, list) = read(&mut tech, LIST).await;
    let unchanged = get_unless(&mut tech, LIST, &[&list_tag]).await;
    assert_eq!((unchanged.status, &unchanged.body), (304, &Value::Null));
    assert_eq!(tag(&unchanged), list_tag);
    for (header, time) in [("sillage-as-of", "asOf"), ("sillage-states-as-of", "statesAsOf")] {
        assert_eq!(unchanged.headers[header].to_str().unwrap(), list[time].as_str().unwrap());
    }
    assert_eq!(unchanged.headers["cache-control"], "no-store", "nothing is stored on a shared computer");

    world.pass_seconds(30);
    world.console.resync().await;
    let later = get_unless(&mut tech, LIST, &[&list_tag]).await;
    assert_eq!(later.status, 304);
    assert!(later.headers["sillage-as-of"].to_str().unwrap() > list["asOf"].as_str().unwrap());
}

#[tokio::test]
async fn tag_of_another_person_or_query_does_not_match_other_contents() {
    let world = World::start().await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let (of_tech, _) = read(&mut tech, LIST).await;
    // The observer sees the same devices, but may not edit them.
    for email in [NORTH_OBSERVER, SOUTH_ADMIN, ADMIN] {
        let mut other = world.signed_in(email).await;
        assert_eq!(get_unless(&mut other, LIST, &[&of_tech]).await.status, 200, "{email}");
    }
    assert_eq!(get_unless(&mut tech, "/api/devices?pageSize=25&order=asc", &[&of_tech]).await.status, 200);
    assert_eq!(get_unless(&mut world.browser(), LIST, &[&of_tech]).await.status, 401);
    world.cloud.revoke_roles(NORTH_TECH).await;
    world.pass_seconds(61);
    let revoked = get_unless(&mut tech, LIST, &[&of_tech]).await;
    assert_ne!(revoked.status, 304, "{}", revoked.body);
}

#[tokio::test]
async fn only_a_tag_of_the_contents_matches() {
    let world = World::start().await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let (known, _) = read(&mut tech, LIST).await;
    let other = "W/\"00000000000000000000000000000000\"";
    let many = vec![other; 100].join(", ");
    let (in_a_list, after_many) = (format!("{other}, {known}"), format!("{many}, {known}"));
    let rows: [(&[&str], u16); 11] = [
        (&[], 200),
        (&[&known], 304),
        (&[&in_a_list], 304),
        (&[other, &known], 304),
        (&[&after_many], 304),
        (&[other], 200),
        (&[""], 200),
        (&["*"], 200),
        (&[known.trim_matches('"')], 200),
        (&["W/"], 200),
        (&[&many], 200),
    ];
    for (tags, expected) in rows {
        assert_eq!(get_unless(&mut tech, LIST, tags).await.status, expected, "{tags:?}");
    }
}
