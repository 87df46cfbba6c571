//! Notifications: permissions, input and delivery.

use cloud::testing::{TestCloud, TestMessage, World};
use devicecloud::{NewNotificationApp, NotificationType};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::client_devices::signed_in;

const EMAIL: &str = "jo@example.com";
const PHONE: &str = "+14145550100";

pub(crate) fn lost() -> Value {
    json!({ "notification": { "notification_type": "on_connection_lost", "threshold": 300 } })
}

pub(crate) fn email() -> Value {
    let parameters = json!({ "username": "Administrator", "email": EMAIL, "message": "Offline" });
    json!({ "notification_app": { "app_type": "email", "notification_app_parameters": parameters } })
}

/// Creates a notification of a lost connection with an app. Returns both ids.
pub(crate) async fn with_app(fixture: &Fixture, token: &str, dsn: &str) -> (i64, i64) {
    let path = format!("/apiv1/devices/{}/notifications", fixture.device_key(token, dsn).await);
    let made = fixture.post(token, &path, lost()).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let id = made.body["notification"]["id"].as_i64().unwrap();
    let app = fixture.post(token, &format!("/apiv1/notifications/{id}/notification_apps"), email()).await;
    assert_eq!(app.status, 201, "{}", app.body);
    (id, app.body["notification_app"]["id"].as_i64().unwrap())
}

fn pass(fixture: &Fixture, seconds: i64) {
    fixture.cloud.clock().advance(SignedDuration::from_secs(seconds));
}

/// The recipients, with the subject or text, of the messages since the last call, sorted.
async fn new_messages(fixture: &Fixture, seen: &mut usize) -> Vec<(String, String)> {
    let outbox = fixture.cloud.outbox().await;
    let words = |message: &TestMessage| {
        let words = if message.channel == "sms" { &message.body } else { &message.subject };
        (message.recipient.clone(), words.clone())
    };
    let mut messages: Vec<_> = outbox[*seen..].iter().map(words).collect();
    messages.sort();
    *seen = outbox.len();
    messages
}

/// Adds notifications of these types by e-mail to DEV-A1, as a partner through the library.
async fn watched(fixture: &Fixture, types: &[NotificationType]) {
    let client = signed_in(fixture, World::TECHNICIAN_A).await;
    let key = client.devices().get("DEV-A1").send().await.unwrap().key;
    for kind in types {
        let made = client.notifications().create(&key, kind.clone()).send().await.unwrap();
        client.notifications().create_app(&made.id, &NewNotificationApp::email(EMAIL)).await.unwrap();
    }
}

fn mail(subject: &str) -> Vec<(String, String)> {
    vec![(EMAIL.to_owned(), subject.to_owned())]
}

#[tokio::test]
async fn notifications_and_their_apps_are_created_listed_and_deleted() {
    let fixture = Fixture::start().await;
    let (maker, viewer) = (fixture.token(World::TECHNICIAN_A).await, fixture.token(World::PARTNER_OBSERVER_A).await);
    let (id, app) = with_app(&fixture, &maker, "DEV-A1").await;
    let path = format!("/apiv1/devices/{}/notifications", fixture.device_key(&maker, "DEV-A1").await);
    let count = async |token: &str, path: &str| fixture.get(token, path).await.body.as_array().unwrap().len();
    assert_eq!((count(&maker, &path).await, count(&viewer, &path).await), (1, 0), "the caller's own notifications");
    assert_eq!(count(&viewer, &format!("{path}/all.json")).await, 1, "the notifications of all users of the device");
    let apps = format!("/apiv1/notifications/{id}/notification_apps");
    assert_eq!(count(&viewer, &apps).await, 1);
    assert_eq!(fixture.delete(&viewer, &format!("{apps}/{app}")).await.status, 403);
    assert_eq!(fixture.delete(&maker, &format!("{apps}/{app}.json")).await.status, 200);
    assert_eq!(fixture.delete(&maker, &format!("{apps}/{app}")).await.status, 404);
    let (_, others) = with_app(&fixture, &maker, "DEV-A2").await;
    assert_eq!(
        fixture.delete(&maker, &format!("{apps}/{others}")).await.status,
        404,
        "the app belongs to another notification"
    );
    assert_eq!(fixture.delete(&maker, &format!("/apiv1/notifications/{id}")).await.status, 200);
    assert_eq!(fixture.get(&maker, &apps).await.status, 404, "its apps went with it");
}

