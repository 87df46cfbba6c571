//! Notifications of a device, one row per recipient.

use std::time::Duration;

use cloud::testing::Fault;
use devicecloud::{Client, NotificationType, PropertyKey};
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::world::*;

const ALL: [&str; 3] = ["connected", "disconnected", "lowProductLevel"];

fn path(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}/notifications")
}

pub(crate) fn form(method: &str, recipient: &str, events: &[&str]) -> Value {
    let events: serde_json::Map<_, _> =
        ALL.iter().map(|event| ((*event).to_owned(), json!(events.contains(event)))).collect();
    json!({ "method": method, "recipient": recipient, "events": events })
}

pub(crate) async fn add(browser: &mut Browser, dsn: &str, form: &Value) -> Vec<Value> {
    rows(&expect_ok(browser.post(&path(dsn), form).await)["notifications"])
}

fn expect_ok(answer: Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

pub(crate) fn rows(notifications: &Value) -> Vec<Value> {
    notifications.as_array().unwrap().clone()
}

/// Method, recipient and events of each row.
pub(crate) fn notification_rows(rows: &[Value]) -> Vec<(&str, &str, Vec<&str>)> {
    let events = |row: &Value| ALL.into_iter().filter(|event| row["events"][event].is_string()).collect();
    rows.iter().map(|row| (row["method"].as_str().unwrap(), row["recipient"].as_str().unwrap(), events(row))).collect()
}

fn one_of(dsn: &str, row: &Value) -> String {
    format!("{}/{}", path(dsn), row["id"].as_str().unwrap())
}

/// Reads the notifications and triggers of a device directly from the cloud.
struct CloudReader {
    client: Client,
    level: PropertyKey,
    device: devicecloud::DeviceKey,
}

impl CloudReader {
    async fn of(world: &World, dsn: &str) -> Self {
        let client = world.cloud_as(ADMIN).await;
        let device = client.devices().get(dsn).send().await.unwrap().key;
        let properties = client.properties().list(dsn).names(["fragrance_remaining"]).send().await.unwrap();
        Self { client, level: properties[0].key.clone(), device }
    }

    /// Type, threshold, and the recipients of each notification.
    async fn notifications(&self) -> Vec<(String, Option<i64>, Vec<String>)> {
        let mut all = Vec::new();
        for notification in self.client.notifications().list(&self.device).await.unwrap() {
            let apps = self.client.notifications().apps(&notification.id).await.unwrap();
            let recipients = apps.into_iter().map(|app| match app.email.filter(|email| !email.is_empty()) {
                Some(email) => format!("{} {email}", app.app_type),
                None => format!("{} {} {}", app.app_type, app.country_code.unwrap(), app.phone_number.unwrap()),
            });
            all.push((notification.notification_type.to_string(), notification.threshold, recipients.collect()));
        }
        all.sort();
        all
    }

    /// Type, comparison, value, and the recipients of each trigger of the level.
    async fn triggers(&self) -> Vec<(String, String, String, Vec<String>)> {
        let triggers = self.client.triggers().list(&self.level).await.unwrap();
        let of = |trigger: devicecloud::Trigger| {
            let apps = trigger.trigger_apps.into_iter();
            let recipients = apps.map(|app| {
                let params = [app.param1, app.param2].into_iter().flatten().filter(|param| !param.is_empty());
                format!("{} {}", app.name, params.collect::<Vec<_>>().join(" "))
            });
            let compare_type = trigger.compare_type.unwrap().to_string();
            (trigger.trigger_type.to_string(), compare_type, trigger.value.unwrap(), recipients.collect())
        };
        triggers.into_iter().map(of).collect()
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[tokio::test]
async fn addition_creates_notifications_and_trigger_of_the_selected_events() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cloud = CloudReader::of(&world, NORTH).await;

    let added = add(&mut browser, NORTH, &form("email", " Jo@Example.com ", &ALL)).await;
    assert_eq!(notification_rows(&added), [("email", "Jo@Example.com", ALL.to_vec())]);
    assert_eq!(
        cloud.notifications().await,
        [
            ("on_connection_lost".to_owned(), Some(300), texts(&["email Jo@Example.com"])),
            ("on_connection_restore".to_owned(), Some(300), texts(&["email Jo@Example.com"])),
        ]
    );
    let low =
        |recipients: &[&str]| vec![("compare_absolute".to_owned(), "<".to_owned(), "20".to_owned(), texts(recipients))];
    assert_eq!(cloud.triggers().await, low(&["email Jo@Example.com"]));

    // A second recipient shares the same notifications.
    let added = add(&mut browser, NORTH, &form("sms", "(414) 555-0100", &["disconnected", "lowProductLevel"])).await;
    assert_eq!(
        notification_rows(&added),
        [("email", "Jo@Example.com", ALL.to_vec()), ("sms", "+14145550100", vec!["disconnected", "lowProductLevel"]),]
    );
    assert_eq!(added[1]["phone"], json!({ "country": "US", "number": "(414) 555-0100" }));
    assert_eq!(added[0]["phone"], Value::Null);
    assert_eq!(
        cloud.notifications().await,
        [
            ("on_connection_lost".to_owned(), Some(300), texts(&["email Jo@Example.com", "sms 1 4145550100"])),
            ("on_connection_restore".to_owned(), Some(300), texts(&["email Jo@Example.com"])),
        ]
    );
    assert_eq!(cloud.triggers().await, low(&["email Jo@Example.com", "sms 1 4145550100"]));
    assert_eq!(rows(&browser.notifications(NORTH).await), added, "the page has them too");
    assert!(rows(&browser.notifications(NORTH_AQ290).await).is_empty(), "another device has none");
}

#[tokio::test]
async fn every_event_has_the_id_of_its_notification() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cloud = CloudReader::of(&world, NORTH).await;
    let added = add(&mut browser, NORTH, &form("email", "jo@example.com", &ALL)).await;
    for (event, notification_type) in
        [("connected", NotificationType::OnConnectionRestore), ("disconnected", NotificationType::OnConnectionLost)]
    {
        let notifications = cloud.client.notifications().list(&cloud.device).await.unwrap();
        let notification = notifications.into_iter().find(|it| it.notification_type == notification_type).unwrap();
        let app = cloud.client.notifications().apps(&notification.id).await.unwrap().remove(0);
        assert_eq!(added[0]["events"][event], format!("{}/{}", notification.id, app.id), "{event}");
    }
    let trigger = cloud.client.triggers().list(&cloud.level).await.unwrap().remove(0);
    assert_eq!(added[0]["events"]["lowProductLevel"], trigger.trigger_apps[0].key.as_str());
}

#[tokio::test]
async fn existing_recipient_is_not_added_twice() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cloud = CloudReader::of(&world, NORTH).await;
    add(&mut browser, NORTH, &form("email", "jo@example.com", &["connected"])).await;
    add(&mut browser, NORTH, &form("sms", "4145550100", &["lowProductLevel"])).await;
    let again = [
        form("email", "JO@example.com", &["connected"]),
        form("sms", "+1 414 555 0100", &["lowProductLevel"]),
        form("email", "jo@example.com", &["connected", "disconnected"]),
    ];
    for form in again {
        add(&mut browser, NORTH, &form).await;
    }
    assert_eq!(
        cloud.notifications().await,
        [
            ("on_connection_lost".to_owned(), Some(300), texts(&["email jo@example.com"])),
            ("on_connection_restore".to_owned(), Some(300), texts(&["email jo@example.com"])),
        ]
    );
    let [(.., recipients)] = &cloud.triggers().await[..] else { panic!("one trigger") };
    assert_eq!(recipients, &["sms 1 4145550100"]);
}

