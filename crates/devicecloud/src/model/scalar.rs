//! Scalars parsed directly from the response text, without a JSON tree in between, because lists can be large.
//! Conversions follow the same rules as [`super::read`].

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use super::Time;

/// A JSON value of any type.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Scalar<'a> {
    /// Missing or null.
    #[default]
    Null,
    Boolean(bool),
    Number(Number),
    Text(Cow<'a, str>),
    /// A list or an object, whose contents are ignored.
    Compound,
}

impl<'a> From<&'a Value> for Scalar<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Boolean(*flag),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(_) | Value::Object(_) => Self::Compound,
        }
    }
}

impl Scalar<'_> {
    pub(crate) fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.into_owned()),
            Self::Number(number) => Some(number.to_string()),
            Self::Boolean(flag) => Some(flag.to_string()),
            Self::Null | Self::Compound => None,
        }
    }

    /// The text as a type of known texts, without a copy.
    pub(crate) fn text_as<T: for<'t> From<&'t str>>(self) -> Option<T> {
        match self {
            Self::Text(text) => Some(T::from(&text)),
            other => other.text().map(|text| T::from(&text)),
        }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A finite number. Clouds write coordinates as strings.
    pub(crate) fn decimal(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
        .filter(|number| number.is_finite())
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(flag) => Some(*flag),
            Self::Number(number) => number.as_f64().map(|number| number != 0.0),
            Self::Text(text) => match text.trim() {
                "1" | "true" => Some(true),
                "0" | "false" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn time(&self) -> Option<Time> {
        if let Self::Text(text) = self { text.parse().ok() } else { None }
    }

    pub(crate) fn id<T: From<String> + From<i64> + Default>(self) -> T {
        match self {
            Self::Text(text) => T::from(text.into_owned()),
            Self::Number(number) => number.as_i64().map_or_else(|| T::from(number.to_string()), T::from),
            _ => T::default(),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Boolean(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(number).map_or(Scalar::Null, Scalar::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Compound)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Compound)
    }
}