#[tokio::test]
async fn notification_has_a_default_threshold_and_accepts_it_as_a_text() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let path = format!("/apiv1/devices/{}/notifications", fixture.device_key(&token, "DEV-A1").await);
    for (threshold, expected) in [(json!(null), 300), (json!(""), 300), (json!("60"), 60), (json!(0), 0)] {
        let body = json!({ "notification_type": "on_connection_restore", "threshold": threshold, "later": 1 });
        let made = fixture.post(&token, &path, body).await;
        assert_eq!((made.status, &made.body["notification"]["threshold"]), (201, &json!(expected)), "{threshold}");
    }
}

#[tokio::test]
async fn invalid_field_of_a_notification_or_its_app_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let path = format!("/apiv1/devices/{}/notifications", fixture.device_key(&token, "DEV-A1").await);
    let lost = |more: Value| {
        let mut members = json!({ "notification_type": "on_connection_lost" });
        members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "notification": members })
    };
    for (body, field) in [
        (json!({}), "notification_type"),
        (json!({ "notification": { "notification_type": 7 } }), "notification_type"),
        (json!({ "notification": { "notification_type": "ip_change" } }), "notification_type"),
        (lost(json!({ "threshold": -1 })), "threshold"),
        (lost(json!({ "threshold": 2_592_001 })), "threshold"),
        (lost(json!({ "threshold": 1.5 })), "threshold"),
        (lost(json!({ "threshold": "soon" })), "threshold"),
        (lost(json!({ "message": "x".repeat(1_001) })), "message"),
        (lost(json!({ "message": ["x"] })), "message"),
        (lost(json!({ "url": "http://127.0.0.1/" })), "url"),
        (json!({ "notification": [] }), "notification"),
    ] {
        let refused = fixture.post(&token, &path, body.clone()).await;
        assert_eq!(refused.status, 422, "{body}");
        assert!(refused.body["errors"][field].is_array(), "{body}: {}", refused.body);
    }
    let (id, _) = with_app(&fixture, &token, "DEV-A1").await;
    let apps = format!("/apiv1/notifications/{id}/notification_apps");
    let app = |kind: &str, parameters: Value| json!({ "notification_app": { "app_type": kind, "notification_app_parameters": parameters } });
    for (body, field) in [
        (json!({}), "app_type"),
        (app("push_ios", json!({})), "app_type"),
        (app("email", json!({})), "email"),
        (app("email", json!({ "email": "a b@example.com" })), "email"),
        (app("email", json!({ "email": format!("{}@example.com", "x".repeat(255)) })), "email"),
        (app("email", json!({ "email": EMAIL, "message": "x\u{0}" })), "message"),
        (app("email", json!({ "email": EMAIL, "email_body_html": "<p>" })), "email_body_html"),
        (app("sms", json!({ "email": EMAIL })), "country_code"),
        (app("sms", json!({ "country_code": "1" })), "phone_number"),
        (app("sms", json!({ "country_code": "1", "phone_number": "call me" })), "phone_number"),
        (app("sms", json!({ "country_code": 1, "phone_number": "4145550100" })), "country_code"),
    ] {
        let refused = fixture.post(&token, &apps, body.clone()).await;
        assert_eq!(refused.status, 422, "{body}");
        assert!(refused.body["errors"][field].is_array(), "{body}: {}", refused.body);
        assert!(!refused.body.to_string().contains("example.com"), "{}", refused.body);
    }
    for id in ["0", "999999999", "x", "1%20or%201=1", "9223372036854775808"] {
        let path = format!("/apiv1/notifications/{id}");
        assert_eq!(fixture.delete(&token, &path).await.status, 404, "{id}");
        assert_eq!(fixture.get(&token, &format!("{path}/notification_apps")).await.status, 404, "{id}");
    }
}

