//! Effects of rules when an event of their subjects happens.

use std::time::Duration;

use cloud::testing::{TestCloud, TestDevice, World};
use jiff::SignedDuration;
use platform::run::rate_limit::Rate;
use platform::testing::pause;
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::rules::{RULES, datapoint_action, email_action, make_action, make_rule};

/// The recipients of all messages of rules so far.
async fn mail_recipients(fixture: &Fixture) -> Vec<String> {
    fixture.cloud.evaluate_rules().await;
    let outbox = fixture.cloud.outbox().await;
    outbox.into_iter().filter(|message| message.kind == "rule").map(|message| message.recipient).collect()
}

async fn report(device: &TestDevice, values: &[i64]) {
    for value in values {
        device.report(&[("intensity", json!(value))]).await;
    }
}

/// Creates a rule of this user that mails Jo.
async fn mailing_rule(fixture: &Fixture, email: &str, expression: &str) -> String {
    let token = fixture.token(email).await;
    let action = email_action(fixture, &token).await;
    make_rule(fixture, &token, expression, &[&action]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flood_of_one_owner_delays_the_rule_of_another_by_less_than_two_seconds() {
    let cloud = TestCloud::start_with(|config| {
        config.rule_interval = Duration::from_millis(100);
        config.request_limits.per_user = Rate::per_second(1_000_000);
        config.message_limits.gap = SignedDuration::ZERO;
    });
    let fixture = Fixture::on(cloud.await).await;
    for _ in 0..20 {
        mailing_rule(&fixture, World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A1,intensity) > 90").await;
    }
    mailing_rule(&fixture, World::TECHNICIAN_A, "DATAPOINT(DEV-A2,intensity) < 20").await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let flood = async {
        let entry = json!({ "dsn": "DEV-A1", "name": "intensity", "datapoint": { "value": 30 } });
        let batch = json!({ "batch_datapoints": vec![entry; 250] });
        loop {
            // 5,000 events.
            assert_eq!(fixture.post(&token, "/apiv1/batch_datapoints", batch.clone()).await.status, 201);
        }
    };
    let device = fixture.cloud.device("DEV-A2").await;
    let rule_of_another = async {
        for fired in 1..=3 {
            report(&device, &[19]).await;
            let fires = async {
                while fixture.cloud.outbox().await.len() < fired {
                    pause().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(2), fires).await.expect("the rule fires");
        }
    };
    tokio::select! {
        () = flood => {}
        () = rule_of_another => {}
    }
}

#[tokio::test]
async fn report_that_makes_a_rule_true_sends_messages() {
    let fixture = Fixture::without_message_limits().await;
    let rule = mailing_rule(&fixture, World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    let device = fixture.cloud.device("DEV-A1").await;
    report(&device, &[20]).await;
    device.report(&[("hours", json!(3))]).await;
    report(&fixture.cloud.device("DEV-A2").await, &[5]).await;
    assert_eq!(mail_recipients(&fixture).await, Vec::<String>::new());
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await, ["jo@example.com"]);
    let message = fixture.cloud.outbox().await.remove(0);
    assert_eq!((&*message.subject, &*message.state), ("Low level", "kept"));
    assert!(message.body.starts_with("Please refill.\n\nA rule at Device cloud wrote"), "{}", message.body);
    assert_eq!(mail_recipients(&fixture).await.len(), 1, "once");
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 2, "the rule fires on every matching event");

    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let switch = async |is_enabled: bool| {
        let body = json!({ "rule": { "is_enabled": is_enabled } });
        assert_eq!(fixture.post(&token, &format!("{RULES}/{rule}"), body).await.status, 200);
    };
    switch(false).await;
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 2, "a disabled rule does not fire");
    switch(true).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 2, "events while the rule was disabled are not evaluated later");
    report(&device, &[19]).await;
    switch(false).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 2, "pending events are dropped when the rule is disabled");
    switch(true).await;
    report(&device, &[19]).await;
    assert_eq!(fixture.delete(&token, &format!("{RULES}/{rule}")).await.status, 204);
    assert_eq!(mail_recipients(&fixture).await.len(), 2, "pending events are dropped with a deleted rule");
}

