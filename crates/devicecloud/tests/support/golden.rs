//! Reads the golden files of `tests/wire`; the README there describes the format. The cloud has a similar module.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// Values of the variables (`$name`) that are known before a call.
pub(crate) fn variables() -> Map<String, Value> {
    let variables = json!({
        "email": "jo@example.com", "password": "correct horse", "app_id": "app", "app_secret": "app secret",
        "access_token": "a0000000000000000000000000000000", "refresh_token": "b0000000000000000000000000000000",
        "dsn": "AC000W000000001", "other_dsn": "AC000W000000002", "device_key": 41, "property": "intensity",
        "property_key": 43, "file_property": "log", "file_property_key": 44,
        "file_id": "9b2f6f0e-0000-71f1-8000-000000000002",
        "datapoint_id": "9b2f6f0e-0000-11f1-8000-000000000001", "subscription_id": 51,
        "datum_key": "units", "contact_id": 71, "recipient": "guest@example.com", "share_id": 81, "role": "OEM::Partner::Admin", "role_label_id": 61, "stream_key": "c0000000000000000000000000000000", "wrong_password": "wrong", "wrong_app_id": "wrong-app",
        "wrong_access_token": "d0000000000000000000000000000000",
        "wrong_refresh_token": "e0000000000000000000000000000000", "wrong_dsn": "AC000W999999999",
        "wrong_stream_key": "f0000000000000000000000000000000",
        "unknown_email": "nobody@example.com", "invalid_email": "jo@", "unconfirmed_email": "new@example.com",
        "new_email": "jo.new@example.com", "new_password": "Battery-Staple-2", "weak_password": "weak",
        "template": "short", "confirmation_token": "d1000000000000000000000000000000",
        "wrong_confirmation_token": "d2000000000000000000000000000000",
        "reset_password_token": "e1000000000000000000000000000000",
        "wrong_reset_password_token": "e2000000000000000000000000000000",
    });
    let of_others = json!({
        "cancellation_token": "f1000000000000000000000000000000",
        "wrong_cancellation_token": "f2000000000000000000000000000000",
        "schedule_key": 91, "schedule_action_key": 92, "oem_id": 3, "oem_key": "0dfc7900", "wrong_oem_id": 999_999_999, "user_id": 71, "other_user_id": 72,
        "other_user_uuid": "22222222-3333-4444-5555-666666666666", "other_email": "kim@example.com", "customer_id": 73,
        "customer_email": "lee@example.com", "wrong_user_id": 999_999_999,
        "notification_id": 91, "notification_app_id": 92, "trigger_key": 93, "trigger_app_key": 94,
        "rule_uuid": "33333333-4444-5555-6666-777777777771", "action_uuid": "33333333-4444-5555-6666-777777777772",
        "unused_action_uuid": "33333333-4444-5555-6666-777777777773",
        "wrong_uuid": "33333333-4444-5555-6666-999999999999",
    });
    // In two parts, because of the macro's recursion limit.
    let all = [variables, of_others].into_iter();
    all.flat_map(|some| some.as_object().unwrap().clone()).collect()
}

/// The names of all files, such as `users/sign_in.401`.
pub(crate) fn names() -> Vec<String> {
    let mut names = Vec::new();
    for family in std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in std::fs::read_dir(&family).unwrap().map(|entry| entry.unwrap().path()) {
            let family = family.file_name().unwrap().to_str().unwrap();
            names.push(format!("{family}/{}", file.file_stem().unwrap().to_str().unwrap()));
        }
    }
    names.sort();
    names
}

/// A file with its `$name`s replaced.
pub(crate) fn load(name: &str) -> Value {
    substitute(raw(name), &variables())
}

/// A file as it is stored.
pub(crate) fn raw(name: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire")
}

fn substitute(value: Value, variables: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) => {
            if let Some(value) = text.strip_prefix('$').and_then(|name| variables.get(name)) {
                return value.clone();
            }
            // Longest names first, so that no name matches a prefix of a longer one.
            let mut names: Vec<_> = variables.keys().collect();
            names.sort_by_key(|name| std::cmp::Reverse(name.len()));
            Value::String(names.into_iter().fold(text, |text, name| {
                let plain = variables[name].as_str().map_or_else(|| variables[name].to_string(), str::to_owned);
                text.replace(&format!("${name}"), &plain)
            }))
        }
        Value::Array(list) => list.into_iter().map(|entry| substitute(entry, variables)).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, substitute(value, variables))).collect()
        }
        other => other,
    }
}