#[tokio::test]
async fn edit_adds_new_and_removes_deselected_notifications() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cloud = CloudReader::of(&world, NORTH).await;
    let added = add(&mut browser, NORTH, &form("email", "jo@example.com", &["connected", "disconnected"])).await;
    let input = form("email", "jo@example.com", &["disconnected", "lowProductLevel"]);
    let edited = rows(&expect_ok(browser.put(&one_of(NORTH, &added[0]), &input).await)["notifications"]);
    assert_eq!(notification_rows(&edited), [("email", "jo@example.com", vec!["disconnected", "lowProductLevel"])]);
    assert_eq!(edited[0]["id"], added[0]["id"], "it is the same notification");
    assert_eq!(
        edited[0]["events"]["disconnected"], added[0]["events"]["disconnected"],
        "an unchanged notification keeps its id"
    );
    let lost = ("on_connection_lost".to_owned(), Some(300), texts(&["email jo@example.com"]));
    assert_eq!(cloud.notifications().await, [lost], "a notification goes with its last app");

    // Edits that change the recipient.
    let input = form("email", "kim@example.com", &["disconnected"]);
    let edited = rows(&expect_ok(browser.put(&one_of(NORTH, &edited[0]), &input).await)["notifications"]);
    assert_eq!(notification_rows(&edited), [("email", "kim@example.com", vec!["disconnected"])]);
    assert_ne!(edited[0]["id"], added[0]["id"]);
    let app = &added[0]["events"]["disconnected"];
    assert_eq!(&edited[0]["events"]["disconnected"], app, "the app has another recipient");
    let lost = ("on_connection_lost".to_owned(), Some(300), texts(&["email kim@example.com"]));
    assert_eq!(cloud.notifications().await, [lost]);
    assert!(cloud.triggers().await.into_iter().all(|(.., recipients)| recipients.is_empty()));
    let gone = browser.put(&one_of(NORTH, &added[0]), &input).await;
    assert_eq!(gone.status, 404, "the former one is not there any more");
}

