//! The daily digest of what needs attention.

use jiff::SignedDuration;
use platform::db::params;
use platform::mail::MailServer;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::attention::{item_ids, open_items};
use crate::browser::Browser;
use crate::inbox::Inbox;
use crate::world::*;

const DIGEST: &str = "/api/account/digest";
const ASSIGNMENTS: &str = "/api/account/digest/assignments";
const CLOG: &str = "019aa000-0000-7000-8000-000000000002";
const OTHER_CLOG: &str = "019aa000-0000-7000-8000-000000000003";
const CLOG_NEARBY: &str = "019aa000-0000-7000-8000-000000000004";
const DRY: &str = "019aa000-0000-7000-8000-000000000005";
/// In the next night of Oslo.
const RUNS_DRY_AT: &str = "2026-11-26T23:30:00Z";

async fn start(server: MailServer, database: String) -> World {
    World::start_with(|config| {
        config.database_url = database;
        config.public_url = Some("http://localhost:8080".parse().unwrap());
        config.mail_server = Some(server);
    })
    .await
}

async fn digest_reaches_those_who_want_it_once_a_day(test: TestDb) {
    let (inbox, server) = Inbox::start().await;
    let world = start(server, test.url.clone()).await;
    open_items(&test.url, &[(CLOG, NORTH), (OTHER_CLOG, SOUTH), (CLOG_NEARBY, NORTH_AQ290)]).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    world.signed_in(SOUTH_ADMIN).await;
    let none = json!({ "available": true, "time": null, "assignments": true });
    assert_eq!(tech.get(DIGEST).await.body, none);
    let time = json!({ "hour": 7, "timeZone": "Europe/Berlin" });
    let saved = tech.put(DIGEST, &time).await;
    assert_eq!((saved.status, saved.body), (200, json!({ "available": true, "time": time, "assignments": true })));
    // Two nodes look at the same time.
    let other = world.another_console(|_| {}).await;
    let send = async || {
        let (one, two) = tokio::join!(world.console.send_digests(), other.send_digests());
        one + two
    };
    assert_eq!(send().await, 0, "it is not due yet");

    for _day in 0..2 {
        world.clock.advance(SignedDuration::from_hours(24));
        world.console.resync().await;
        assert_eq!(send().await, 1, "not by both nodes");
        let mail = inbox.next().await;
        assert_eq!((mail.recipient.as_str(), mail.subject.as_str()), (NORTH_TECH, "Needs attention: 2, 2 urgent"));
        assert!(mail.body.contains("Runs, but uses nothing: "), "{}", mail.body);
        // Each link lists just its item.
        let links = mail.body.lines().filter_map(|line| line.strip_prefix("http://localhost:8080/attention?"));
        let mut reader = world.signed_in(NORTH_TECH).await;
        let mut linked = Vec::new();
        for filter in links {
            linked.push(item_ids(&mut reader, filter).await);
        }
        assert_eq!(linked, [[CLOG_NEARBY], [CLOG]]);
        assert!(!mail.body.contains(SOUTH), "of another CSP");
        assert_eq!(send().await, 0, "once a day");
    }

    // A date that may change is called provisional in the mail and in the list, as a day of the device's zone.
    forecast_provisionally(&test).await;
    world.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(send().await, 1);
    let mail = inbox.next().await;
    let line = format!("Runs dry soon: {NORTH}, ");
    let line = mail.body.lines().find(|text| text.starts_with(&line)).unwrap();
    assert!(line.ends_with(", runs dry Nov 27, provisional"), "{line}");
    let mut reader = world.signed_in(NORTH_TECH).await;
    let listed = reader.get("/api/attention").await.body["items"].clone();
    let provisional: Vec<&str> = (listed.as_array().unwrap().iter())
        .filter(|item| item["isProvisional"] == true)
        .map(|item| item["evidence"]["runsDryAt"].as_str().unwrap())
        .collect();
    assert_eq!(provisional, [RUNS_DRY_AT], "of {}", listed.as_array().unwrap().len());

    // The earlier session has expired.
    let mut tech = world.signed_in(NORTH_TECH).await;
    assert_eq!(tech.delete(DIGEST).await.status, 204);
    assert_eq!(tech.get(DIGEST).await.body, none);
    world.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(send().await, 0, "nobody wants it");
    assert!(inbox.is_empty());
    other.shutdown().await;
}

