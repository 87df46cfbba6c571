//! Finds the golden answer to a request.

use std::collections::BTreeMap;

use serde_json::Value;

use super::golden::{ANSWERS, Golden};

/// What the library opens besides its JSON calls.
const OTHER: [&str; 3] = ["GET stream", "GET files/{file}", "PUT files/{file}"];

/// Whether a call matches a route, in which `{…}` stands for any argument. A query of the route is ignored.
pub(super) fn matches(route: &str, call: &str) -> bool {
    let (mut expected, mut actual) = (segments(route), segments(call));
    loop {
        match (expected.next(), actual.next()) {
            (None, None) => return true,
            (Some(expected), Some(actual)) if segment_matches(expected, actual) => {}
            _ => return false,
        }
    }
}

fn segments(route: &str) -> impl Iterator<Item = &str> {
    route.split_once('?').map_or(route, |(path, _)| path).split(['/', ' '])
}

fn segment_matches(expected: &str, actual: &str) -> bool {
    let Some((before, rest)) = expected.split_once('{') else { return expected == actual };
    let after = rest.split_once('}').map_or("", |(_, after)| after);
    actual.len() > before.len() + after.len() && actual.starts_with(before) && actual.ends_with(after)
}

/// Whether the library has a call with this route. Names of arguments do not count.
pub(super) fn is_known(route: &str) -> bool {
    ANSWERS.iter().map(|golden| golden.route).chain(OTHER).any(|known| matches(known, route))
}

/// The golden answer to a request. Of several answers of one call, it is the one to the most similar request.
pub(super) fn answer(call: &str, query: &[String], body: Option<&Value>) -> Option<&'static Golden> {
    let sent = members(call, query, body);
    ANSWERS.iter().filter(|golden| matches(golden.route, call)).min_by_key(|golden| {
        let recorded: Value = serde_json::from_str(golden.request).unwrap_or_default();
        let query = recorded["query"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let query: Vec<_> = query.collect();
        let recorded = members(recorded["call"].as_str().unwrap_or_default(), &query, recorded.get("body"));
        let missing =
            |of: &BTreeMap<_, _>, from: &BTreeMap<_, _>| of.keys().filter(|name| !from.contains_key(*name)).count();
        let different = sent.iter().filter(|(name, value)| recorded.get(*name) != Some(value)).count();
        // `users/get_user_profile.json` also matches `users/{id}.json`.
        let arguments = golden.route.matches('{').count();
        (arguments, missing(&sent, &recorded), missing(&recorded, &sent), different)
    })
}

/// The segments of the path, the parameters and the members of the body, at any depth, with their values.
fn members(call: &str, query: &[String], body: Option<&Value>) -> BTreeMap<String, String> {
    let path = segments(call).enumerate().map(|(n, segment)| (n.to_string(), segment.to_owned()));
    let query = query.iter().filter_map(|one| one.split_once('='));
    let query = query.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut members: BTreeMap<_, _> = path.chain(query).collect();
    if let Some(body) = body {
        collect(body, "body", &mut members);
    }
    members
}

fn collect(value: &Value, at: &str, members: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(name, value)| collect(value, &format!("{at}.{name}"), members));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, &format!("{at}[]"), members)),
        other => {
            members.insert(at.to_owned(), other.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_match_any_text() {
        let table = [
            ("GET apiv1/dsns/{dsn}", "GET apiv1/dsns/AC1", true),
            ("GET apiv1/dsns/{dsn}", "PUT apiv1/dsns/AC1", false),
            ("GET apiv1/dsns/{dsn}", "GET apiv1/dsns/AC1/data.json", false),
            ("GET apiv1/dsns/{dsn}", "GET apiv1/dsns", false),
            ("GET apiv1/devices.json?paginated=true", "GET apiv1/devices.json", true),
            ("GET apiv1/devices/{key}.json", "GET apiv1/devices/41.json", true),
            ("GET apiv1/devices/{key}.json", "GET apiv1/devices/.json", false),
            ("GET apiv1/devices/{key}.json", "GET apiv1/devices/41", false),
            ("GET apiv1/devices/{key}.json", "GET apiv1/devices/{device_key}.json", true),
        ];
        for (route, call, expected) in table {
            assert_eq!(matches(route, call), expected, "{route} {call}");
        }
    }

    #[test]
    fn literal_route_precedes_a_route_with_an_argument() {
        for (call, expected) in [
            ("GET users/get_user_profile.json", "GET users/get_user_profile.json"),
            ("GET users/72.json", "GET users/{other_user_id}.json"),
            ("GET api/v1/users/shares/received.json", "GET api/v1/users/shares/received.json"),
        ] {
            assert_eq!(answer(call, &[], None).unwrap().route, expected);
        }
        assert!(answer("GET apiv1/unknown.json", &[], None).is_none());
    }
}