#[tokio::test]
async fn device_has_at_most_20_notifications_with_50_apps_each() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let path = format!("/apiv1/devices/{}/notifications", fixture.device_key(&token, "DEV-U1").await);
    let mut last = 0;
    for _ in 0..20 {
        let made = fixture.post(&token, &path, lost()).await;
        assert_eq!(made.status, 201);
        last = made.body["notification"]["id"].as_i64().unwrap();
    }
    assert_eq!(fixture.post(&token, &path, lost()).await.status, 422);
    let apps = format!("/apiv1/notifications/{last}/notification_apps");
    for _ in 0..50 {
        assert_eq!(fixture.post(&token, &apps, email()).await.status, 201);
    }
    assert_eq!(fixture.post(&token, &apps, email()).await.status, 422);
}

#[tokio::test]
async fn connection_loss_is_notified_once_after_its_threshold() {
    let fixture = Fixture::start().await;
    watched(&fixture, &[NotificationType::OnConnectionLost, NotificationType::OnConnectionRestore]).await;
    let (device, mut seen) = (fixture.cloud.device("DEV-A1").await, 0);
    let generation = device.connect().await;
    device.disconnect(generation).await;
    pass(&fixture, 299);
    fixture.cloud.notify_losses().await;
    assert_eq!(new_messages(&fixture, &mut seen).await, []);
    pass(&fixture, 1);
    fixture.cloud.notify_losses().await;
    assert_eq!(new_messages(&fixture, &mut seen).await, mail("Thing DEV-A1 lost its connection"));
    pass(&fixture, 3_600);
    fixture.cloud.notify_losses().await;
    assert_eq!(new_messages(&fixture, &mut seen).await, []);
    device.connect().await;
    assert_eq!(new_messages(&fixture, &mut seen).await, mail("Thing DEV-A1 is connected again"));
    device.connect().await;
    assert_eq!(new_messages(&fixture, &mut seen).await, [], "a replaced connection is not a reconnection");
    let body = &fixture.cloud.outbox().await[1].body;
    assert!(body.contains("It had lost its connection on 20 November 2026, 11:00 (Europe/Paris)."), "{body}");
}

#[tokio::test]
async fn connection_loss_shorter_than_its_threshold_sends_nothing() {
    let fixture = Fixture::start().await;
    watched(&fixture, &[NotificationType::OnConnectionLost, NotificationType::OnConnectionRestore]).await;
    let (device, mut seen) = (fixture.cloud.device("DEV-A1").await, 0);
    for _ in 0..3 {
        let generation = device.connect().await;
        device.disconnect(generation).await;
        pass(&fixture, 299);
    }
    device.connect().await;
    pass(&fixture, 3_600);
    fixture.cloud.notify_losses().await;
    assert_eq!(
        new_messages(&fixture, &mut seen).await,
        [],
        "no message about a reconnection without one about the loss"
    );
}

#[tokio::test]
async fn overdue_connection_loss_is_notified_before_the_return() {
    let fixture = Fixture::start().await;
    watched(&fixture, &[NotificationType::OnConnectionLost, NotificationType::OnConnectionRestore]).await;
    let (device, mut seen) = (fixture.cloud.device("DEV-A1").await, 0);
    let generation = device.connect().await;
    device.disconnect(generation).await;
    pass(&fixture, 301);
    device.connect().await;
    fixture.cloud.notify_losses().await;
    let expected = [mail("Thing DEV-A1 is connected again"), mail("Thing DEV-A1 lost its connection")].concat();
    assert_eq!(new_messages(&fixture, &mut seen).await, expected);
}

#[tokio::test]
async fn reconnection_and_connection_are_notified_immediately() {
    let fixture = Fixture::start().await;
    watched(&fixture, &[NotificationType::OnConnectionRestore, NotificationType::OnConnect]).await;
    let (device, mut seen) = (fixture.cloud.device("DEV-A1").await, 0);
    let generation = device.connect().await;
    assert_eq!(new_messages(&fixture, &mut seen).await, mail("Thing DEV-A1 is connected"));
    device.disconnect(generation).await;
    pass(&fixture, 300);
    fixture.cloud.notify_losses().await;
    assert_eq!(new_messages(&fixture, &mut seen).await, []);
    device.connect().await;
    let expected = [mail("Thing DEV-A1 is connected"), mail("Thing DEV-A1 is connected again")].concat();
    assert_eq!(new_messages(&fixture, &mut seen).await, expected);
}