#[tokio::test]
async fn rule_uses_the_value_of_its_event_not_a_later_one() {
    let fixture = Fixture::without_message_limits().await;
    mailing_rule(&fixture, World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    mailing_rule(&fixture, World::PARTNER_ADMIN_A, "changed(DATAPOINT(DEV-A1,fan)) && DP(DEV-A1,fan) > 0").await;
    let device = fixture.cloud.device("DEV-A1").await;
    report(&device, &[19, 25, 18]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 2);
    for (fan, expected) in [(1, 3), (1, 3), (2, 4), (0, 4), (2, 5)] {
        device.report(&[("fan", json!(fan))]).await;
        assert_eq!(mail_recipients(&fixture).await.len(), expected, "{fan}");
    }
}

#[tokio::test]
async fn rule_uses_current_values_for_other_subjects() {
    let fixture = Fixture::without_message_limits().await;
    let expression = "DATAPOINT(DEV-A1,intensity) < 20 && CONNECTIVITY(DEV-A2) && str_equals(DP(DEV-A2,note), 'spare')
         && current_time() - time(DEV-A1) == 0 && distance_km(LOCATION(DEV-A1), LOCATION(DEV-A2)) < 1";
    mailing_rule(&fixture, World::PARTNER_ADMIN_A, expression).await;
    let (device, other) = (fixture.cloud.device("DEV-A1").await, fixture.cloud.device("DEV-A2").await);
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 0);
    fixture.cloud.clock().advance(SignedDuration::from_mins(1));
    other.connect().await;
    other.report(&[("note", json!("spare"))]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 0, "DEV-A1 has not reported for a while");
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 1);
}

#[tokio::test]
async fn rule_commands_another_device_as_its_owner() {
    let fixture = Fixture::without_message_limits().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let set = datapoint_action(&fixture, &token, "DATAPOINT(DEV-A2,intensity) = 30").await;
    let light = datapoint_action(&fixture, &token, "DATAPOINT(DEV-A2,lamp) = true").await;
    let note = datapoint_action(&fixture, &token, "DATAPOINT(DEV-A1,note) = 'two words'").await;
    let mail = email_action(&fixture, &token).await;
    make_rule(&fixture, &token, "DATAPOINT(DEV-A1,intensity) < 20", &[&set, &light, &mail, &note]).await;
    report(&fixture.cloud.device("DEV-A1").await, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 1);
    let pending = async |dsn: &str| {
        let commands = fixture.cloud.device(dsn).await.pending().await;
        commands.into_iter().map(|(_, property, value)| (property, value)).collect::<Vec<_>>()
    };
    let on_a2 = [("intensity".to_owned(), json!(30)), ("lamp".to_owned(), json!(1))];
    assert_eq!(pending("DEV-A2").await, on_a2);
    assert_eq!(pending("DEV-A1").await, [("note".to_owned(), json!("two words"))]);
    let datapoints = fixture.get(&token, "/apiv1/dsns/DEV-A2/properties/intensity/datapoints").await.body;
    assert_eq!(datapoints[0]["datapoint"]["value"], 30);
    assert_eq!(fixture.property(&token, "DEV-A2", "intensity").await["value"], 30);
}

#[tokio::test]
async fn rule_fires_on_every_kind_of_event() {
    let fixture = Fixture::without_message_limits().await;
    let admin = fixture.token(World::ADMIN).await;
    let owner = fixture.user(World::END_USER).await["uuid"].as_str().unwrap().to_owned();
    for expression in [
        "CONNECTIVITY(DEV-U1) == 'Online'",
        "CONNECTION(DEV-U1,offline)",
        "DATAPOINT_ACK(DEV-U1,intensity) == 30",
        "DATAPOINT(DEV-U1,intensity) == 30",
        "distance_km(LOCATION(DEV-U1), lat_long(51.5, -0.1)) < 1",
        &format!("distance_miles(LOCATION({owner}), lat_long(51.5, -0.1)) < 1"),
        "REGISTRATION(DEV-U1,false)",
    ] {
        mailing_rule(&fixture, World::ADMIN, expression).await;
    }
    let device = fixture.cloud.device("DEV-U1").await;
    let generation = device.connect().await;
    assert_eq!(mail_recipients(&fixture).await.len(), 1, "it came");
    device.disconnect(generation).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 2, "it went");
    let id = fixture.command(&admin, "DEV-U1", "intensity", json!(30)).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 3, "the device was commanded");
    device.ack(&id, 200, 0).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 4, "it answered");
    let key = fixture.device_key(&admin, "DEV-U1").await;
    let location = json!({ "location": { "lat": "51.5", "long": "-0.1" } });
    assert_eq!(fixture.post(&admin, &format!("/apiv1/devices/{key}/locations"), location).await.status, 201);
    assert_eq!(mail_recipients(&fixture).await.len(), 6, "the device and a device of its owner moved");
    assert_eq!(fixture.delete(&admin, &format!("/apiv1/devices/{key}")).await.status, 200);
    assert_eq!(mail_recipients(&fixture).await.len(), 7, "the device returned to stock");
}

