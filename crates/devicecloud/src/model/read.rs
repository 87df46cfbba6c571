//! Tolerant reading: a member that is missing, null, unknown or of another type never breaks a response.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Time;
use super::scalar::Scalar;

/// A type that can be read from a JSON object of the cloud.
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

/// A list of items, each wrapped or bare. Entries that are not objects are skipped.
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

    /// A finite number. Clouds write coordinates as strings.
    pub(crate) fn decimal(&self, name: &str) -> Option<f64> {
        Scalar::from(self.value(name)?).decimal()
    }

    pub(crate) fn boolean(&self, name: &str) -> Option<bool> {
        self.value(name).and_then(boolean)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.boolean(name).unwrap_or_default()
    }

    pub(crate) fn time(&self, name: &str) -> Option<Time> {
        Scalar::from(self.value(name)?).time()
    }

    pub(crate) fn id<T: From<String> + From<i64> + Default>(&self, name: &str) -> T {
        self.value(name).map_or_else(T::default, |value| Scalar::from(value).id())
    }

    /// An object of strings; empty if the member is missing.
    pub(crate) fn pairs(&self, name: &str) -> BTreeMap<String, String> {
        self.value(name).map(pairs).unwrap_or_default()
    }

    /// A list of items; empty if the member is missing.
    pub(crate) fn many<T: FromWire>(&self, name: &str) -> Vec<T> {
        self.value(name).and_then(many).unwrap_or_default()
    }
}

pub(crate) fn text(value: &Value) -> Option<String> {
    Scalar::from(value).text()
}

pub(crate) fn integer(value: &Value) -> Option<i64> {
    Scalar::from(value).integer()
}

pub(crate) fn boolean(value: &Value) -> Option<bool> {
    Scalar::from(value).boolean()
}

/// Reads an object of strings; empty for any other value.
pub(crate) fn pairs(value: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| text(value).unwrap_or_else(|| value.to_string());
    value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect()
}
