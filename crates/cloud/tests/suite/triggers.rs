//! Triggers: permissions, input and delivery.

use cloud::testing::{TestMessage, World};
use devicecloud::{CompareType, NewTrigger, NewTriggerApp};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::client_devices::signed_in;

const EMAIL: &str = "jo@example.com";
const TRIGGERS: &str = "/apiv1/dsns/DEV-A1/properties/intensity/triggers";

fn app() -> Value {
    json!({ "name": "email", "param1": EMAIL, "param2": "Low level", "param3": "Refill the lobby", "param4": "" })
}

pub(crate) fn email() -> Value {
    json!({ "trigger_app": app() })
}

pub(crate) fn below(value: &str) -> Value {
    let trigger = json!({ "trigger_type": "compare_absolute", "compare_type": "<", "value": value, "active": true });
    json!({ "trigger": trigger })
}

/// Creates a trigger of the intensity below 20 with an app. Returns both keys.
pub(crate) async fn with_app(fixture: &Fixture, token: &str, dsn: &str) -> (i64, i64) {
    let mut body = below("20");
    body["trigger"]["trigger_apps"] = json!([app()]);
    let made = fixture.post(token, &format!("/apiv1/dsns/{dsn}/properties/intensity/triggers"), body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let trigger = &made.body["trigger"];
    (trigger["key"].as_i64().unwrap(), trigger["trigger_apps"][0]["key"].as_i64().unwrap())
}

/// The subjects, or the texts, of the messages since the last call.
async fn new_messages(fixture: &Fixture, seen: &mut usize) -> Vec<String> {
    let outbox = fixture.cloud.outbox().await;
    let words = |message: &TestMessage| {
        assert_eq!(message.kind, "value");
        if message.channel == "sms" { message.body.clone() } else { message.subject.clone() }
    };
    let mut messages: Vec<String> = outbox[*seen..].iter().map(words).collect();
    messages.sort();
    *seen = outbox.len();
    messages
}

async fn report(fixture: &Fixture, value: i64) {
    fixture.cloud.device("DEV-A1").await.report(&[("intensity", json!(value))]).await;
}

/// Adds a trigger of the intensity of DEV-A1, as a partner through the library.
async fn watch(fixture: &Fixture, trigger: &NewTrigger) {
    let client = signed_in(fixture, World::TECHNICIAN_A).await;
    let key = client.properties().get("DEV-A1", "intensity").await.unwrap().key;
    let existing = client.triggers().list(&key).await.unwrap();
    client.triggers().create(&key, trigger, &existing).await.unwrap();
}

fn low() -> NewTrigger {
    NewTrigger::compare(CompareType::Less, "20")
        .app(NewTriggerApp::email(EMAIL).subject("Low level").message("Refill the lobby"))
}

#[tokio::test]
async fn triggers_and_their_apps_are_created_listed_and_deleted() {
    let fixture = Fixture::start().await;
    let (maker, viewer) = (fixture.token(World::TECHNICIAN_A).await, fixture.token(World::PARTNER_OBSERVER_A).await);
    let (key, app) = with_app(&fixture, &maker, "DEV-A1").await;
    let property = fixture.property(&viewer, "DEV-A1", "intensity").await["key"].take();
    for path in
        [TRIGGERS.to_owned(), format!("{TRIGGERS}/all"), format!("/apiv1/properties/{property}/triggers/all.json")]
    {
        let list = fixture.get(&viewer, &path).await.body;
        assert_eq!((list.as_array().unwrap().len(), &list[0]["trigger"]["key"]), (1, &json!(key)), "{path}");
        assert_eq!(list[0]["trigger"]["trigger_apps"][0]["repeat_freq"], 86_400);
    }
    let apps = format!("/apiv1/triggers/{key}/trigger_apps");
    assert_eq!(fixture.post(&maker, &apps, email()).await.status, 201);
    assert_eq!(fixture.get(&viewer, &apps).await.body.as_array().unwrap().len(), 2);
    assert_eq!(fixture.delete(&viewer, &format!("/apiv1/trigger_apps/{app}")).await.status, 403);
    assert_eq!(fixture.delete(&maker, &format!("/apiv1/trigger_apps/{app}.json")).await.status, 200);
    assert_eq!(fixture.delete(&maker, &format!("/apiv1/trigger_apps/{app}")).await.status, 404);
    assert_eq!(fixture.delete(&maker, &format!("/apiv1/triggers/{key}")).await.status, 200);
    assert_eq!(fixture.get(&maker, &apps).await.status, 404, "its apps went with it");
    assert_eq!(fixture.get(&maker, TRIGGERS).await.body, json!([]));
}

#[tokio::test]
async fn invalid_field_of_a_trigger_or_its_app_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let compare = |more: Value| {
        let mut trigger = below("20")["trigger"].take();
        trigger.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "trigger": trigger })
    };
    let app = |more: Value| {
        let mut app = app();
        app.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        app
    };
    let wrong_apps = [
        (app(json!({ "name": "forward" })), "name"),
        (app(json!({ "name": null })), "name"),
        (app(json!({ "param1": "nowhere" })), "param1"),
        (app(json!({ "param1": "" })), "param1"),
        (app(json!({ "param3": "x".repeat(1_001) })), "param3"),
        (app(json!({ "repeat_freq": -1 })), "repeat_freq"),
        (app(json!({ "repeat_freq": "often" })), "repeat_freq"),
        (app(json!({ "email_body_html": "<b>" })), "email_body_html"),
        (app(json!({ "name": "sms", "param1": "1", "param2": "12" })), "param2"),
        (app(json!({ "name": "sms", "param1": "", "param2": "4145550100" })), "param1"),
    ];
    let of_apps = wrong_apps.iter().map(|(app, field)| (compare(json!({ "trigger_apps": [app] })), *field));
    let of_triggers = [
        (json!({}), "trigger_type"),
        (compare(json!({ "trigger_type": "compare_service" })), "trigger_type"),
        (compare(json!({ "compare_type": "!=" })), "compare_type"),
        (compare(json!({ "compare_type": null })), "compare_type"),
        (compare(json!({ "value": null })), "value"),
        (compare(json!({ "value": "low" })), "value"),
        (compare(json!({ "value": [20] })), "value"),
        (compare(json!({ "active": "perhaps" })), "active"),
        (compare(json!({ "active": 0 })), "active"),
        (compare(json!({ "trigger_apps": "all" })), "trigger_apps"),
        (compare(json!({ "trigger_apps": [7] })), "trigger_apps"),
        (compare(json!({ "trigger_apps": vec![app(json!({})); 51] })), "trigger_apps"),
    ];
    for (body, field) in of_triggers.into_iter().chain(of_apps) {
        let refused = fixture.post(&token, TRIGGERS, body.clone()).await;
        assert_eq!(refused.status, 422, "{body}");
        assert!(refused.body["errors"][field].is_array(), "{body}: {}", refused.body);
    }
    assert_eq!(fixture.get(&token, TRIGGERS).await.body, json!([]), "no trigger was created");
    let text = fixture.post(&token, "/apiv1/dsns/DEV-A1/properties/note/triggers", below("20")).await;
    assert!(text.status == 422 && text.body["errors"]["compare_type"].is_array(), "{}", text.body);
    for (value, expected) in [(json!(20), "20"), (json!(20.5), "20.5"), (json!(" 20 "), " 20 "), (json!(true), "1")] {
        let made = fixture.post(&token, TRIGGERS, compare(json!({ "value": value }))).await;
        assert_eq!((made.status, &made.body["trigger"]["value"]), (201, &json!(expected)), "{value}");
    }
    for _ in 4..20 {
        assert_eq!(fixture.post(&token, TRIGGERS, below("20")).await.status, 201);
    }
    assert_eq!(fixture.post(&token, TRIGGERS, below("20")).await.status, 422, "a property has room for twenty");
    for key in ["0", "999999999", "x", "9223372036854775808"] {
        assert_eq!(fixture.delete(&token, &format!("/apiv1/triggers/{key}")).await.status, 404, "{key}");
        assert_eq!(fixture.delete(&token, &format!("/apiv1/trigger_apps/{key}")).await.status, 404, "{key}");
        assert_eq!(fixture.get(&token, &format!("/apiv1/triggers/{key}/trigger_apps")).await.status, 404, "{key}");
    }
}

