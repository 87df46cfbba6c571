//! Calls for notifications and triggers: requests, checks, and unexpected responses.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

#[path = "support/server.rs"]
mod server;

use std::sync::Arc;

use devicecloud::{
    Authorization, BoxFuture, Client, Clock, CompareType, Config, Error, ErrorKind, MemoryTokenStore,
    NewNotificationApp, NewTrigger, NewTriggerApp, NotificationType, Result, TokenLock, TokenStore, Trigger,
    TriggerType,
};
use serde_json::{Value, json};
use server::Server;

const NOW: &str = "2026-11-20T10:00:00Z";
const EMAIL: &str = "jo@example.com";

fn signed_in() -> MemoryTokenStore {
    MemoryTokenStore::with(Authorization {
        access_token: "access".into(),
        refresh_token: "refresh".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: NOW.parse().unwrap(),
    })
}

fn client(server: &Server, store: impl TokenStore + 'static) -> Client {
    let config = Config::local(&server.base, "app", "app secret").unwrap();
    Client::builder(config, Arc::new(store)).clock(Clock::mock(NOW.parse().unwrap())).build().unwrap()
}

async fn answering(body: &Value) -> (Server, Client) {
    let server = Server::answering(200, body.to_string()).await;
    let client = client(&server, signed_in());
    (server, client)
}

/// The triggers of a property.
async fn existing(triggers: Value) -> Vec<Trigger> {
    answering(&triggers).await.1.triggers().list(43).await.unwrap()
}

fn by_email() -> NewTriggerApp {
    NewTriggerApp::email(EMAIL).subject("Low level").message("Refill the lobby")
}

fn low() -> NewTrigger {
    NewTrigger::compare(CompareType::Less, "20")
}

#[tokio::test]
async fn notification_threshold_is_300_seconds_by_default() {
    for (threshold, sent) in [(None, 300), (Some(0), 0), (Some(60), 60)] {
        let (server, client) = answering(&json!({})).await;
        let notification = client.notifications().create(41, NotificationType::OnConnectionLost);
        let notification = threshold.map_or(notification.clone(), |seconds| notification.threshold(seconds));
        let created = notification.send().await.unwrap();
        assert_eq!(created.threshold, None, "the response is used: {created:?}");
        let members = json!({ "notification_type": "on_connection_lost", "threshold": sent });
        assert_eq!(server.first().body.unwrap(), json!({ "devId": 41, "notification": members }));
        let seen = server.first();
        assert_eq!((&*seen.method, &*seen.path), ("POST", "/device/apiv1/devices/41/notifications.json"));
        assert!(seen.query.is_empty() && seen.headers["authorization"] == "auth_token access");
    }
}

#[tokio::test]
async fn email_and_sms_apps_send_the_specified_parameters() {
    let table = [
        (
            NewNotificationApp::email(EMAIL).message("Offline"),
            "email",
            json!({ "username": "Administrator", "email": EMAIL, "message": "Offline" }),
        ),
        (
            NewNotificationApp::sms("1", "4145550100"),
            "sms",
            json!({ "username": "Administrator", "country_code": "1", "phone_number": "4145550100", "message": "" }),
        ),
    ];
    for (app, app_type, parameters) in table {
        let (server, client) = answering(&json!({})).await;
        client.notifications().create_app(7, &app).await.unwrap();
        let members = json!({ "app_type": app_type, "notification_app_parameters": parameters });
        assert_eq!(server.first().body.unwrap(), json!({ "notification_app": members }));
    }
}

#[tokio::test]
async fn new_trigger_is_created_with_its_apps() {
    let other = |kind: &str, compare: Value, value: &str| json!({ "trigger": { "key": 11, "trigger_type": kind, "compare_type": compare, "value": value } });
    let others = json!([
        other("on_change", json!("<"), "20"),
        other("compare_absolute", json!("<="), "20"),
        other("compare_absolute", json!(null), "20"),
        other("compare_absolute", json!("<"), "21"),
    ]);
    for triggers in [json!([]), others] {
        let triggers = existing(triggers).await;
        let (server, client) = answering(&json!({ "trigger": { "key": 12, "active": true } })).await;
        let created = client.triggers().create(43, &low().app(by_email()), &triggers).await.unwrap();
        assert_eq!((created.key.as_str(), created.active, server.count()), ("12", true, 1));
        assert_eq!(server.first().path, "/device/apiv1/properties/43/triggers");
        let app = json!({
            "name": "email", "repeat_freq": 86_400, "param1": EMAIL, "param2": "Low level", "param3": "Refill the lobby",
            "param4": "",
        });
        let trigger = json!({
            "trigger_type": "compare_absolute", "value": "20", "active": true, "compare_type": "<", "trigger_apps": [app],
        });
        assert_eq!(server.first().body.unwrap(), json!({ "trigger": trigger }));
    }
}

