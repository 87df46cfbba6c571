//! Every entity is read in `snake_case` and serialized in camelCase, including nested members.

use serde::Serialize;
use serde_json::{Value, json};

use super::read::{self, FromWire};
use super::tests::read_page;
use super::*;

const TIME: &str = "2026-11-20T10:00:00Z";

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

/// The same JSON with every name in camelCase.
fn in_camel_case(wire: &Value) -> Value {
    match wire {
        Value::Object(members) => members.iter().map(|(name, value)| (camel(name), in_camel_case(value))).collect(),
        Value::Array(items) => items.iter().map(in_camel_case).collect(),
        other => other.clone(),
    }
}

/// Asserts that `json` contains all of `expected`.
fn holds(json: &Value, expected: &Value, at: &str) {
    match expected {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| holds(&json[name], value, &format!("{at}.{name}")));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| holds(&json[n], item, &format!("{at}[{n}]")));
        }
        other => assert_eq!(json, other, "{at}"),
    }
}

fn has_only_camel_case(json: &Value) {
    match json {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            assert!(!name.contains('_') && !name.starts_with(char::is_uppercase), "{name}");
            has_only_camel_case(value);
        }),
        Value::Array(items) => items.iter().for_each(has_only_camel_case),
        _ => {}
    }
}

/// Reads an entity whose members have the same values on the wire and in our JSON, and checks the serialized JSON.
fn check<T: FromWire + Serialize>(wire: &Value) {
    let json = serde_json::to_value(read::one::<T>(&json!({ T::WRAPPER: wire })).unwrap()).unwrap();
    holds(&json, &in_camel_case(wire), T::WRAPPER);
    has_only_camel_case(&json);
}

fn command() -> Value {
    json!({"id": "d1", "value": 30, "state": "pending", "created_at": TIME, "expires_at": TIME})
}

fn property() -> Value {
    json!({
        "key": 7, "name": "fan", "display_name": "Fan", "base_type": "integer", "direction": "input", "type": "Property",
        "read_only": true, "value": 3, "data_updated_at": TIME, "ack_enabled": true, "ack_status": 200,
        "ack_message": "done", "acked_at": TIME, "reported_value": 2, "reported_at": TIME, "command": command(),
    })
}

fn datum() -> Value {
    json!({"key": "floor", "value": "2", "created_at": TIME, "updated_at": TIME})
}

fn addr() -> Value {
    json!({"street": "1 Main", "city": "Paris", "state": "IDF", "country": "France", "zip": "75001"})
}

fn role_label() -> Value {
    let label = json!({"key": "partner_id", "value": "A"});
    json!({"id": 7, "role_name": "OEM::Admin", "description": "text", "label": label, "tags": [label]})
}

fn time_zone() -> Value {
    json!({
        "tz_id": "Europe/Paris", "utc_offset": "+01:00", "dst": true, "dst_active": true,
        "dst_next_change_date": "2027-03-28", "dst_next_change_time": "02:00", "key": 7,
    })
}

/// All fields of the specification, and our own.
fn device() -> Value {
    json!({
        "key": 7, "dsn": "D1", "connected_at": TIME, "connection_status": "Online", "has_properties": true,
        "ip": "192.0.2.1", "lan_enabled": true, "lan_ip": "10.0.0.2", "lat": 1.5, "lng": -2.5, "mac": "aa", "model": "M",
        "module_updated_at": TIME, "oem": "0dfc7900", "oem_model": "thing", "product_class": "fan", "product_name": "Lobby",
        "sw_version": "1.2", "ssid": "shop", "user_id": 5, "template_id": 6, "registration_type": "Same-LAN",
        "device_name": "d", "registered": true, "created_at": TIME,
        "data": [datum()], "addr": addr(), "role_labels": [role_label()], "properties": [property()],
        "time_zone": time_zone(),
    })
}

#[test]
fn every_entity_is_read_in_snake_case_and_written_in_camel_case() {
    check::<Device>(&device());
    check::<Property>(&property());
    check::<Datum>(&datum());
    check::<Address>(&addr());
    check::<RoleLabel>(&role_label());
    check::<TimeZone>(&time_zone());
    check::<Location>(&json!({"lat": 1.5, "provider": "user-based", "created_at": TIME}));
    check::<Datapoint>(&json!({
        "id": "d1", "value": 3, "created_at": TIME, "created_at_from_device": TIME, "updated_at": TIME, "echo": true,
        "metadata": {"by": "me"}, "ack_status": 200, "ack_message": 7, "acked_at": TIME, "expired": true,
    }));
    check::<RoleTag>(&json!({"namespace": "OEM::Admin", "key": "k", "value": "v"}));
    check::<User>(&json!({
        "id": 7, "uuid": "u1", "email": "a@example.com", "firstname": "A", "lastname": "B", "company": "C", "street": "S",
        "city": "X", "state": "Y", "zip": "1", "country": "Z", "phone_country_code": "33", "phone": "5",
        "ayla_dev_kit_num": "9", "role": "EndUser", "role_tags": [{"namespace": "n", "key": "k", "value": "v"}],
        "custody": {"key": "k", "value": "v"}, "confirmed_at": TIME, "created_at": TIME, "updated_at": TIME,
    }));
    check::<Subscription>(&json!({
        "id": 7, "name": "JS_DSS", "description": "DATAPOINT", "dsn": "D1", "property_name": "*", "created_at": TIME,
        "updated_at": TIME,
    }));
}

#[test]
fn pages_are_converted_including_their_items() {
    let page = json!({
        "total": 9, "current_page_number": 2, "start_count_on_page": 4, "end_count_on_page": 6, "previous_page": 1,
        "next_page": 3, "devices": [device()],
    });
    let json = serde_json::to_value(read_page(&page).unwrap()).unwrap();
    holds(&json, &in_camel_case(&page), "page");
    has_only_camel_case(&json);
}

#[test]
fn members_with_another_wire_name_are_converted() {
    let location = read::one::<Location>(&json!({"lat": "1.5", "long": "-2.5"})).unwrap();
    assert_eq!(serde_json::to_value(location).unwrap()["lng"], -2.5);
    let subscription = read::one::<Subscription>(&json!({"subscription_type": "datapoint,connectivity"})).unwrap();
    assert_eq!(serde_json::to_value(subscription).unwrap()["subscriptionTypes"], json!(["datapoint", "connectivity"]));
    let device = read::one::<Device>(&device()).unwrap();
    assert_eq!(serde_json::to_value(device).unwrap()["lastUpdateSource"], "CLOUD");
}