#[tokio::test]
async fn app_that_the_cloud_cannot_change_is_replaced() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cloud = CloudReader::of(&world, NORTH).await;
    let added = add(&mut browser, NORTH, &form("email", "jo@example.com", &["disconnected"])).await;
    let pass = Fault::Delay(Duration::ZERO);
    // Requests: the device, its notifications, their apps and its triggers. The change fails.
    for fault in [pass, pass, pass, pass, Fault::NotFound] {
        world.cloud.faults().push(fault);
    }
    let input = form("email", "kim@example.com", &["disconnected"]);
    let edited = rows(&expect_ok(browser.put(&one_of(NORTH, &added[0]), &input).await)["notifications"]);
    assert_eq!(notification_rows(&edited), [("email", "kim@example.com", vec!["disconnected"])]);
    assert_ne!(edited[0]["events"]["disconnected"], added[0]["events"]["disconnected"]);
    let lost = ("on_connection_lost".to_owned(), Some(300), texts(&["email kim@example.com"]));
    assert_eq!(cloud.notifications().await, [lost]);
}

#[tokio::test]
async fn removing_ends_all_events_of_that_recipient_and_of_no_other() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cloud = CloudReader::of(&world, NORTH).await;
    add(&mut browser, NORTH, &form("email", "jo@example.com", &ALL)).await;
    let added = add(&mut browser, NORTH, &form("sms", "4145550100", &ALL)).await;
    let left = rows(&expect_ok(browser.delete(&one_of(NORTH, &added[0])).await)["notifications"]);
    assert_eq!(notification_rows(&left), [("sms", "+14145550100", ALL.to_vec())]);
    let left = rows(&expect_ok(browser.delete(&one_of(NORTH, &added[1])).await)["notifications"]);
    assert!(left.is_empty());
    assert!(cloud.notifications().await.is_empty());
    assert!(cloud.triggers().await.into_iter().all(|(.., recipients)| recipients.is_empty()));
    assert_eq!(browser.delete(&one_of(NORTH, &added[1])).await.status, 404);
}