/// Two sample responses: each `<kind>` as its sample, each `<kind?>` once as a sample and once as null.
pub(crate) fn samples(pattern: &Value) -> [Value; 2] {
    [fill(pattern, true), fill(pattern, false)]
}

fn fill(pattern: &Value, optional: bool) -> Value {
    match pattern {
        Value::String(text) => match kind(text) {
            Some((_, true)) if !optional => Value::Null,
            Some((kind, _)) => sample(kind),
            None => pattern.clone(),
        },
        Value::Array(list) => list.iter().map(|entry| fill(entry, optional)).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), fill(value, optional))).collect(),
        other => other.clone(),
    }
}

/// `<time?>` is the kind `time`, optional.
fn kind(text: &str) -> Option<(&str, bool)> {
    let kind = text.strip_prefix('<')?.strip_suffix('>')?;
    Some(kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true)))
}

fn sample(kind: &str) -> Value {
    match kind {
        "token" => json!("0123456789abcdef0123456789abcdef"),
        "uuid" => json!("11111111-2222-3333-4444-555555555555"),
        "time" => json!("2026-11-20T10:00:00Z"),
        "millis" => json!("2026-11-20T10:00:00.895Z"),
        "integer" => json!(7),
        "digits" => json!("7"),
        "boolean" => json!(true),
        "text" => json!("text"),
        "url" => json!("https://files.example.com/7"),
        "location" => json!(
            "https://cloud.example.com/apiv1/devices/41/properties/log/datapoints/9b2f6f0e-0000-71f1-8000-000000000002.json"
        ),
        "any" => json!("any"),
        "none" => Value::Null,
        other => panic!("unknown kind <{other}>"),
    }
}

/// Compares a response with the shape of the file. Returns the first difference.
pub(crate) fn matches(pattern: &Value, actual: Option<&Value>, at: &str) -> Result<(), String> {
    let actual = actual.unwrap_or(&Value::Null);
    let differs = || Err(format!("{at}: expected {pattern}, found {actual}"));
    match (pattern, actual) {
        (Value::String(text), _) if kind(text).is_some() => {
            let (kind, optional) = kind(text).unwrap();
            if (optional && actual.is_null()) || is(kind, actual) { Ok(()) } else { differs() }
        }
        (Value::Object(members), Value::Object(found)) => {
            members.iter().try_for_each(|(name, member)| matches(member, found.get(name), &format!("{at}.{name}")))
        }
        (Value::Array(list), Value::Array(found)) => match list.as_slice() {
            [] => Ok(()),
            [each] if !found.is_empty() => {
                found.iter().enumerate().try_for_each(|(i, entry)| matches(each, Some(entry), &format!("{at}[{i}]")))
            }
            _ if list.len() == found.len() => {
                list.iter().enumerate().try_for_each(|(i, entry)| matches(entry, found.get(i), &format!("{at}[{i}]")))
            }
            _ => differs(),
        },
        _ if pattern == actual => Ok(()),
        _ => differs(),
    }
}

fn is_url(text: Option<&str>) -> bool {
    text.is_some_and(|text| url::Url::parse(text).is_ok_and(|url| ["http", "https"].contains(&url.scheme())))
}

fn is(kind: &str, value: &Value) -> bool {
    let text = value.as_str();
    let shaped = |shape: &str| {
        text.is_some_and(|text| {
            text.len() == shape.len()
                && text.chars().zip(shape.chars()).all(|(c, s)| match s {
                    '0' => c.is_ascii_digit(),
                    'x' => c.is_ascii_digit() || ('a'..='f').contains(&c),
                    other => c == other,
                })
        })
    };
    match kind {
        "token" => shaped(&"x".repeat(32)),
        "uuid" => shaped("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        "time" => shaped("0000-00-00T00:00:00Z"),
        "millis" => shaped("0000-00-00T00:00:00.000Z"),
        "integer" => value.is_i64() || value.is_u64(),
        "digits" => text.is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())),
        "boolean" => value.is_boolean(),
        "text" => text.is_some(),
        "url" => is_url(text),
        "location" => is_url(text) && text.is_some_and(|text| text.contains("/apiv1/")),
        "any" => !value.is_null(),
        "none" => value.is_null(),
        other => panic!("unknown kind <{other}>"),
    }
}