#[tokio::test]
async fn rules_about_the_end_of_a_registration_fire_for_all_who_had_the_device() {
    let fixture = Fixture::without_message_limits().await;
    let admin = fixture.token(World::ADMIN).await;
    // The technician loses the device before it returns to stock.
    for (dsn, users, count) in
        [("DEV-A1", [World::PARTNER_ADMIN_A, World::TECHNICIAN_A], 1), ("DEV-U1", [World::ADMIN, World::END_USER], 2)]
    {
        for user in users {
            mailing_rule(&fixture, user, &format!("REGISTRATION({dsn},false)")).await;
        }
        fixture.cloud.revoke_roles(World::TECHNICIAN_A).await;
        let key = fixture.device_key(&admin, dsn).await;
        let before = mail_recipients(&fixture).await.len();
        assert_eq!(fixture.delete(&admin, &format!("/apiv1/devices/{key}")).await.status, 200);
        assert_eq!(mail_recipients(&fixture).await.len() - before, count, "{dsn}");
    }
}

#[tokio::test]
async fn rule_stops_when_its_owner_loses_permissions() {
    let fixture = Fixture::without_message_limits().await;
    let owner = fixture.token(World::PARTNER_ADMIN_A).await;
    let guest = fixture.token(World::END_USER).await;
    let share = crate::shares::device("DEV-A1", World::END_USER, json!({ "operation": "write" }));
    let share = crate::shares::give(&fixture, &owner, share).await.body["share"]["id"].to_string();
    let set = datapoint_action(&fixture, &guest, "DATAPOINT(DEV-A1,fan) = 2").await;
    let mail = email_action(&fixture, &guest).await;
    make_rule(&fixture, &guest, "DATAPOINT(DEV-A1,intensity) < 20 || 1", &[&set, &mail]).await;
    let device = fixture.cloud.device("DEV-A1").await;
    let commands = async || device.pending().await.len();
    report(&device, &[19]).await;
    assert_eq!((mail_recipients(&fixture).await.len(), commands().await), (1, 1));
    device.ack(&device.pending().await[0].0.clone(), 200, 0).await;

    let path = format!("/api/v1/users/shares/{share}");
    let body = json!({ "share": { "operation": "read" } });
    assert_eq!(fixture.put(&owner, &path, body).await.status, 200);
    report(&device, &[19]).await;
    assert_eq!(
        (mail_recipients(&fixture).await.len(), commands().await),
        (2, 0),
        "a reader still gets mails, but cannot command"
    );
    report(&device, &[19]).await;
    assert_eq!(fixture.delete(&owner, &path).await.status, 204);
    assert_eq!(
        (mail_recipients(&fixture).await.len(), commands().await),
        (2, 0),
        "without the share, the user gets no mails"
    );

    mailing_rule(&fixture, World::TECHNICIAN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 3);
    let admin = fixture.token(World::ADMIN).await;
    for (call, role) in [("revoke_role", "Technician"), ("assign_role", "Observer"), ("assign_label", "Observer")] {
        let body = json!({
            "user_email": World::TECHNICIAN_A, "role": format!("OEM::Partner::{role}"), "label": { "partner_id": "A" },
        });
        assert_eq!(fixture.put(&admin, &format!("/api/v1/users/{call}"), body).await.status, 204);
    }
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 3, "observers have no rules");
}

