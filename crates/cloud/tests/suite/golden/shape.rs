//! Compares an answer with the shape that a golden file defines.

use serde_json::Value;

/// The path and kind of the first difference between `value` and `shape`, or `None`.
pub(crate) fn mismatch(shape: &Value, value: &Value) -> Option<String> {
    at("", shape, value)
}

fn at(path: &str, shape: &Value, value: &Value) -> Option<String> {
    let differs = || Some(format!("{path}: {value} is not {shape}"));
    match (shape, value) {
        (Value::String(kind), _) if kind.starts_with('<') && kind.ends_with('>') => {
            if is_kind(kind, value) {
                None
            } else {
                differs()
            }
        }
        (Value::Object(members), Value::Object(values)) => members
            .iter()
            .find_map(|(name, shape)| at(&format!("{path}.{name}"), shape, values.get(name).unwrap_or(&Value::Null))),
        (Value::Array(shapes), Value::Array(values)) => match shapes.as_slice() {
            [] => None,
            [_] if values.is_empty() => differs(),
            [shape] => values.iter().enumerate().find_map(|(n, value)| at(&format!("{path}[{n}]"), shape, value)),
            shapes if shapes.len() != values.len() => differs(),
            shapes => shapes.iter().zip(values).find_map(|(shape, value)| at(path, shape, value)),
        },
        _ if shape == value => None,
        _ => differs(),
    }
}

fn is_kind(kind: &str, value: &Value) -> bool {
    let kind = kind.trim_matches(['<', '>']);
    let (kind, optional) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
    if value.is_null() {
        return optional || kind == "none";
    }
    let text = |fits: fn(&str) -> bool| value.as_str().is_some_and(fits);
    match kind {
        "token" => text(|text| text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))),
        "uuid" => text(|text| text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12])),
        "time" => text(|text| text.len() == 20 && text.ends_with('Z') && text.parse::<jiff::Timestamp>().is_ok()),
        "millis" => {
            text(|text| text.len() == 24 && text.as_bytes()[19] == b'.' && text.parse::<jiff::Timestamp>().is_ok())
        }
        "integer" => value.is_i64(),
        "digits" => text(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())),
        "boolean" => value.is_boolean(),
        "text" => value.is_string(),
        "url" => text(is_url),
        "location" => text(|text| is_url(text) && text.contains("/apiv1/")),
        "any" => true,
        "none" => false,
        other => panic!("no such kind: {other}"),
    }
}

fn is_url(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| ["http", "https"].contains(&url.scheme()))
}

/// The name of a member, at any depth, that is not in snake_case.
pub(crate) fn other_case(value: &Value) -> Option<&str> {
    let snake = |name: &str| name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    match value {
        Value::Object(members) => {
            members.iter().find_map(|(name, value)| if snake(name) { other_case(value) } else { Some(name.as_str()) })
        }
        Value::Array(items) => items.iter().find_map(other_case),
        _ => None,
    }
}

#[test]
fn member_names_in_another_case_are_found() {
    use serde_json::json;
    assert_eq!(other_case(&json!([{ "a_b": { "c1": 1 } }])), None);
    assert_eq!(other_case(&json!([{ "a_b": { "cD": 1 } }])), Some("cD"));
}

#[test]
fn shapes_distinguish_answers() {
    use serde_json::json;
    let table = [
        (json!({ "a": "<integer>" }), json!({ "a": 1, "b": 2 }), true),
        (json!({ "a": "<integer>" }), json!({ "a": "1" }), false),
        (json!({ "a": "<integer>" }), json!({}), false),
        (json!({ "a": "<integer?>" }), json!({}), true),
        (json!({ "a": "<none>" }), json!({ "a": 1 }), false),
        (json!({ "a": null }), json!({ "a": 1 }), false),
        (json!([{ "a": 1 }]), json!([{ "a": 1 }, { "a": 2 }]), false),
        (json!([{ "a": 1 }]), json!([]), false),
        (json!([]), json!([1]), true),
        (json!("<time>"), json!("2026-11-20T10:00:00Z"), true),
        (json!("<time>"), json!("2026-11-20T10:00:00.5Z"), false),
        (json!("<url>"), json!("http://127.0.0.1:8080/files/7?signature=a"), true),
        (json!("<url>"), json!("/files/7"), false),
        (json!("<location>"), json!("http://127.0.0.1:8080/apiv1/datapoints/7.json"), true),
        (json!("<location>"), json!("http://127.0.0.1:8080/files/7"), false),
        (json!(30), json!(31), false),
    ];
    for (shape, value, expected) in table {
        assert_eq!(mismatch(&shape, &value).is_none(), expected, "{shape} {value}");
    }
}