#[tokio::test]
async fn apps_are_added_to_an_equal_existing_trigger() {
    let matching = json!({
        // Clouds may send the value as a number.
        "key": 11, "trigger_type": "compare_absolute", "compare_type": "<", "value": 20, "trigger_apps": [{ "key": 1 }],
    });
    let triggers = existing(json!([{ "trigger": matching }])).await;
    let (server, client) = answering(&json!({ "trigger_app": { "key": 2, "trigger_key": 11 } })).await;
    let trigger = low().app(by_email()).app(NewTriggerApp::sms("1", "4145550100").message("Refill").repeat_freq(60));
    let trigger = client.triggers().create(43, &trigger, &triggers).await.unwrap();
    let apps: Vec<_> = trigger.trigger_apps.iter().map(|app| app.key.as_str()).collect();
    assert_eq!((trigger.key.as_str(), apps, server.count()), ("11", vec!["1", "2", "2"], 2));
    assert_eq!(server.first().path, "/device/apiv1/triggers/11/trigger_apps");
    assert_eq!(server.first().body.unwrap()["trigger_app"]["param1"], EMAIL);
    let (server, client) = answering(&json!({})).await;
    client.triggers().create(43, &low(), &triggers).await.unwrap();
    assert_eq!(server.count(), 0, "there are no apps to add");
    client
        .triggers()
        .add_app(11, &NewTriggerApp::sms("1", "4145550100").message("Refill").repeat_freq(60))
        .await
        .unwrap();
    let app = json!({
        "name": "sms", "repeat_freq": 60, "param1": "1", "param2": "4145550100", "param3": "Refill", "param4": "",
    });
    assert_eq!(server.first().body.unwrap(), json!({ "trigger_app": app }));
}

#[tokio::test]
async fn blank_values_equal_missing_ones_when_matching_triggers() {
    let trigger = json!({ "key": 11, "trigger_type": "on_change", "compare_type": "", "value": " " });
    let triggers = existing(json!([{ "trigger": trigger }])).await;
    let (server, client) = answering(&json!({ "trigger_app": { "key": 2 } })).await;
    client.triggers().create(43, &NewTrigger::on_change().app(by_email()), &triggers).await.unwrap();
    assert_eq!((server.count(), &*server.first().path), (1, "/device/apiv1/triggers/11/trigger_apps"));
}

#[tokio::test]
async fn trigger_without_comparison_sends_no_value() {
    for (trigger, kind) in
        [(NewTrigger::always(), TriggerType::Always), (NewTrigger::on_change(), TriggerType::OnChange)]
    {
        let (server, client) = answering(&json!(null)).await;
        let created = client.triggers().create(43, &trigger, &[]).await.unwrap();
        let sent = server.first().body.unwrap();
        assert_eq!((&sent["trigger"]["value"], &sent["trigger"]["compare_type"]), (&json!(null), &json!(null)));
        assert_eq!((created.trigger_type, created.compare_type, created.value), (kind, None, None));
    }
}

#[tokio::test]
async fn unknown_response_returns_the_resource_as_it_was_sent() {
    for body in [json!(""), json!([]), json!(7), json!(null)] {
        let (_server, client) = answering(&body).await;
        let created = client.notifications().create(41, NotificationType::OnConnectionRestore).send().await.unwrap();
        assert!(
            created.id.is_blank() && created.device_key.as_str() == "41" && created.threshold == Some(300),
            "{created:?}"
        );
        let app = client.notifications().create_app(7, &NewNotificationApp::email(EMAIL)).await.unwrap();
        assert!(app.id.is_blank() && app.email.as_deref() == Some(EMAIL), "{body}");
        let trigger = client.triggers().create(43, &low().app(by_email()), &[]).await.unwrap();
        assert!(trigger.key.is_blank() && trigger.value.as_deref() == Some("20") && trigger.trigger_apps.len() == 1);
        let app = client.triggers().add_app(11, &by_email()).await.unwrap();
        assert!(app.key.is_blank() && app.param1.as_deref() == Some(EMAIL) && app.repeat_freq == Some(86_400));
    }
}

/// A store that always panics.
struct Panicking;

impl TokenStore for Panicking {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        panic!("the store failed")
    }

    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        panic!("the store failed")
    }
}

fn of(error: &Error) -> (ErrorKind, Option<u16>) {
    (error.kind(), error.status())
}

#[tokio::test]
async fn notification_call_without_a_response_is_a_general_error() {
    let server = Server::answering(200, "<html>".to_owned()).await;
    let error = client(&server, signed_in()).notifications().list(41).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::General, "The response is not JSON"));
    let error = client(&server, Panicking).notifications().delete(7).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::General, "the store failed"));
    let mut unreachable = server.clone();
    unreachable.base = "http://127.0.0.1:1".to_owned();
    let notifications = client(&unreachable, signed_in()).notifications().without_retry();
    assert_eq!(of(&notifications.list(41).await.unwrap_err()), (ErrorKind::General, None));
    assert_eq!(of(&notifications.apps(7).await.unwrap_err()), (ErrorKind::General, None));
    let app = NewNotificationApp::email(EMAIL);
    assert_eq!(of(&notifications.create_app(7, &app).await.unwrap_err()), (ErrorKind::General, None));
    // Error responses and invalid arguments keep their kinds; so do all errors of other calls.
    let triggers = client(&unreachable, signed_in()).triggers().without_retry();
    assert_eq!(of(&triggers.list(43).await.unwrap_err()), (ErrorKind::Network, None));
    let server = Server::answering(404, json!({ "error": "text" }).to_string()).await;
    let notifications = client(&server, signed_in()).notifications();
    assert_eq!(of(&notifications.delete_app(7, 9).await.unwrap_err()), (ErrorKind::Server, Some(404)));
    assert_eq!(of(&notifications.list("").await.unwrap_err()), (ErrorKind::InvalidArgument, None));
}