#[tokio::test]
async fn message_of_an_app_comes_first_and_sms_goes_to_its_number() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::PARTNER_ADMIN_A).await;
    let key = client.devices().get("DEV-A1").send().await.unwrap().key;
    let lost = client.notifications().create(&key, NotificationType::OnConnectionLost).send().await.unwrap();
    let email = NewNotificationApp::email(EMAIL).message("Call Lee.");
    client.notifications().create_app(&lost.id, &email).await.unwrap();
    let sms = NewNotificationApp::sms("1", "(414) 555-0100").message("Call Lee.");
    client.notifications().create_app(&lost.id, &sms).await.unwrap();
    let device = fixture.cloud.device("DEV-A1").await;
    device.disconnect(device.connect().await).await;
    pass(&fixture, 300);
    fixture.cloud.notify_losses().await;
    let mut outbox = fixture.cloud.outbox().await;
    outbox.sort_by(|one, other| one.channel.cmp(&other.channel));
    let sentence = "Thing DEV-A1 (DEV-A1) lost its connection on 20 November 2026, 11:00 (Europe/Paris).";
    let body = format!("Call Lee.\n\n{sentence}\n\nThis address receives notifications of Device cloud.");
    assert_eq!((&*outbox[0].recipient, &*outbox[0].kind, &outbox[0].body), (EMAIL, "connection", &body));
    let body = format!("Call Lee. {sentence}");
    assert_eq!((&*outbox[1].recipient, &*outbox[1].channel, &outbox[1].body), (PHONE, "sms", &body));
}

#[tokio::test]
async fn configured_limit_shortens_the_threshold_and_restart_counts_as_a_loss() {
    let cloud =
        TestCloud::start_with(|config| config.longest_threshold = Some(std::time::Duration::from_secs(2))).await;
    let fixture = Fixture::on(cloud).await;
    watched(&fixture, &[NotificationType::OnConnectionLost]).await;
    let (device, mut seen) = (fixture.cloud.device("DEV-A1").await, 0);
    device.connect().await;
    fixture.cloud.sweep_connections().await;
    pass(&fixture, 2);
    fixture.cloud.notify_losses().await;
    assert_eq!(new_messages(&fixture, &mut seen).await, mail("Thing DEV-A1 lost its connection"));
}

#[tokio::test]
async fn notifications_and_triggers_end_with_the_registration_or_their_author() {
    let fixture = Fixture::start().await;
    let (maker, admin) = (fixture.token(World::TECHNICIAN_A).await, fixture.token(World::ADMIN).await);
    for author in [&maker, &admin] {
        with_app(&fixture, author, "DEV-A1").await;
        crate::triggers::with_app(&fixture, author, "DEV-A1").await;
    }
    let admin_id = fixture.user(World::ADMIN).await["id"].clone();
    let key = fixture.device_key(&admin, "DEV-A1").await;
    let paths = [
        format!("/apiv1/devices/{key}/notifications/all"),
        "/apiv1/dsns/DEV-A1/properties/intensity/triggers".to_owned(),
    ];
    fixture.cloud.operator().remove_user(&fixture.world.oem, World::TECHNICIAN_A).await.unwrap();
    for (path, wrapper) in paths.iter().zip(["notification", "trigger"]) {
        let list = fixture.get(&admin, path).await.body;
        assert_eq!((list.as_array().unwrap().len(), &list[0][wrapper]["user_id"]), (1, &admin_id));
    }
    assert_eq!(fixture.delete(&admin, &format!("/apiv1/devices/{key}")).await.status, 200);
    for path in paths {
        assert_eq!(fixture.get(&admin, &path).await.body, json!([]), "{path}");
    }
}
