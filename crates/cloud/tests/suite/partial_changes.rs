//! PUT of notifications, triggers, their apps and rule actions: omitted fields stay; validation is the same as for
//! POST.

use cloud::testing::World;
use jiff::SignedDuration;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::conflicts::on_postgres;
use crate::{notifications, rules, triggers};

/// A node on each database.
async fn on_both_databases() -> [(Option<TestDb>, Fixture); 2] {
    let (db, fixture) = on_postgres().await;
    [(None, Fixture::start().await), (Some(db), fixture)]
}

/// The path of a resource, its wrapper and the path that lists it.
struct Resource {
    path: String,
    wrapper: &'static str,
    list: String,
}

impl Resource {
    async fn read(&self, fixture: &Fixture, token: &str) -> Value {
        let mut list = fixture.get(token, &self.list).await.body;
        list[0][self.wrapper].take()
    }
}

/// A notification, its app, a trigger and its app, each the first of its list.
async fn resources(fixture: &Fixture, token: &str, dsn: &str) -> [Resource; 4] {
    let (notification, app) = notifications::with_app(fixture, token, dsn).await;
    let (trigger, trigger_app) = triggers::with_app(fixture, token, dsn).await;
    let device = fixture.device_key(token, dsn).await;
    let (apps, trigger_apps) = (
        format!("/apiv1/notifications/{notification}/notification_apps"),
        format!("/apiv1/triggers/{trigger}/trigger_apps"),
    );
    let of = |path, wrapper, list| Resource { path, wrapper, list };
    [
        of(
            format!("/apiv1/notifications/{notification}"),
            "notification",
            format!("/apiv1/devices/{device}/notifications/all"),
        ),
        of(format!("{apps}/{app}"), "notification_app", apps),
        of(format!("/apiv1/triggers/{trigger}"), "trigger", format!("/apiv1/dsns/{dsn}/properties/intensity/triggers")),
        of(format!("/apiv1/trigger_apps/{trigger_app}"), "trigger_app", trigger_apps),
    ]
}

#[tokio::test]
async fn put_changes_given_fields_and_keeps_the_others() {
    for (_db, fixture) in on_both_databases().await {
        check_given_fields(&fixture).await;
    }
}

async fn check_given_fields(fixture: &Fixture) {
    let token = fixture.token(World::TECHNICIAN_A).await;
    let resources = resources(fixture, &token, "DEV-A1").await;
    let parameters = |field: &str, value: &str| json!({ "notification_app_parameters": { field: value } });
    let table = [
        (0, json!({ "threshold": 60 }), "/threshold", json!(60)),
        (0, json!({ "message": "Call Lee" }), "/message", json!("Call Lee")),
        (0, json!({ "notification_type": "on_connect", "message": null }), "/notification_type", json!("on_connect")),
        (1, parameters("email", "lee@example.com"), "/notification_app_parameters/email", json!("lee@example.com")),
        (1, json!({ "message": "Call" }), "/notification_app_parameters/message", json!("Call")),
        (1, json!({ "nickname": "Lee" }), "/nickname", json!("Lee")),
        (2, json!({ "value": 10 }), "/value", json!("10")),
        (2, json!({ "active": false, "trigger_apps": [] }), "/active", json!(false)),
        (2, json!({ "compare_type": ">=" }), "/compare_type", json!(">=")),
        (3, json!({ "param1": "lee@example.com" }), "/param1", json!("lee@example.com")),
        (3, json!({ "email_subject": "Refill" }), "/param2", json!("Refill")),
        (3, json!({ "repeat_freq": 60 }), "/repeat_freq", json!(60)),
    ];
    for (number, (index, change, pointer, expected)) in table.into_iter().enumerate() {
        let Resource { path, wrapper, .. } = &resources[index];
        let mut before = resources[index].read(fixture, &token).await;
        let body = if number % 2 == 0 { json!({ *wrapper: change }) } else { change.clone() };
        let answer = fixture.put(&token, &format!("{path}.json"), body).await;
        assert_eq!(answer.status, 200, "{change}: {}", answer.body);
        let after = resources[index].read(fixture, &token).await;
        assert_eq!(answer.body[wrapper], after, "{change}");
        *before.pointer_mut(pointer).unwrap() = expected;
        if change.get("message") == Some(&Value::Null) {
            before["message"] = Value::Null;
        }
        assert_eq!(after, before, "{change}");
    }
    for resource in &resources {
        let before = resource.read(fixture, &token).await;
        let sent_back = fixture.put(&token, &resource.path, json!({ resource.wrapper: before })).await;
        assert_eq!((sent_back.status, &sent_back.body[resource.wrapper]), (200, &before));
    }
}