#[tokio::test]
async fn value_below_the_limit_is_notified_immediately_and_again_after_a_day() {
    let fixture = Fixture::start().await;
    watch(&fixture, &low()).await;
    let mut seen = 0;
    let day = SignedDuration::from_hours(24);
    let second = SignedDuration::from_secs(1);
    let table: [(SignedDuration, i64, usize); 11] = [
        (second, 21, 0),
        (second, 20, 0),
        (second, 19, 1),
        (second, 18, 0),
        (day - second - second, 17, 0),
        (second, 16, 1),
        (second, 15, 0),
        (second, 20, 0),
        (SignedDuration::from_mins(5), 19, 1),
        (second, 19, 0),
        (day, 19, 1),
    ];
    for (number, (passed, value, messages)) in table.into_iter().enumerate() {
        fixture.cloud.clock().advance(passed);
        report(&fixture, value).await;
        assert_eq!(new_messages(&fixture, &mut seen).await, vec!["Low level"; messages], "{number}");
    }
    let body = &fixture.cloud.outbox().await[0].body;
    let sentence = "intensity of Thing DEV-A1 (DEV-A1) is 19 since 20 November 2026, 11:00 (Europe/Paris).";
    assert!(body.starts_with(&format!("Refill the lobby\n\n{sentence}\n\n")), "{body}");
    let token = fixture.token(World::TECHNICIAN_A).await;
    let at = fixture.get(&token, TRIGGERS).await.body[0]["trigger"]["triggered_at"].take();
    assert_eq!(at, "2026-11-22T10:05:06Z");
}

#[tokio::test]
async fn commanded_values_notify_like_reported_values() {
    let fixture = Fixture::start().await;
    watch(&fixture, &low()).await;
    let (token, mut seen) = (fixture.token(World::TECHNICIAN_A).await, 0);
    fixture.command(&token, "DEV-A1", "intensity", json!(10)).await;
    assert_eq!(new_messages(&fixture, &mut seen).await, ["Low level"]);
    // The device's echo of the command is not a new value.
    report(&fixture, 10).await;
    assert_eq!(new_messages(&fixture, &mut seen).await, Vec::<String>::new());
}