/// Opens an item about a device whose past use is still being read.
async fn forecast_provisionally(test: &TestDb) {
    let insert = "insert into attention_items (id, kind, severity, dsn, csp, since, opened_at, occurrences, cause, evidence) \
         select $1, 'runs_dry', 2, dsn, csp, 1, 2, 1, 'present_use', $3 from idx_device_state where dsn = $2";
    let evidence = json!({ "runsDryAt": RUNS_DRY_AT }).to_string();
    test.execute(insert, params![DRY, NORTH, evidence]).await.unwrap();
    test.execute("update idx_device_state set has_history = false", params![]).await.unwrap();
}

async fn digest_follows_what_its_reader_may_see(test: TestDb) {
    let (inbox, server) = Inbox::start().await;
    let world = start(server, test.url.clone()).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let mut admin = world.signed_in(ADMIN).await;
    for browser in [&mut tech, &mut admin] {
        assert_eq!(browser.put(DIGEST, &json!({ "hour": 7, "timeZone": "UTC" })).await.status, 200);
    }
    let next_day = async || {
        world.clock.advance(SignedDuration::from_hours(24));
        world.console.resync().await;
        world.console.send_digests().await
    };
    assert_eq!(next_day().await, 2);
    open_items(&test.url, &[(OTHER_CLOG, SOUTH)]).await;
    assert_eq!(next_day().await, 2);
    assert_eq!(inbox.next().await.recipient, ADMIN, "the only one who sees something");
    open_items(&test.url, &[(CLOG, NORTH)]).await;
    let id = world.user_id(NORTH_TECH).await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.delete(&format!("/api/users/{id}")).await.status, 204);
    next_day().await;
    assert_eq!(inbox.next().await.recipient, ADMIN, "the other one was removed");
    assert!(inbox.is_empty());
}

#[expect(clippy::too_many_lines, reason = "one story")]
async fn assigned_people_are_told_once_unless_they_do_not_want_it(test: TestDb) {
    let (inbox, server) = Inbox::start().await;
    let world = start(server, test.url.clone()).await;
    let many: Vec<String> = (0..60).map(|number| format!("019ab000-0000-7000-8000-0000000000{number:02}")).collect();
    open_items(&test.url, &[(CLOG, NORTH), (CLOG_NEARBY, NORTH_AQ290)]).await;
    for id in &many {
        let sql = "insert into attention_items (id, kind, severity, dsn, csp, since, opened_at, occurrences, cause, evidence) \
                   values ($1, 'no_use', 3, $1, 'North', 1, 2, 1, 'clogged', '{}')";
        test.execute(sql, params![id]).await.unwrap();
    }
    let other = world.another_console(|_| {}).await;
    let send = async || {
        let (one, two) = tokio::join!(world.console.send_assigned(), other.send_assigned());
        one + two
    };
    let wait = |minutes| world.clock.advance(SignedDuration::from_mins(minutes));
    let id = world.user_id(NORTH_TECH).await;
    let (mut admin, mut tech) = (world.signed_in(NORTH_ADMIN).await, world.signed_in(NORTH_TECH).await);

    // Two assignments within ten minutes are one mail, not earlier; the same again is none.
    assert_eq!(assign(&mut admin, &[CLOG], &id).await, 200);
    wait(9);
    assert_eq!(assign(&mut admin, &[CLOG_NEARBY], &id).await, 200);
    assert_eq!(send().await, 0);
    wait(1);
    assert_eq!(send().await, 1, "not by both nodes");
    let mail = inbox.next().await;
    assert_eq!((mail.recipient.as_str(), mail.subject.as_str()), (NORTH_TECH, "Assigned to you: 2 items"));
    let links = mail.body.lines().filter_map(|line| line.strip_prefix("http://localhost:8080/attention?"));
    let mut linked = Vec::new();
    for filter in links {
        linked.push(item_ids(&mut tech, filter).await);
    }
    assert_eq!(linked, [[CLOG_NEARBY], [CLOG]]);
    assert_eq!(assign(&mut admin, &[CLOG, CLOG_NEARBY], &id).await, 200);
    wait(20);
    assert_eq!(send().await, 0);

    // Nobody is told of what they took themselves, of what is nobody's again, or what they may not see any more.
    assert_eq!(update(&mut admin, &[CLOG, CLOG_NEARBY], json!({ "assignee": null })).await, 200);
    assert_eq!(assign(&mut tech, &[CLOG], &id).await, 200);
    assert_eq!(assign(&mut admin, &[CLOG_NEARBY], &id).await, 200);
    assert_eq!(update(&mut admin, &[CLOG_NEARBY], json!({ "assignee": null })).await, 200);
    wait(20);
    assert_eq!(send().await, 0);

    // Far too many are one mail with fifty of them.
    assert_eq!(assign(&mut admin, &many.iter().map(String::as_str).collect::<Vec<_>>(), &id).await, 200);
    wait(10);
    assert_eq!(send().await, 1);
    let mail = inbox.next().await;
    assert_eq!(mail.subject, "Assigned to you: 60 items");
    assert_eq!(mail.body.matches("Runs, but uses nothing").count(), 50, "{}", mail.body);
    assert!(
        mail.body.contains("There are further items: http://localhost:8080/attention?assignee=me"),
        "{}",
        mail.body
    );

    // The digest has one's own items first.
    assert_eq!(tech.put(DIGEST, &json!({ "hour": 7, "timeZone": "UTC" })).await.status, 200);
    assert_eq!(update(&mut admin, &[many[0].as_str()], json!({ "assignee": null })).await, 200);
    world.clock.advance(SignedDuration::from_hours(24));
    world.console.resync().await;
    assert_eq!(world.console.send_digests().await, 1);
    let body = inbox.next().await.body;
    assert!(body.starts_with("ASSIGNED TO YOU"), "{body}");

    // Who does not want them gets none.
    let mut tech = world.signed_in(NORTH_TECH).await;
    let mut admin = world.signed_in(NORTH_ADMIN).await;
    let refused = tech.put(ASSIGNMENTS, &json!({})).await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["wanted"]));
    let saved = tech.put(ASSIGNMENTS, &json!({ "wanted": false })).await;
    assert_eq!((saved.status, &saved.body["assignments"]), (200, &json!(false)));
    assert_eq!(assign(&mut admin, &[many[0].as_str()], &id).await, 200);
    wait(20);
    assert_eq!(send().await, 0);
    assert!(inbox.is_empty());
    other.shutdown().await;
}