#[tokio::test]
async fn app_changes_its_channel_only_with_a_complete_recipient() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let [_, app, _, trigger_app] = resources(&fixture, &token, "DEV-A1").await;
    let refused = fixture.put(&token, &app.path, json!({ "app_type": "sms" })).await;
    assert_eq!((refused.status, refused.body["errors"]["country_code"].is_array()), (422, true), "{}", refused.body);
    let refused = fixture.put(&token, &trigger_app.path, json!({ "name": "sms" })).await;
    assert_eq!((refused.status, refused.body["errors"]["param1"].is_array()), (422, true), "{}", refused.body);
    let sms = json!({ "app_type": "sms", "country_code": "1", "phone_number": "4145550100" });
    let changed = fixture.put(&token, &app.path, sms).await.body["notification_app"].take();
    assert_eq!((&changed["app_type"], &changed["notification_app_parameters"]["email"]), (&json!("sms"), &Value::Null));
    let sms = json!({ "name": "sms", "param1": "1", "param2": "4145550100" });
    let changed = fixture.put(&token, &trigger_app.path, sms).await.body["trigger_app"].take();
    assert_eq!((&changed["name"], &changed["param2"]), (&json!("sms"), &json!("4145550100")));
}

#[tokio::test]
async fn put_with_an_invalid_field_changes_nothing() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let resources = resources(&fixture, &token, "DEV-A1").await;
    let table = [
        (0, json!({ "notification_type": "" }), "notification_type"),
        (0, json!({ "notification_type": "ip_change" }), "notification_type"),
        (0, json!({ "threshold": -1 }), "threshold"),
        (0, json!({ "message": "x".repeat(1_001) }), "message"),
        (0, json!({ "message": "Call", "url": "http://127.0.0.1/" }), "url"),
        (0, json!({ "notification": [] }), "notification"),
        (1, json!({ "email": "a b@example.com" }), "email"),
        (1, json!({ "email": null }), "email"),
        (1, json!({ "app_type": "push_ios" }), "app_type"),
        (1, json!({ "nickname": "x".repeat(256) }), "nickname"),
        (2, json!({ "value": "low" }), "value"),
        (2, json!({ "compare_type": "!=" }), "compare_type"),
        (2, json!({ "active": 0 }), "active"),
        (2, json!({ "trigger_type": null }), "trigger_type"),
        (3, json!({ "param1": "" }), "param1"),
        (3, json!({ "param3": "x".repeat(1_001) }), "param3"),
        (3, json!({ "repeat_freq": "often" }), "repeat_freq"),
        (3, json!({ "trigger_app": 7 }), "trigger_app"),
    ];
    for (index, body, field) in table {
        let before = resources[index].read(&fixture, &token).await;
        let refused = fixture.put(&token, &resources[index].path, body.clone()).await;
        assert_eq!(refused.status, 422, "{body}");
        assert!(refused.body["errors"][field].is_array(), "{body}: {}", refused.body);
        assert_eq!(resources[index].read(&fixture, &token).await, before, "{body}");
    }
}

#[tokio::test]
async fn put_needs_the_right_to_edit_the_device_and_hides_devices_of_others() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let (observer, stranger) =
        (fixture.token(World::PARTNER_OBSERVER_A).await, fixture.token(World::PARTNER_ADMIN_B).await);
    let resources = resources(&fixture, &token, "DEV-A1").await;
    for resource in &resources {
        let before = resource.read(&fixture, &token).await;
        for (caller, expected) in [(&observer, 403), (&stranger, 404)] {
            let body = json!({ "message": "Mine", "active": false, "nickname": "Mine" });
            assert_eq!(fixture.put(caller, &resource.path, body).await.status, expected, "{}", resource.path);
        }
        assert_eq!(resource.read(&fixture, &token).await, before);
        for id in ["0", "999999999", "x", "9223372036854775808"] {
            let (folder, _) = resource.path.rsplit_once('/').unwrap();
            assert_eq!(fixture.put(&token, &format!("{folder}/{id}"), json!({})).await.status, 404, "{folder} {id}");
        }
    }
    let [_, other_app, ..] = self::resources(&fixture, &token, "DEV-A2").await;
    let other_app = other_app.path.rsplit_once('/').unwrap().1.to_owned();
    let mixed = format!("{}/notification_apps/{other_app}", resources[0].path);
    assert_eq!(fixture.put(&token, &mixed, json!({ "nickname": "Lee" })).await.status, 404, "of another notification");
}

#[tokio::test]
async fn changed_trigger_evaluates_the_next_value_like_a_new_one() {
    for (_db, fixture) in on_both_databases().await {
        check_trigger(&fixture).await;
    }
}

