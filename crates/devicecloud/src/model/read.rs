//! Tolerant reading: a missing, null or unknown member never breaks an answer, and neither does one of another type.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::model::Time;

/// What can be read from a JSON object of the cloud.
pub(crate) trait FromWire: Sized {
    /// The member that wraps a single item: `{"device": {…}}`.
    const WRAPPER: &'static str;

    fn from_wire(fields: &Fields<'_>) -> Self;
}

/// One item, wrapped or bare.
pub(crate) fn one<T: FromWire>(value: &Value) -> Option<T> {
    let object = value.as_object()?;
    let object = object.get(T::WRAPPER).and_then(Value::as_object).unwrap_or(object);
    Some(T::from_wire(&Fields(object)))
}

/// A list of items, each wrapped or bare; entries that are no objects are left out.
pub(crate) fn many<T: FromWire>(value: &Value) -> Option<Vec<T>> {
    Some(value.as_array()?.iter().filter_map(one).collect())
}

/// The members of an object.
pub(crate) struct Fields<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// The member, unless it is missing or null.
    pub(crate) fn value(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.value(name).and_then(text)
    }

    pub(crate) fn text_or_empty(&self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        self.value(name).and_then(integer)
    }

    /// A finite number; the cloud writes positions as text.
    pub(crate) fn decimal(&self, name: &str) -> Option<f64> {
        match self.value(name)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
        .filter(|number| number.is_finite())
    }

    pub(crate) fn boolean(&self, name: &str) -> Option<bool> {
        self.value(name).and_then(boolean)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.boolean(name).unwrap_or_default()
    }

    pub(crate) fn time(&self, name: &str) -> Option<Time> {
        self.value(name)?.as_str()?.parse().ok()
    }

    pub(crate) fn id<T: From<String> + From<i64> + Default>(&self, name: &str) -> T {
        match self.value(name) {
            Some(Value::String(text)) => T::from(text.clone()),
            Some(Value::Number(number)) => number.as_i64().map_or_else(|| T::from(number.to_string()), T::from),
            _ => T::default(),
        }
    }

    /// A member that holds free pairs of a name and a text; empty when it is missing.
    pub(crate) fn pairs(&self, name: &str) -> BTreeMap<String, String> {
        let pairs = self.value(name).and_then(Value::as_object);
        let text = |value: &Value| text(value).unwrap_or_else(|| value.to_string());
        pairs.into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect()
    }

    /// A member that is an object, wrapped or bare.
    pub(crate) fn one<T: FromWire>(&self, name: &str) -> Option<T> {
        self.value(name).and_then(one)
    }

    /// A member that is a list; empty when it is missing.
    pub(crate) fn many<T: FromWire>(&self, name: &str) -> Vec<T> {
        self.value(name).and_then(many).unwrap_or_default()
    }
}

pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(crate) fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => number.as_f64().map(|number| number != 0.0),
        Value::String(text) => match text.trim() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}