#[tokio::test]
async fn rule_chain_ends_after_eight_rules() {
    let fixture = Fixture::without_message_limits().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let there = datapoint_action(&fixture, &token, "DATAPOINT(DEV-A2,fan) = 2").await;
    let back = datapoint_action(&fixture, &token, "DATAPOINT(DEV-A1,fan) = 1").await;
    make_rule(&fixture, &token, "DATAPOINT(DEV-A1,fan) > 0", &[&there]).await;
    make_rule(&fixture, &token, "DATAPOINT(DEV-A2,fan) > 0", &[&back]).await;
    fixture.cloud.device("DEV-A1").await.report(&[("fan", json!(1))]).await;
    fixture.cloud.evaluate_rules().await;
    let mut count = 0;
    for dsn in ["DEV-A1", "DEV-A2"] {
        let path = format!("/apiv1/dsns/{dsn}/properties/fan/datapoints");
        count += fixture.get(&token, &path).await.body.as_array().unwrap().len();
    }
    assert_eq!(count, 1 + 8, "the report, and eight rules after it");
}

#[tokio::test]
async fn rule_at_its_hourly_limit_pauses_until_the_hour_is_over() {
    let fixture = Fixture::without_message_limits().await;
    mailing_rule(&fixture, World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    let device = fixture.cloud.device("DEV-A1").await;
    report(&device, &[19; 65]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 60);
    fixture.cloud.clock().advance(SignedDuration::from_mins(59));
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 60);
    fixture.cloud.clock().advance(SignedDuration::from_mins(1));
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 61);
}

#[tokio::test]
async fn rules_of_a_user_send_a_limited_number_of_messages_a_day() {
    let fixture = Fixture::without_message_limits().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let to: Vec<String> = (0..10).map(|n| format!("jo{n}@example.com")).collect();
    let mail = json!({ "email_to": to, "email_subject": "Low", "email_body": "Refill" });
    let action = make_action(&fixture, &token, "EMAIL", mail).await.body["action"]["action_uuid"].take();
    make_rule(&fixture, &token, "DATAPOINT(DEV-A1,intensity) < 20", &[action.as_str().unwrap()]).await;
    let device = fixture.cloud.device("DEV-A1").await;
    report(&device, &[19; 21]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 200);
    fixture.cloud.clock().advance(SignedDuration::from_hours(25));
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 210);
    mailing_rule(&fixture, World::TECHNICIAN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 221, "each user has a separate limit");
}

#[tokio::test]
async fn message_contains_only_the_text_of_its_author() {
    let fixture = Fixture::without_message_limits().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let text = "{{ console }} <b>now</b>\n\n{% include 'test' %}";
    let mail = json!({ "email_to": ["jo@example.com"], "email_subject": "{{ product }}", "email_body": text });
    let action = make_action(&fixture, &token, "EMAIL", mail).await.body["action"]["action_uuid"].take();
    make_rule(&fixture, &token, "DATAPOINT(DEV-A1,intensity)", &[action.as_str().unwrap()]).await;
    report(&fixture.cloud.device("DEV-A1").await, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await.len(), 1);
    let message = fixture.cloud.outbox().await.remove(0);
    assert_eq!((&*message.subject, message.link), ("{{ product }}", None::<String>));
    assert!(message.body.starts_with(text), "{}", message.body);
}

#[tokio::test]
async fn rules_are_deleted_with_their_user() {
    let fixture = Fixture::without_message_limits().await;
    mailing_rule(&fixture, World::TECHNICIAN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    let device = fixture.cloud.device("DEV-A1").await;
    report(&device, &[19]).await;
    fixture.cloud.operator().remove_user(&fixture.world.oem, World::TECHNICIAN_A).await.unwrap();
    report(&device, &[19]).await;
    assert_eq!(mail_recipients(&fixture).await, Vec::<String>::new());
    let admin = fixture.token(World::ADMIN).await;
    let listed = fixture.get(&admin, &format!("{RULES}?type=device&id=DEV-A1")).await.body;
    assert_eq!(listed, json!({ "rules": Vec::<Value>::new() }));
}
