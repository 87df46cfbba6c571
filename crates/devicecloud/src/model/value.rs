use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

use super::BaseType;
use super::read;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};

/// The value of a property or a datapoint.
///
/// ```
/// use devicecloud::PropertyValue;
///
/// assert_eq!(PropertyValue::from(30).as_i64(), Some(30));
/// assert_eq!(PropertyValue::from(true).as_i64(), Some(1));
/// assert_eq!(PropertyValue::from("on").as_str(), Some("on"));
/// ```
///
/// `Debug` output contains neither texts nor decimals, which may be names, addresses or coordinates.
#[derive(Clone, PartialEq)]
pub enum PropertyValue {
    /// A whole number.
    Integer(i64),
    /// A decimal number.
    Decimal(f64),
    /// A text, or the URL of a file.
    Text(String),
    /// A boolean; 1 or 0 on the wire.
    Boolean(bool),
}

impl PropertyValue {
    /// The value as an integer: a boolean as 1 or 0, a decimal only if it has no fraction.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Decimal(number) => exact_integer(*number),
            Self::Boolean(flag) => Some(i64::from(*flag)),
            Self::Text(_) => None,
        }
    }

    /// The value as a number: a boolean as 1 or 0.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Decimal(number) => Some(*number),
            Self::Boolean(flag) => Some(f64::from(u8::from(*flag))),
            Self::Text(_) => None,
        }
    }

    /// The value as a boolean: a number is true if it is not 0.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(flag) => Some(*flag),
            Self::Integer(number) => Some(*number != 0),
            Self::Decimal(number) => Some(*number != 0.0),
            Self::Text(_) => None,
        }
    }

    /// The text of a text value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Reads a value by the property's base type if it fits, otherwise by its JSON type. Null is `None`.
    pub(crate) fn read(value: &Value, base_type: Option<&BaseType>) -> Option<Self> {
        let typed = match base_type {
            Some(BaseType::Boolean) => read::boolean(value).map(Self::Boolean),
            Some(BaseType::Integer) => read::integer(value).map(Self::Integer),
            Some(BaseType::Decimal) => decimal(value).map(Self::Decimal),
            Some(BaseType::String | BaseType::File) => read::text(value).map(Self::Text),
            _ => None,
        };
        typed.or_else(|| match value {
            Value::Null => None,
            Value::Bool(flag) => Some(Self::Boolean(*flag)),
            Value::Number(number) => number.as_i64().map(Self::Integer).or_else(|| number.as_f64().map(Self::Decimal)),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Array(_) | Value::Object(_) => Some(Self::Text(value.to_string())),
        })
    }

    /// The JSON that the cloud expects.
    pub(crate) fn to_wire(&self) -> Result<Value> {
        match self {
            Self::Integer(number) => Ok((*number).into()),
            Self::Decimal(number) => Number::from_f64(*number)
                .map(Value::Number)
                .ok_or_else(|| Error::new(ErrorKind::InvalidArgument, messages::INVALID_VALUE)),
            Self::Text(text) => Ok(text.clone().into()),
            Self::Boolean(flag) => Ok(i64::from(*flag).into()),
        }
    }
}

fn decimal(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

/// The integer, if an f64 represents it exactly (up to ±2^53).
fn exact_integer(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

impl From<i64> for PropertyValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<i32> for PropertyValue {
    fn from(number: i32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<f64> for PropertyValue {
    fn from(number: f64) -> Self {
        Self::Decimal(number)
    }
}

impl From<bool> for PropertyValue {
    fn from(flag: bool) -> Self {
        Self::Boolean(flag)
    }
}

impl From<&str> for PropertyValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for PropertyValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl fmt::Debug for PropertyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => f.debug_tuple("Integer").field(number).finish(),
            Self::Decimal(_) => f.debug_tuple("Decimal").finish_non_exhaustive(),
            Self::Text(_) => f.debug_tuple("Text").finish_non_exhaustive(),
            Self::Boolean(flag) => f.debug_tuple("Boolean").field(flag).finish(),
        }
    }
}

impl fmt::Display for PropertyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Decimal(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
            Self::Boolean(flag) => u8::from(*flag).fmt(f),
        }
    }
}

impl Serialize for PropertyValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Decimal(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Boolean(flag) => serializer.serialize_u8((*flag).into()),
        }
    }
}

impl<'de> Deserialize<'de> for PropertyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::read(&value, None).ok_or_else(|| serde::de::Error::custom(messages::INVALID_VALUE))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_by_their_base_type() {
        use BaseType as T;
        use PropertyValue as V;
        let table = [
            (json!(1), Some(T::Boolean), Some(V::Boolean(true))),
            (json!(false), Some(T::Boolean), Some(V::Boolean(false))),
            (json!("1"), Some(T::Boolean), Some(V::Boolean(true))),
            (json!("17"), Some(T::Integer), Some(V::Integer(17))),
            (json!(2), Some(T::Decimal), Some(V::Decimal(2.0))),
            (json!("2.5"), Some(T::Decimal), Some(V::Decimal(2.5))),
            (json!(2), Some(T::String), Some(V::Text("2".into()))),
            (json!("x"), Some(T::Integer), Some(V::Text("x".into()))),
            (json!(2.5), Some(T::Integer), Some(V::Decimal(2.5))),
            (json!("x"), None, Some(V::Text("x".into()))),
            (json!({"a": 1}), Some(T::Message), Some(V::Text("{\"a\":1}".into()))),
            (json!(null), Some(T::String), None),
        ];
        for (value, base_type, expected) in table {
            assert_eq!(V::read(&value, base_type.as_ref()), expected, "{value} as {base_type:?}");
        }
    }

    #[test]
    fn non_finite_numbers_are_rejected() {
        for number in [f64::NAN, f64::INFINITY] {
            let error = PropertyValue::from(number).to_wire().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        }
    }

    #[test]
    fn boolean_is_0_or_1_on_the_wire() {
        assert_eq!(PropertyValue::from(true).to_wire().unwrap(), json!(1));
        assert_eq!(serde_json::to_value(PropertyValue::from(false)).unwrap(), json!(0));
    }
}