#[tokio::test]
async fn missing_arguments_and_sessions_are_rejected_before_sending() {
    let (server, signed_in) = answering(&json!([])).await;
    let missing = |error: Error, message: &str| {
        assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, message));
    };
    let notifications = signed_in.notifications();
    let (email, sms) = (NewNotificationApp::email(EMAIL), NewNotificationApp::sms);
    let create = |device: &str| notifications.create(device, NotificationType::OnConnect);
    missing(create(" ").send().await.unwrap_err(), "Device key is required");
    missing(notifications.delete("").await.unwrap_err(), "Notification id is required");
    missing(notifications.apps(" ").await.unwrap_err(), "Notification id is required");
    missing(notifications.create_app("", &email).await.unwrap_err(), "Notification id is required");
    missing(notifications.update_app(7, " ", &email).await.unwrap_err(), "Notification app id is required");
    missing(notifications.update_app(7, 9, &NewNotificationApp::email(" ")).await.unwrap_err(), "Email is required");
    missing(notifications.delete_app("", 9).await.unwrap_err(), "Notification id is required");
    missing(notifications.delete_app(7, " ").await.unwrap_err(), "Notification app id is required");
    missing(notifications.delete_app(7, "..").await.unwrap_err(), "Invalid path argument");
    missing(notifications.create_app(7, &NewNotificationApp::email(" ")).await.unwrap_err(), "Email is required");
    missing(notifications.create_app(7, &sms("", "4145550100")).await.unwrap_err(), "Country code is required");
    missing(notifications.create_app(7, &sms("1", " ")).await.unwrap_err(), "Phone number is required");
    let triggers = signed_in.triggers();
    missing(triggers.list("").await.unwrap_err(), "Property key is required");
    missing(triggers.create(" ", &low(), &[]).await.unwrap_err(), "Property key is required");
    let blank = low().app(NewTriggerApp::email(""));
    missing(triggers.create(43, &blank, &[]).await.unwrap_err(), "Email is required");
    let matching = existing(
        json!([{ "trigger": { "key": 11, "trigger_type": "compare_absolute", "compare_type": "<", "value": 20 } }]),
    )
    .await;
    let second = low().app(by_email()).app(NewTriggerApp::email(" "));
    missing(triggers.create(43, &second, &matching).await.unwrap_err(), "Email is required");
    missing(triggers.create(" ", &low().app(by_email()), &matching).await.unwrap_err(), "Property key is required");
    missing(triggers.add_app("", &by_email()).await.unwrap_err(), "Trigger key is required");
    let number = |country: &str, number: &str| NewTriggerApp::sms(country, number);
    missing(triggers.add_app(11, &number(" ", "4145550100")).await.unwrap_err(), "Country code is required");
    missing(triggers.add_app(11, &number("1", "")).await.unwrap_err(), "Phone number is required");
    missing(triggers.update_app("", &by_email()).await.unwrap_err(), "Trigger app key is required");
    missing(triggers.update_app(12, &number("1", "")).await.unwrap_err(), "Phone number is required");
    missing(triggers.delete_app("").await.unwrap_err(), "Trigger app key is required");
    missing(triggers.delete(" ").await.unwrap_err(), "Trigger key is required");
    let signed_out = signed_in.with_store(Arc::new(MemoryTokenStore::new()));
    let first = |error: Error| {
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No session is active"));
    };
    let notifications = signed_out.notifications();
    first(notifications.create("", NotificationType::OnConnect).send().await.unwrap_err());
    first(notifications.delete("").await.unwrap_err());
    first(notifications.apps("").await.unwrap_err());
    first(notifications.create_app("", &email).await.unwrap_err());
    first(notifications.delete_app("", "").await.unwrap_err());
    let triggers = signed_out.triggers();
    first(triggers.list("").await.unwrap_err());
    first(triggers.create("", &blank, &[]).await.unwrap_err());
    first(triggers.create("", &low(), &matching).await.unwrap_err());
    first(triggers.add_app("", &by_email()).await.unwrap_err());
    first(triggers.delete_app("").await.unwrap_err());
    first(triggers.delete("").await.unwrap_err());
    assert_eq!(server.count(), 0);
}

#[test]
fn debug_output_contains_no_recipients() {
    let (app, trigger) = (NewNotificationApp::sms("1", "4145550100"), low().app(by_email()));
    let debug = format!("{app:?} {trigger:?}");
    assert!(!debug.contains("4145550100") && !debug.contains(EMAIL), "{debug}");
}