async fn assign(browser: &mut Browser, ids: &[&str], person: &str) -> u16 {
    update(browser, ids, json!({ "assignee": person })).await
}

async fn update(browser: &mut Browser, ids: &[&str], changes: Value) -> u16 {
    let mut form = changes;
    form["ids"] = json!(ids);
    browser.post("/api/attention/update", &form).await.status
}

on_both_databases!(
    assigned_people_are_told_once_unless_they_do_not_want_it,
    digest_reaches_those_who_want_it_once_a_day,
    digest_follows_what_its_reader_may_see,
);

#[tokio::test]
async fn invalid_time_is_refused_with_a_text_for_each_member() {
    let (_inbox, server) = Inbox::start().await;
    let test = TestDb::sqlite().await;
    let world = start(server, test.url.clone()).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let rows = [
        (json!({}), vec!["hour", "timeZone"]),
        (json!({ "hour": 24, "timeZone": "UTC" }), vec!["hour"]),
        (json!({ "hour": -1, "timeZone": "UTC" }), vec!["hour"]),
        (json!({ "hour": 7, "timeZone": "Mars/Olympus" }), vec!["timeZone"]),
        (json!({ "hour": 7, "timeZone": "" }), vec!["timeZone"]),
        (json!({ "hour": 7, "timeZone": "x".repeat(100_000) }), vec!["timeZone"]),
    ];
    for (form, fields) in rows {
        let refused = tech.put(DIGEST, &form).await;
        assert_eq!((refused.status, refused.fields()), (422, fields), "{:.80}", form.to_string());
    }
    for form in [json!({ "hour": 7.5, "timeZone": "UTC" }), json!({ "hour": "7", "timeZone": "UTC" })] {
        assert_eq!(tech.put(DIGEST, &form).await.status, 422, "{form}");
    }
    assert_eq!(tech.get(DIGEST).await.body["time"], json!(null));
}

#[tokio::test]
async fn console_without_a_mail_server_offers_no_digest() {
    let world = World::start().await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    assert_eq!(tech.get(DIGEST).await.body, json!({ "available": false, "time": null, "assignments": true }));
    assert_eq!(tech.put(DIGEST, &json!({ "hour": 7, "timeZone": "UTC" })).await.status, 409);
}