#[tokio::test]
async fn quiet_value_notifies_nobody_and_is_where_the_next_crossing_begins() {
    let fixture = Fixture::start().await;
    watch(&fixture, &low()).await;
    let (token, mut seen) = (fixture.token(World::TECHNICIAN_A).await, 0);
    for (quiet, reported, messages) in [(10, 10, 0), (30, 19, 1), (25, 25, 0), (12, 11, 0)] {
        let datapoint = json!({ "datapoint": { "value": quiet, "metadata": { "quiet": "true" } } });
        let path = "/apiv1/dsns/DEV-A1/properties/intensity/datapoints";
        assert_eq!(fixture.post(&token, path, datapoint).await.status, 201);
        assert_eq!(new_messages(&fixture, &mut seen).await, Vec::<String>::new(), "{quiet}");
        report(&fixture, reported).await;
        assert_eq!(new_messages(&fixture, &mut seen).await, vec!["Low level"; messages], "{reported}");
        fixture.cloud.clock().advance(SignedDuration::from_mins(5));
    }
    fixture.cloud.clock().advance(SignedDuration::from_hours(24));
    report(&fixture, 9).await;
    assert_eq!(new_messages(&fixture, &mut seen).await, ["Low level"], "the reminder of a level that stays low");
    let body = fixture.cloud.outbox().await.pop().unwrap().body;
    assert!(!body.contains("happened"), "quiet crossings are not counted: {body}");
}

#[tokio::test]
async fn crossings_of_the_limit_within_one_report_are_one_message_with_their_number() {
    let fixture = Fixture::start().await;
    watch(&fixture, &low()).await;
    let values = [19, 18, 20, 17, 25].map(|value| ("intensity", json!(value)));
    fixture.cloud.device("DEV-A1").await.report(&values).await;
    assert_eq!(new_messages(&fixture, &mut 0).await, ["Low level"]);
    let body = &fixture.cloud.outbox().await[0].body;
    let sentence = "intensity of Thing DEV-A1 (DEV-A1) is 17 since 20 November 2026, 11:00 (Europe/Paris).";
    assert!(body.starts_with(&format!("Refill the lobby\n\n{sentence}\n\nThis happened 2 times.\n\n")), "{body}");
}

#[tokio::test]
async fn on_change_and_always_triggers_notify_their_recipients() {
    let fixture = Fixture::without_message_limits().await;
    let sms = |words: &str| NewTriggerApp::sms("1", "4145550100").message(words).repeat_freq(0);
    watch(&fixture, &NewTrigger::on_change().app(sms("Changed."))).await;
    watch(&fixture, &NewTrigger::always().app(sms("Here."))).await;
    let mut seen = 0;
    // The world's devices begin with 20.
    for (seconds, value, expected) in [
        (0, 20, vec!["Here."]),
        (59, 20, vec![]),
        (1, 20, vec!["Here."]),
        (60, 30, vec!["Changed.", "Here."]),
        (60, 30, vec!["Here."]),
    ] {
        fixture.cloud.clock().advance(SignedDuration::from_secs(seconds));
        report(&fixture, value).await;
        let messages = new_messages(&fixture, &mut seen).await;
        let openings: Vec<&str> = messages.iter().map(|words| words.split_inclusive('.').next().unwrap()).collect();
        assert_eq!(openings, expected, "{seconds} {value}");
        assert!(messages.iter().all(|words| words.contains("intensity of Thing DEV-A1")), "{messages:?}");
    }
}

#[tokio::test]
async fn app_added_while_the_condition_holds_is_notified_with_the_next_value() {
    let fixture = Fixture::start().await;
    watch(&fixture, &low()).await;
    let mut seen = 0;
    report(&fixture, 19).await;
    assert_eq!(new_messages(&fixture, &mut seen).await, ["Low level"]);
    watch(&fixture, &NewTrigger::compare(CompareType::Less, "20").app(NewTriggerApp::email("lee@example.com"))).await;
    report(&fixture, 18).await;
    assert_eq!(new_messages(&fixture, &mut seen).await, ["intensity of Thing DEV-A1: 18"]);
    assert_eq!(fixture.cloud.outbox().await[1].recipient, "lee@example.com");
    let token = fixture.token(World::TECHNICIAN_A).await;
    assert_eq!(fixture.get(&token, TRIGGERS).await.body.as_array().unwrap().len(), 1, "only the existing trigger");
}

#[tokio::test]
async fn inactive_trigger_sends_nothing() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let mut body = below("20");
    body["trigger"]["active"] = json!(false);
    body["trigger"]["trigger_apps"] = json!([app()]);
    assert_eq!(fixture.post(&token, TRIGGERS, body).await.body["trigger"]["active"], false);
    report(&fixture, 10).await;
    assert_eq!(new_messages(&fixture, &mut 0).await, Vec::<String>::new());
}