#[tokio::test]
async fn foreign_notifications_are_shown_and_left_unchanged() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cloud = CloudReader::of(&world, NORTH).await;
    let (notifications, triggers) = (cloud.client.notifications(), cloud.client.triggers());
    let email = |address: &str| devicecloud::NewNotificationApp::email(address).message("Hello");
    let connect = notifications.create(&cloud.device, NotificationType::OnConnect).send().await.unwrap();
    notifications.create_app(&connect.id, &email("jo@example.com")).await.unwrap();
    let lost =
        notifications.create(&cloud.device, NotificationType::OnConnectionLost).threshold(60).send().await.unwrap();
    notifications.create_app(&lost.id, &email("jo@example.com")).await.unwrap();
    let five = devicecloud::NewTrigger::compare(devicecloud::CompareType::Less, "5")
        .app(devicecloud::NewTriggerApp::email("jo@example.com"));
    triggers.create(&cloud.level, &five, &[]).await.unwrap();

    let found = rows(&browser.notifications(NORTH).await);
    assert_eq!(
        notification_rows(&found),
        [("email", "jo@example.com", vec!["disconnected"])],
        "the rest is none of ours"
    );
    let added = add(&mut browser, NORTH, &form("email", "kim@example.com", &ALL)).await;
    assert_eq!(added.len(), 2);
    for row in &added {
        expect_ok(browser.delete(&one_of(NORTH, row)).await);
    }
    let connect = ("on_connect".to_owned(), Some(300), texts(&["email jo@example.com"]));
    assert_eq!(cloud.notifications().await, [connect]);
    let of_five = cloud.triggers().await.into_iter().filter(|(_, _, value, _)| value == "5");
    assert_eq!(of_five.map(|(.., recipients)| recipients).collect::<Vec<_>>(), [texts(&["email jo@example.com"])]);
}

#[tokio::test]
async fn invalid_notification_names_its_fields_and_creates_nothing() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cloud = CloudReader::of(&world, NORTH).await;
    let rows = [
        (json!({}), vec!["events", "method", "recipient"]),
        (form("sms", "12", &ALL), vec!["recipient"]),
        (form("sms", "jo@example.com", &ALL), vec!["recipient"]),
        (form("email", " ", &ALL), vec!["recipient"]),
        (form("email", "jo@example.com", &[]), vec!["events"]),
        (form("pigeon", "jo@example.com", &ALL), vec!["method"]),
        (
            json!({ "method": "sms", "recipient": "4145550100", "country": "XX", "events": { "connected": true } }),
            vec!["country"],
        ),
        (json!({ "method": "email", "recipient": 7, "events": { "connected": true } }), vec!["recipient"]),
        (
            json!({ "method": "email", "recipient": "jo@example.com", "events": { "connected": "yes" } }),
            vec!["events.connected"],
        ),
    ];
    for (body, fields) in rows {
        let refused = browser.post(&path(NORTH), &body).await;
        assert_eq!((refused.status, refused.fields()), (422, fields), "{body}");
    }
    let refused = browser.post(&path(NORTH), &form("sms", "12", &ALL)).await;
    assert_eq!(refused.body["errors"]["recipient"], json!(["Invalid phone number"]));
    // The console accepts any text as an address; this cloud does not.
    let refused = browser.post(&path(NORTH), &form("email", "front desk", &ALL)).await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["recipient"]), "{}", refused.body);
    assert!(cloud.notifications().await.is_empty() && cloud.triggers().await.is_empty());

    let added = add(&mut browser, NORTH, &form("email", "jo@example.com", &["connected"])).await;
    let refused = browser.put(&one_of(NORTH, &added[0]), &form("sms", "4145550100", &["connected"])).await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["method"]));
    for id in ["none", "%00", "..%2f..", &"x".repeat(5_000)] {
        let path = format!("{}/{id}", path(NORTH));
        assert_eq!(browser.put(&path, &form("email", "jo@example.com", &ALL)).await.status, 404, "{id:.20}");
        assert_eq!(browser.delete(&path).await.status, 404, "{id:.20}");
    }
}