async fn check_trigger(fixture: &Fixture) {
    let token = fixture.token(World::TECHNICIAN_A).await;
    let [_, _, trigger, _] = resources(fixture, &token, "DEV-A1").await;
    let report = async |value: i64| {
        fixture.cloud.clock().advance(SignedDuration::from_mins(10));
        fixture.cloud.device("DEV-A1").await.report(&[("intensity", json!(value))]).await;
        fixture.cloud.outbox().await.len()
    };
    assert_eq!(report(19).await, 1, "below 20");
    fixture.put(&token, &trigger.path, json!({ "active": true, "value": "20" })).await;
    assert_eq!(report(18).await, 1, "nothing has changed");
    fixture.put(&token, &trigger.path, json!({ "value": "15" })).await;
    assert_eq!(report(17).await, 1, "not below 15");
    assert_eq!(report(14).await, 2);
    fixture.put(&token, &trigger.path, json!({ "active": false })).await;
    assert_eq!(report(13).await, 2, "inactive");
    fixture.put(&token, &trigger.path, json!({ "trigger_type": "on_change", "active": true })).await;
    assert_eq!(report(13).await, 2, "as before");
    assert_eq!(report(12).await, 3);
}

#[tokio::test]
async fn changed_threshold_applies_to_a_loss_in_progress() {
    for (_db, fixture) in on_both_databases().await {
        check_threshold(&fixture).await;
    }
}

async fn check_threshold(fixture: &Fixture) {
    let token = fixture.token(World::TECHNICIAN_A).await;
    let [notification, ..] = resources(fixture, &token, "DEV-A1").await;
    let device = fixture.cloud.device("DEV-A1").await;
    device.disconnect(device.connect().await).await;
    assert_eq!(fixture.put(&token, &notification.path, json!({ "threshold": 600 })).await.status, 200);
    for (seconds, messages) in [(599, 0), (1, 1)] {
        fixture.cloud.clock().advance(SignedDuration::from_secs(seconds));
        fixture.cloud.notify_losses().await;
        assert_eq!(fixture.cloud.outbox().await.len(), messages, "{seconds}");
    }
}

#[tokio::test]
async fn rule_action_changes_and_keeps_its_uuid_while_a_rule_uses_it() {
    for (_db, fixture) in on_both_databases().await {
        check_rule_action(&fixture).await;
    }
}

async fn check_rule_action(fixture: &Fixture) {
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let uuid = rules::email_action(fixture, &token).await;
    let rule = rules::make_rule(fixture, &token, "DATAPOINT(DEV-A1,intensity) < 20", &[&uuid]).await;
    let path = format!("{}/{uuid}", rules::ACTIONS);
    let renamed = fixture.put(&token, &path, json!({ "action": { "name": "Letter" } })).await;
    assert_eq!((renamed.status, &renamed.body), (200, &json!("")));
    let body = json!({ "parameters": { "email_subject": "Empty soon" } });
    assert_eq!(fixture.put(&token, &path, body).await.status, 200);
    let action = fixture.get(&token, &path).await.body["action"].take();
    let parameters =
        json!({ "email_to": ["jo@example.com"], "email_subject": "Empty soon", "email_body": "Please refill." });
    assert_eq!((&action["name"], &action["parameters"]), (&json!("Letter"), &parameters));
    assert_eq!(action["rule_ids"], json!([rule]));

    let set = |assignment: &str| json!({ "type": "DATAPOINT", "parameters": { "datapoint": assignment } });
    let table = [
        (json!({ "name": "" }), "name can't be blank"),
        (json!({ "name": "n".repeat(256) }), "name is too long (max: 255 characters)"),
        (json!({ "type": "URL" }), "type is not EMAIL or DATAPOINT"),
        (json!({ "type": "DATAPOINT" }), "datapoint can't be blank"),
        (json!({ "parameters": { "email_to": ["x"] } }), "email_to is invalid"),
        (set("DATAPOINT(DEV-B1,intensity) = 30"), "DEV-B1"),
    ];
    for (body, text) in table {
        let refused = fixture.put(&token, &path, body.clone()).await;
        assert_eq!(refused.status, 422, "{body}: {}", refused.body);
        assert!(refused.body.to_string().contains(text), "{body}: {}", refused.body);
    }
    assert_eq!(fixture.get(&token, &path).await.body["action"], action, "refused changes change nothing");
    assert_eq!(fixture.put(&token, &path, set("DATAPOINT(DEV-A2,intensity) = 30")).await.status, 200);
    assert_eq!(fixture.get(&token, &path).await.body["action"]["type"], "DATAPOINT");

    for (email, expected) in [(World::OBSERVER, 403), (World::PARTNER_OBSERVER_A, 404), (World::PARTNER_ADMIN_B, 404)] {
        let other = fixture.token(email).await;
        assert_eq!(fixture.put(&other, &path, json!({ "name": "Mine" })).await.status, expected, "{email}");
    }
    assert_eq!(fixture.put(&token, &format!("{}/x", rules::ACTIONS), json!({})).await.status, 404);
}
