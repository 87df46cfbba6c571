//! The limits of a template apply to reports, and to commands on every path (B-11).

use cloud::operator::{NewDevice, Template, TemplateProperty};
use cloud::testing::{World, device_key};
use cloud::{BaseType, Direction, Limits};
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::rules::make_action;

const DSN: &str = "DEV-L1";

/// Properties with every kind of limit: name, type, limits, a valid value and invalid values.
fn properties() -> Vec<(&'static str, BaseType, Limits, Value, Vec<Value>)> {
    let range = |minimum: i32, maximum: i32| Limits {
        minimum: Some(minimum.into()),
        maximum: Some(maximum.into()),
        pattern: None,
    };
    let form = Limits { pattern: Some("[0-9]+(,[0-9]+)*".parse().unwrap()), ..Limits::default() };
    vec![
        ("speed", BaseType::Integer, range(0, 5), json!(5), vec![json!(-1), json!(6), json!(2.5), json!("fast")]),
        ("hours", BaseType::Decimal, range(0, i32::MAX), json!(0.01), vec![json!(-0.01), json!(2.2e7), json!("long")]),
        ("times", BaseType::String, form, json!("8,30"), vec![json!("junk"), json!("8,"), json!("8\0"), json!(8)]),
        ("label", BaseType::String, Limits::default(), json!("Bar"), vec![json!("a\0b"), json!("x".repeat(1025))]),
        ("lamp", BaseType::Boolean, Limits::default(), json!(1), vec![json!(2), json!("on")]),
    ]
}

async fn fixture() -> Fixture {
    let fixture = Fixture::start().await;
    let property = |(name, base_type, limits, ..): (&str, BaseType, Limits, Value, Vec<Value>)| TemplateProperty {
        name: name.into(),
        display_name: name.into(),
        base_type,
        direction: Direction::Input,
        ack_enabled: true,
        retention_days: 30,
        limits,
    };
    let properties = properties().into_iter().map(property).collect();
    let template = Template { name: "limited".into(), properties, schedules: vec![] };
    let operator = fixture.cloud.operator();
    operator.ensure_template(&fixture.world.oem, &template).await.unwrap();
    let device = NewDevice {
        dsn: DSN.into(),
        template: "limited".into(),
        link_key: device_key(DSN).into(),
        registered: true,
        ..NewDevice::default()
    };
    operator.add_devices(&fixture.world.oem, &[device]).await.unwrap();
    fixture
}

fn datapoints(name: &str) -> String {
    format!("/apiv1/dsns/{DSN}/properties/{name}/datapoints")
}

async fn assert_nothing_is_stored(fixture: &Fixture, token: &str, name: &str) {
    assert_eq!(fixture.get(token, &datapoints(name)).await.body, json!([]), "{name}");
    let property = fixture.property(token, DSN, name).await;
    for member in ["value", "reported_value", "command"] {
        assert_eq!(property[member], Value::Null, "{name} {member}");
    }
}

#[tokio::test]
async fn reported_value_outside_the_limits_refuses_the_whole_report() {
    let fixture = fixture().await;
    fixture.cloud.operator().set_strict_reports(&fixture.world.oem, "limited", true).await.unwrap();
    let token = fixture.token(World::ADMIN).await;
    let device = fixture.cloud.device(DSN).await;
    let properties = properties();
    for (name, _, _, good, bad) in &properties {
        // A device sends numbers and booleans as such.
        let as_text = (!good.is_string()).then(|| json!(good.to_string()));
        for bad in bad.iter().chain(&as_text) {
            let others = properties.iter().filter(|(other, ..)| other != name);
            let mut values: Vec<(&str, Value)> = others.map(|(other, _, _, good, _)| (*other, good.clone())).collect();
            values.push((name, bad.clone()));
            let refused = device.try_report(&values).await.unwrap_err();
            assert!(refused.starts_with(&format!("{name} ")), "{name} {bad}: {refused}");
        }
    }
    for (name, ..) in &properties {
        assert_nothing_is_stored(&fixture, &token, name).await;
    }
    for (name, _, _, good, _) in properties {
        device.report(&[(name, good.clone())]).await;
        assert_eq!(fixture.property(&token, DSN, name).await["reported_value"], good, "{name}");
    }
}