#[tokio::test]
async fn scope_comes_before_role_and_role_before_values() {
    let world = World::start().await;
    let mut editor = world.signed_in(NORTH_TECH).await;
    let added = add(&mut editor, NORTH, &form("email", "jo@example.com", &ALL)).await;
    let id = added[0]["id"].as_str().unwrap();
    for (email, dsn, status) in [
        (NORTH_OBSERVER, NORTH, 403),
        (OBSERVER, NORTH, 403),
        (NORTH_OBSERVER, SOUTH, 404),
        (SOUTH_ADMIN, NORTH, 404),
        (END_USER, OWNED, 404),
        (NO_ROLE, NORTH, 404),
    ] {
        let mut browser = world.signed_in(email).await;
        for id in [id, "none"] {
            let one = format!("{}/{id}", path(dsn));
            assert_eq!(browser.put(&one, &json!({})).await.status, status, "{email} {dsn}");
            assert_eq!(browser.delete(&one).await.status, status, "{email} {dsn}");
        }
        assert_eq!(browser.post(&path(dsn), &json!({})).await.status, status, "{email} {dsn}");
    }
    for email in [NORTH_OBSERVER, OBSERVER, NORTH_ADMIN] {
        assert_eq!(rows(&world.signed_in(email).await.notifications(NORTH).await), added, "{email} sees all of them");
    }
    // A row belongs to one device, even for an actor who may change both devices.
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.delete(&format!("{}/{id}", path(SOUTH))).await.status, 404);
}

#[tokio::test]
async fn interrupted_notification_write_reports_progress_and_can_be_repeated() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let pass = Fault::Delay(Duration::ZERO);
    // Requests: the device, its notifications and triggers; the notification of the connection and its app. The second
    // notification fails.
    for fault in [pass, pass, pass, pass, pass, Fault::Drop] {
        world.cloud.faults().push(fault);
    }
    let input = form("email", "jo@example.com", &ALL);
    let stopped = browser.post(&path(NORTH), &input).await;
    assert_eq!((stopped.status, stopped.code(), stopped.fields()), (502, "cloud_failed", vec!["disconnected"]));
    assert_eq!(
        stopped.body["detail"],
        "Disconnected was not saved: The device cloud cannot be reached. Already saved: Connected."
    );
    assert_eq!(
        notification_rows(&rows(&browser.notifications(NORTH).await)),
        [("email", "jo@example.com", vec!["connected"])]
    );
    let added = add(&mut browser, NORTH, &input).await;
    assert_eq!(notification_rows(&added), [("email", "jo@example.com", ALL.to_vec())]);

    // Requests: the device, its notifications and triggers, the apps of both, the removal of the first app. Removing the
    // second app fails.
    for fault in [pass, pass, pass, pass, pass, pass, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let stopped = browser.delete(&one_of(NORTH, &added[0])).await;
    assert_eq!((stopped.status, stopped.fields()), (502, vec!["disconnected"]));
    let detail = stopped.body["detail"].as_str().unwrap();
    assert!(detail.starts_with("Disconnected was not removed: "), "{detail}");
    assert!(detail.ends_with(". Already removed: Connected."), "{detail}");
    let left = rows(&browser.notifications(NORTH).await);
    assert_eq!(notification_rows(&left), [("email", "jo@example.com", vec!["disconnected", "lowProductLevel"])]);
    assert!(rows(&expect_ok(browser.delete(&one_of(NORTH, &left[0])).await)["notifications"]).is_empty());
}

fn undo_path(removed: &Value) -> String {
    format!("{}/removals/{}/undo", path(NORTH), removed["undo"]["id"].as_str().unwrap())
}

