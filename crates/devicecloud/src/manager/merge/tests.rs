use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::model::read;

fn property(body: &Value) -> Property {
    read::one(&json!({"property": body})).unwrap()
}

fn fields(names: &[&str]) -> ChangedFields {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn known(body: &Value) -> KnownProperties {
    let mut known = KnownProperties::new();
    merge_properties(&mut known, vec![property(body)], Instant::now());
    known
}

#[tokio::test(start_paused = true)]
async fn new_property_is_added_with_a_change_without_fields() {
    let mut known = KnownProperties::new();
    let changes = merge_properties(&mut known, vec![property(&json!({"name": "fan", "value": 3}))], Instant::now());
    let expected = Change::Property { name: "fan".into(), changed: fields(&[]), value: Some(3.into()) };
    assert_eq!(changes, [expected]);
    assert_eq!(known["fan"].property.value, Some(3.into()));
}

#[tokio::test(start_paused = true)]
async fn known_property_sends_a_change_only_if_it_differs() {
    let before =
        json!({"name": "fan", "key": 1, "value": 3, "base_type": "integer", "data_updated_at": "2026-11-20T10:00:00Z"});
    let table: [(&str, Value, &[&str]); 7] = [
        ("name", json!("fan"), &[]),
        ("value", json!(4), &["value"]),
        ("value", json!(null), &["value"]),
        ("display_name", json!("Fan"), &["displayName"]),
        ("read_only", json!(true), &["readOnly"]),
        ("data_updated_at", json!("2026-11-20T10:00:01Z"), &["dataUpdatedAt"]),
        ("acked_at", json!("2026-11-20T10:00:01Z"), &["ackedAt"]),
    ];
    for (member, value, changed) in table {
        let mut known = known(&before);
        let mut after = before.clone();
        after[member] = value;
        let changes = merge_properties(&mut known, vec![property(&after)], Instant::now());
        let summary: Vec<_> = changes
            .iter()
            .map(|change| match change {
                Change::Property { name, changed, value } => {
                    assert_eq!((name.as_str(), value), ("fan", &known["fan"].property.value));
                    changed.clone()
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let expected: Vec<_> = (!changed.is_empty()).then(|| fields(changed)).into_iter().collect();
        assert_eq!(summary, expected, "{member}");
        assert_eq!(known["fan"].property, property(&after), "{member}");
    }
}

#[tokio::test(start_paused = true)]
async fn property_missing_in_a_read_is_kept() {
    let mut known = known(&json!({"name": "fan", "value": 3}));
    assert!(merge_properties(&mut known, Vec::new(), Instant::now()).is_empty());
    assert_eq!(known.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn ack_settings_of_the_application_survive_a_read() {
    let mut known = known(&json!({"name": "fan", "value": 3}));
    known.get_mut("fan").unwrap().property.ack_polling_max_count = 2;
    known.get_mut("fan").unwrap().property.ack_polling_interval_ms = 9;
    merge_properties(&mut known, vec![property(&json!({"name": "fan", "value": 4}))], Instant::now());
    let fan = &known["fan"].property;
    assert_eq!((fan.ack_polling_max_count, fan.ack_polling_interval_ms), (2, 9));
}

#[tokio::test(start_paused = true)]
async fn datapoint_value_is_converted_to_the_property_type() {
    let mut known = known(&json!({"name": "lamp", "base_type": "boolean", "value": 1}));
    let datapoint: Datapoint = read::one(&json!({"datapoint": {"value": 1}})).unwrap();
    let change = known.get_mut("lamp").unwrap().apply_datapoint(
        &datapoint,
        DatapointKind::Value,
        DataSource::Dss,
        Instant::now(),
    );
    assert_eq!(change, None, "1 equals the known value true");
}

#[tokio::test(start_paused = true)]
async fn stream_delivers_the_states_of_commands_after_a_read_has_found_one() {
    use DatapointKind::{Ack, Value};
    let at = |second: u32| format!("2026-11-20T10:00:{second:02}Z");
    let level = json!({"name": "level", "value": 1, "command": {"id": "c", "value": 1, "state": "pending", "created_at": at(1)}});
    let mut with_command = known(&level);
    let mut without = known(&json!({"name": "level", "value": 1}));
    let write = |id: &str, second| json!({"id": id, "value": 1, "created_at": at(second), "updated_at": at(second)});
    let ack = |id: &str, second, status| json!({"id": id, "value": 1, "updated_at": at(second), "acked_at": at(second), "ack_status": status});
    let report = json!({"value": 1, "updated_at": at(3), "echo": true});
    let older = json!({"id": "b", "value": 1, "created_at": at(0), "updated_at": at(4)});
    let expired = json!({"id": "d", "value": 1, "updated_at": at(4), "expired": true});
    let table = [
        (Value, write("c", 1), ("c", CommandState::Pending)),
        (Ack, ack("c", 2, 200), ("c", CommandState::Acknowledged)),
        (Value, report, ("c", CommandState::Acknowledged)),
        (Value, write("d", 4), ("d", CommandState::Pending)),
        // Late, and of an older command.
        (Value, older, ("d", CommandState::Pending)),
        (Ack, ack("c", 5, 422), ("d", CommandState::Pending)),
        (Ack, expired, ("d", CommandState::Expired)),
        (Value, write("d", 4), ("d", CommandState::Expired)),
        (Ack, ack("d", 6, 422), ("d", CommandState::Failed)),
    ];
    for (kind, body, (id, state)) in table {
        let datapoint: Datapoint = read::one(&json!({"datapoint": body})).unwrap();
        let apply = |known: &mut KnownProperties| {
            let level = known.get_mut("level").unwrap();
            level.apply_datapoint(&datapoint, kind, DataSource::Dss, Instant::now());
            level.property.command.clone()
        };
        let command = apply(&mut with_command).unwrap();
        assert_eq!((command.id.as_str(), command.state), (id, state), "{body}");
        assert_eq!(apply(&mut without), None, "not every cloud sends commands");
    }
}

#[tokio::test(start_paused = true)]
async fn reads_that_began_before_an_event_do_not_overwrite_it() {
    let started_at = Instant::now();
    let mut known = known(&json!({"name": "fan", "value": 3}));
    tokio::time::sleep(Duration::from_millis(1)).await;
    let datapoint: Datapoint = read::one(&json!({"datapoint": {"value": 5}})).unwrap();
    known.get_mut("fan").unwrap().apply_datapoint(&datapoint, DatapointKind::Value, DataSource::Dss, Instant::now());
    let fetched = || vec![property(&json!({"name": "fan", "value": 3}))];
    assert!(merge_properties(&mut known, fetched(), started_at).is_empty());
    assert_eq!(known["fan"].property.value, Some(5.into()));
    assert_eq!(merge_properties(&mut known, fetched(), Instant::now()).len(), 1);
}

fn device(body: &Value) -> Device {
    read::one(&json!({"device": body})).unwrap()
}

#[test]
fn device_parts_missing_in_the_response_are_kept() {
    let whole = json!({"dsn": "A", "data": [{"datum": {"key": "k"}}], "addr": {"city": "Lyon"},
        "role_labels": [{"role_label": {"id": 1}}], "time_zone": {"tz_id": "Asia/Tokyo"}});
    let mut known = device(&whole);
    assert!(merge_device(&mut known, device(&json!({"dsn": "A"})), false).is_empty());
    assert_eq!(known, device(&whole));
    let other = json!({"dsn": "A", "data": [{"datum": {"key": "l"}}], "addr": {"city": "Nice"}});
    assert_eq!(merge_device(&mut known, device(&other), false), fields(&["addr", "data"]));
}

#[test]
fn different_source_alone_is_not_a_change() {
    let mut known = device(&json!({"dsn": "A"}));
    let fetched = Device { last_update_source: DataSource::Dss, ..known.clone() };
    assert!(merge_device(&mut known, fetched, false).is_empty());
    assert_eq!(known.last_update_source, DataSource::Dss);
}

proptest! {
    #[test]
    fn repeated_read_causes_no_change(
        reads in prop::collection::vec(("[abc]", any::<Option<i64>>(), any::<bool>()), 0..8),
    ) {
        let fetched: Vec<_> = reads
            .iter()
            .map(|(name, value, read_only)| property(&json!({"name": name, "value": value, "read_only": read_only})))
            .collect();
        let mut known = KnownProperties::new();
        let started_at = Instant::now();
        merge_properties(&mut known, fetched, started_at);
        let newest: Vec<_> = known.values().map(|known| known.property.clone()).collect();
        prop_assert!(merge_properties(&mut known, newest, started_at).is_empty());
    }
}
