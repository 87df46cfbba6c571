//! Changes of a part: a PUT keeps the members that it does not give (docs/wire.md#requests).

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{Error, Result};

/// The members of the `stored` resource, replaced by those of the request. Both may be under `wrapper`.
///
/// # Errors
/// 422 if the member `wrapper` of the request is not an object.
pub(super) fn merged(
    stored: impl Serialize,
    body: &Map<String, Value>,
    wrapper: &'static str,
) -> Result<Map<String, Value>> {
    let given = match body.get(wrapper) {
        None | Some(Value::Null) => body,
        Some(Value::Object(members)) => members,
        Some(_) => return Err(Error::invalid(wrapper, "is not an object")),
    };
    let mut members = match serde_json::to_value(stored).map_err(|_| Error::INTERNAL)?[wrapper].take() {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    replace(&mut members, given);
    Ok(members)
}

fn replace(members: &mut Map<String, Value>, given: &Map<String, Value>) {
    for (name, value) in given {
        match (members.get_mut(name), value) {
            (Some(Value::Object(inner)), Value::Object(given)) => replace(inner, given),
            _ => drop(members.insert(name.clone(), value.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(body: &Value) -> Option<Value> {
        let stored = json!({ "item": { "name": "Low", "text": "Refill", "inner": { "a": 1, "b": 2 } } });
        merged(stored, body.as_object().unwrap(), "item").ok().map(Value::Object)
    }

    #[test]
    fn given_members_replace_stored_ones_and_others_stay() {
        let stored = json!({ "name": "Low", "text": "Refill", "inner": { "a": 1, "b": 2 } });
        assert_eq!(with(&json!({})), Some(stored.clone()));
        assert_eq!(with(&json!({ "item": null })).unwrap()["name"], "Low");
        let changed = json!({ "name": "Low", "text": null, "inner": { "a": 1, "b": 3 } });
        for body in
            [json!({ "text": null, "inner": { "b": 3 } }), json!({ "item": { "text": null, "inner": { "b": 3 } } })]
        {
            assert_eq!(with(&body), Some(changed.clone()));
        }
        assert_eq!(with(&json!({ "inner": 7 })).unwrap()["inner"], 7);
        assert_eq!(with(&json!({ "item": [] })), None);
    }
}
