//! The answers that the library contains are those of the golden files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use crate::support::golden;

const HEAD: &str = "\
//! The golden answers, written from `tests/wire` by the test `bundled_answers_are_current`. Do not edit.

/// The answer to a call.
pub(super) struct Golden {
    pub(super) route: &'static str,
    /// The `call`, `query` and `body` of the request, as JSON; empty if the call has no other answer.
    pub(super) request: &'static str,
    pub(super) status: u16,
    pub(super) body: &'static str,
}

const fn golden(route: &'static str, request: &'static str, status: u16, body: &'static str) -> Golden {
    Golden { route, request, status, body }
}

pub(super) const ANSWERS: &[Golden] = &[
";

/// Waiting for an acknowledgement reads the same datapoint by serial number.
const ACK_BY_DSN: &str = "GET apiv1/dsns/{dsn}/properties/{property}/datapoints/{datapoint_id}.json";

/// The route in the form of the documentation: `GET apiv1/devices/{device_key}/addr`.
fn route(request: &Value) -> String {
    // A key of a datum is an argument, too.
    let path = request["path"].as_str().unwrap().replace("/customer.", "/$datum_key.");
    let segments = path.trim_start_matches('/').split('/').map(|segment| match segment.split_once('$') {
        None => segment.to_owned(),
        Some((before, rest)) => {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            format!("{before}{{{}}}{}", &rest[..end], &rest[end..])
        }
    });
    format!("{} {}", request["method"].as_str().unwrap(), segments.collect::<Vec<_>>().join("/"))
}

/// The same text whether or not `serde_json` keeps the order of members.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            Value::Object(members.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

fn text(value: Value) -> String {
    if value.is_null() { String::new() } else { sorted(value).to_string() }
}

/// A request, without its headers.
fn request(request: &Value) -> Value {
    let call = format!("{} {}", request["method"].as_str().unwrap(), request["path"].as_str().unwrap());
    let mut members = Map::from_iter([("call".to_owned(), call.replacen(" /", " ", 1).into())]);
    for name in ["query", "body"] {
        members.extend(request.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    Value::Object(members)
}

/// A route without the names of its arguments.
fn unnamed(route: &str) -> String {
    route.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect::<Vec<_>>().join("{}")
}

fn bundle() -> String {
    let (mut answers, mut requests) = (Vec::new(), BTreeSet::new());
    for name in golden::names() {
        let file = golden::load(&name);
        let Some(status) = file["response"]["status"].as_u64().filter(|status| (200..300).contains(status)) else {
            continue;
        };
        let (route, request) = (route(&golden::raw(&name)["request"]), text(request(&file["request"])));
        let [sample, _] = golden::samples(&file["response"]["body"]);
        // Other files with the same request are about other states of the cloud.
        if requests.insert(request.clone()) {
            let body = text(sample);
            if name == "datapoints/get.acked" {
                answers.push((
                    format!("{name}, by serial number"),
                    ACK_BY_DSN.to_owned(),
                    String::new(),
                    status,
                    body.clone(),
                ));
            }
            answers.push((name, route, request, status, body));
        }
    }
    let variants = |route: &str| answers.iter().filter(|(_, other, ..)| unnamed(other) == unnamed(route)).count();
    let line = |(name, route, request, status, body): &(String, String, String, u64, String)| {
        let request = if variants(route) > 1 { request } else { "" };
        assert!(!format!("{request}{body}").contains("\"#"), "{name} needs another delimiter");
        format!("    // {name}\n    golden(\"{route}\", r#\"{request}\"#, {status}, r#\"{body}\"#),\n")
    };
    format!("{HEAD}{}];\n", answers.iter().map(line).collect::<String>())
}

#[test]
fn bundled_answers_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/testing/golden.rs");
    let current = bundle();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    assert!(stored == current, "run UPDATE_GOLDEN=1 cargo nextest run -p devicecloud bundled_answers_are_current");
}