async fn removal_is_undone_once_within_30_seconds(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let jo = form("email", "Jo@example.com", &ALL);
    add(&mut browser, NORTH, &form("sms", "(414) 555-0100", &["disconnected", "lowProductLevel"])).await;
    let before = add(&mut browser, NORTH, &jo).await;
    let removed = expect_ok(browser.delete(&one_of(NORTH, &before[0])).await);
    assert_eq!(removed["undo"]["until"], "2026-11-20T10:00:30Z");
    let undo = undo_path(&removed);
    for (email, status) in [(NORTH_OBSERVER, 403), (OBSERVER, 403), (SOUTH_ADMIN, 404), (END_USER, 404)] {
        assert_eq!(world.signed_in(email).await.post(&undo, &Value::Null).await.status, status, "{email}");
    }
    let other = undo.replace(NORTH, NORTH_AQ290);
    assert_eq!(browser.post(&other, &Value::Null).await.status, 409, "another device");

    // One event has come back by other means. An undo that fails in between can be repeated.
    add(&mut browser, NORTH, &form("email", "jo@example.com", &["connected"])).await;
    let pass = Fault::Delay(Duration::ZERO);
    for fault in [pass, pass, pass, pass, pass, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    assert_eq!(browser.post(&undo, &Value::Null).await.status, 422);
    world.pass_seconds(29);
    let (mut tech, mut admin) = (browser.clone(), world.signed_in(NORTH_ADMIN).await);
    let (one, two) = tokio::join!(tech.post(&undo, &Value::Null), admin.post(&undo, &Value::Null));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "exactly once");
    let restored = rows(&browser.notifications(NORTH).await);
    let ids = |rows: &[Value]| rows.iter().map(|row| row["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&restored), ids(&before), "the same notification");
    assert_eq!(notification_rows(&restored)[0].2, ALL);
    assert_eq!(notification_rows(&restored)[1], notification_rows(&before)[1], "others stay");
    let cloud = CloudReader::of(&world, NORTH).await;
    let recipients = cloud.notifications().await.into_iter().flat_map(|(.., recipients)| recipients);
    assert_eq!(recipients.filter(|it| it.to_lowercase() == "email jo@example.com").count(), 2, "no event twice");

    let removed = expect_ok(browser.delete(&one_of(NORTH, &restored[0])).await);
    world.pass_seconds(30);
    let late = browser.post(&undo_path(&removed), &Value::Null).await;
    let detail = late.body["detail"].as_str().unwrap();
    assert_eq!((late.status, detail), (409, "The removal was undone already, or is older than 30 seconds."));
    let left = rows(&browser.notifications(NORTH).await);
    assert_eq!(left.len(), 1);
    let removed = expect_ok(browser.delete(&one_of(NORTH, &left[0])).await);
    cloud.client.devices().unregister(cloud.device.clone()).await.unwrap();
    assert_eq!(browser.post(&undo_path(&removed), &Value::Null).await.status, 404, "the device was removed");
}

on_both_databases!(removal_is_undone_once_within_30_seconds);

#[tokio::test]
async fn audit_names_the_channel_and_never_the_recipient() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let added = add(&mut browser, NORTH, &form("email", "jo.secret@example.com", &["connected"])).await;
    let input = form("email", "kim.secret@example.com", &["disconnected"]);
    let edited = rows(&expect_ok(browser.put(&one_of(NORTH, &added[0]), &input).await)["notifications"]);
    expect_ok(browser.delete(&one_of(NORTH, &edited[0])).await);

    let audit = world.signed_in(NORTH_ADMIN).await.get(&format!("/api/audit?target={NORTH}")).await.body;
    let entries = audit["entries"].as_array().unwrap();
    let operations: Vec<_> = entries.iter().map(|entry| entry["operation"].as_str().unwrap()).collect();
    assert_eq!(operations, ["delete_device_notification", "update_device_notification", "create_device_notification"]);
    let changes = |entry: &Value| {
        let changes = entry["changes"].as_array().unwrap().iter();
        changes.map(|it| json!([it["field"], it["before"], it["after"], it["saved"]])).collect::<Value>()
    };
    assert_eq!(changes(&entries[2]), json!([["connected", null, "email", true]]));
    assert_eq!(
        changes(&entries[1]),
        json!([
            [format!("recipient.{}", edited[0]["id"].as_str().unwrap()), "email", "another", true],
            ["disconnected", null, "email", true],
            ["connected", "email", null, true]
        ])
    );
    assert_eq!(
        changes(&entries[0]),
        json!([
            [format!("recipient.{}", edited[0]["id"].as_str().unwrap()), "email", null, true],
            ["disconnected", "email", null, true]
        ])
    );
    assert!(!audit.to_string().contains("secret@"));
}

#[tokio::test]
async fn changed_notification_reaches_watchers_of_the_device() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut stream = world.signed_in(OBSERVER).await.follow(&[NORTH]).await;
    add(&mut browser, NORTH, &form("email", "jo@example.com", &["connected"])).await;
    stream.until("changed", NORTH).await;
}
