//! `Debug` output of every entity contains neither secrets nor data of people or of their homes.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::read::{self, FromWire};
use super::*;

const MARK: &str = "5ec2e7";
const COORDINATE: f64 = 48.858_37;

/// Members that identify, classify or count, and times. All others have the mark.
const PUBLIC: [&str; 50] = [
    "ack_status",
    "ack_enabled",
    "acked_at",
    "action_ids",
    "action_uuid",
    "app_type",
    "base_type",
    "compare_type",
    "confirmed_at",
    "connected_at",
    "connection_status",
    "created_at",
    "created_by",
    "data_updated_at",
    "device_key",
    "direction",
    "dst_next_change_date",
    "dsn",
    "event_time",
    "expires_at",
    "grant_id",
    "id",
    "key",
    "name",
    "namespace",
    "notification_type",
    "oem_model",
    "operation",
    "owner_id",
    "property_name",
    "provider",
    "registration_type",
    "reported_at",
    "resource_id",
    "role",
    "role_name",
    "rule_uuid",
    "start_time_each_day",
    "state",
    "status",
    "subscription_type",
    "sw_version",
    "trigger_key",
    "trigger_type",
    "type",
    "tz_id",
    "user_id",
    "user_uuid",
    "utc_offset",
    "uuid",
];

const LISTS: [&str; 7] =
    ["applications", "data", "properties", "role_labels", "role_tags", "schedule_actions", "trigger_apps"];

const OBJECTS: [&str; 9] = [
    "addr",
    "command",
    "custody",
    "label",
    "notification_app_parameters",
    "owner_profile",
    "parameters",
    "tags",
    "user_profile",
];

fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/model");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Every text in the sources that may be the name of a member.
fn names() -> BTreeSet<String> {
    let texts = sources().into_iter().map(|path| fs::read_to_string(path).unwrap());
    let texts = texts.flat_map(|text| text.split('"').map(str::to_owned).collect::<Vec<_>>());
    texts
        .filter(|text| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        })
        .collect()
}

/// An object with all members that any entity reads. `value` is the value of those that can have several types.
fn marked(depth: u32, value: &Value) -> Value {
    let members = names().into_iter().filter_map(|name| {
        let nested = LISTS.contains(&&*name) || OBJECTS.contains(&&*name);
        let member = match &*name {
            _ if nested && depth == 0 => return None,
            list if LISTS.contains(&list) => json!([marked(depth - 1, value)]),
            _ if nested => marked(depth - 1, value),
            "lat" | "lng" | "long" => COORDINATE.into(),
            "value" | "reported_value" | "ack_message" | "metadata" => value.clone(),
            "base_type" => json!(if value.is_number() { "decimal" } else { "string" }),
            "type" => "EMAIL".into(),
            "email_to" => json!([MARK]),
            public if PUBLIC.contains(&public) => "public".into(),
            time if time.ends_with("_at") || time.ends_with("_time") => "2026-11-20T10:00:00Z".into(),
            // The names of entities, which would be read as their wrappers.
            wrapper if wrappers().contains(&wrapper) => return None,
            _ => MARK.into(),
        };
        Some((name, member))
    });
    Value::Object(members.collect::<Map<_, _>>())
}

macro_rules! entities {
    ($($entity:ident),* $(,)?) => {
        const ENTITIES: &[&str] = &[$(stringify!($entity)),*];

        fn wrappers() -> Vec<&'static str> {
            vec![$($entity::WRAPPER),*]
        }

        fn debug_outputs(wire: &Value) -> Vec<(&'static str, String)> {
            vec![$((stringify!($entity), debug_output::<$entity>(wire))),*]
        }
    };
}

entities![
    Address,
    BlobDatapoint,
    ConnectionChange,
    Contact,
    Datapoint,
    Datum,
    Device,
    Fault,
    FaultCounts,
    Location,
    Notification,
    NotificationApp,
    Property,
    Refusal,
    RoleLabel,
    RoleTag,
    RoleUser,
    Rule,
    RuleAction,
    Schedule,
    ScheduleAction,
    Share,
    ShareUserProfile,
    Subscription,
    TimeZone,
    Trigger,
    TriggerApp,
    User,
];

fn debug_output<T: FromWire + fmt::Debug>(wire: &Value) -> String {
    format!("{:?}", read::one::<T>(wire).unwrap())
}

#[test]
fn debug_output_of_every_entity_contains_no_secret_and_no_personal_data() {
    for value in [json!(MARK), json!(COORDINATE), json!({"by": MARK})] {
        let wire = marked(2, &value);
        for secret in ["email", "street", "ssid", "lan_ip", "password", "stream_key", "param1", "email_body"] {
            assert_eq!(wire[secret], MARK, "{secret}");
        }
        let pages = [
            ("DevicePage", format!("{:?}", super::tests::read_page(&json!({"devices": [wire]})).unwrap())),
            ("UserPage", format!("{:?}", UserPage::read(&json!({"users": [wire]})).unwrap())),
        ];
        for (entity, debug) in debug_outputs(&wire).into_iter().chain(pages) {
            assert!(!debug.contains(MARK) && !debug.contains("48.858"), "{entity}: {debug}");
        }
    }
}

#[test]
fn every_entity_is_checked() {
    let texts = sources().into_iter().map(|path| fs::read_to_string(path).unwrap());
    let entities = texts.flat_map(|text| {
        let found = text.split("impl FromWire for ").skip(1);
        found.map(|rest| rest.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    });
    let entities: BTreeSet<_> = entities.filter(|name| name.chars().all(char::is_alphanumeric)).collect();
    let checked: BTreeSet<_> = ENTITIES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(entities, checked);
}