#[tokio::test]
async fn command_outside_the_limits_is_refused_on_every_path() {
    let fixture = fixture().await;
    let token = fixture.token(World::ADMIN).await;
    let key = fixture.device_key(&token, DSN).await;
    let schedules = format!("/apiv1/devices/{key}/schedules");
    let schedule = json!({ "schedule": { "name": "day", "start_time_each_day": "08:00:00" } });
    let schedule = fixture.post(&token, &schedules, schedule).await.body["schedule"]["key"].take();
    let actions = format!("/apiv1/schedules/{schedule}/schedule_actions");
    for (name, base_type, _, good, bad) in properties() {
        let base_type = base_type.as_str();
        let action = |value: &Value| json!({ "schedule_action": { "name": name, "base_type": base_type, "value": value, "at_start": true } });
        let batch = |value: &Value| json!({ "batch_datapoints": [{ "dsn": DSN, "name": name, "datapoint": { "value": value } }] });
        for bad in bad {
            let datapoint = json!({ "datapoint": { "value": bad } });
            let alone = fixture.post(&token, &datapoints(name), datapoint).await;
            assert_eq!((alone.status, alone.body["errors"]["value"].is_array()), (422, true), "{name} {bad}");
            let batch = fixture.post(&token, "/apiv1/batch_datapoints", batch(&bad)).await;
            assert_eq!((batch.status, &batch.body[0]["status"]), (201, &json!(422)), "{name} {bad} {}", batch.body);
            let action = fixture.post(&token, &actions, action(&bad)).await;
            assert_eq!((action.status, action.body["errors"]["value"].is_array()), (422, true), "{name} {bad}");
            // An assignment of a rule is a text, so a number is one for a text property.
            if let Some(bad) = bad.as_str().map(str::to_owned).or_else(|| (good.is_number()).then(|| bad.to_string())) {
                let parameters = json!({ "datapoint": format!("DATAPOINT({DSN},{name}) = '{bad}'") });
                let rule = make_action(&fixture, &token, "DATAPOINT", parameters).await;
                assert_eq!(rule.status, 422, "{name} {bad}: {}", rule.body);
            }
        }
        assert_nothing_is_stored(&fixture, &token, name).await;
        let made = fixture.post(&token, &actions, action(&good)).await;
        assert_eq!(made.status, 201, "{name} {}", made.body);
        let stored = fixture.post(&token, "/apiv1/batch_datapoints", batch(&good)).await.body[0].take();
        assert_eq!((&stored["status"], &stored["datapoint"]["value"]), (&json!(201), &good), "{name}");
    }
    let listed = fixture.get(&token, &actions).await.body;
    assert_eq!(listed.as_array().map(Vec::len), Some(properties().len()), "no refused action was stored: {listed}");
    assert_eq!(fixture.get(&token, "/rulesservice/v1/actions").await.body["actions"], json!([]));
}

#[tokio::test]
async fn limits_added_to_a_template_apply_to_its_devices() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let fan = TemplateProperty {
        name: "fan".into(),
        display_name: "fan".into(),
        base_type: BaseType::Integer,
        direction: Direction::Input,
        ack_enabled: true,
        retention_days: 400,
        limits: Limits { minimum: Some(0.0), maximum: Some(5.0), pattern: None },
    };
    let write = async || {
        let datapoint = json!({ "datapoint": { "value": 6 } });
        fixture.post(&token, "/apiv1/dsns/DEV-A1/properties/fan/datapoints", datapoint).await.status
    };
    assert_eq!(write().await, 201);
    let template = Template { name: "thing".into(), properties: vec![fan], schedules: vec![] };
    fixture.cloud.operator().ensure_template(&fixture.world.oem, &template).await.unwrap();
    assert_eq!(write().await, 422);
    fixture.cloud.device("DEV-A1").await.report(&[("fan", json!(6))]).await;
    assert_eq!(fixture.property(&token, "DEV-A1", "fan").await["reported_value"], Value::Null);
}
