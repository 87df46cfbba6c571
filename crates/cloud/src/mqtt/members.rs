//! The members of a JSON object that the device link knows. Pure.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::error::Category;
use serde_json::{Number, Value};

/// The value of a member.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Member {
    /// With its members in order; names can repeat.
    Object(Vec<(String, Value)>),
    /// Anything else. An array is empty.
    Value(Value),
}

/// Why a payload has no readable members.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SyntaxError {
    /// The parser's text, with the position.
    #[error("payload is not JSON: {0}")]
    NotJson(String),
    #[error("payload is not a JSON object")]
    NotObject,
    #[error("the member {0} is repeated")]
    Repeated(&'static str),
}

/// The members with these names; `None` for one that is missing. Others are ignored.
pub(super) fn members<const N: usize>(
    payload: &[u8],
    names: [&'static str; N],
) -> Result<[Option<Member>; N], SyntaxError> {
    // Only errors of the syntax do not quote the payload.
    let read = |error: serde_json::Error| match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => SyntaxError::NotJson(error.to_string()),
        Category::Data => SyntaxError::NotObject,
    };
    let mut json = serde_json::Deserializer::from_slice(payload);
    let found = json.deserialize_map(Members(names)).map_err(read)?;
    json.end().map_err(read)?;
    found
}

/// Visits an object, of which it keeps the members with these names.
struct Members<const N: usize>([&'static str; N]);

impl<'de, const N: usize> Visitor<'de> for Members<N> {
    type Value = Result<[Option<Member>; N], SyntaxError>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [const { None }; N];
        let mut repeated = None;
        while let Some(name) = map.next_key::<String>()? {
            match self.0.iter().position(|known| **known == *name) {
                Some(at) => {
                    let earlier = found[at].replace(map.next_value()?);
                    repeated = repeated.or(earlier.and(Some(self.0[at])));
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(repeated.map_or(Ok(found), |name| Err(SyntaxError::Repeated(name))))
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Member;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Member, E> {
                Ok(Member::Value(Value::Null))
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Member, E> {
                Ok(Member::Value(value.into()))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Member, E> {
                Ok(Member::Value(value.into()))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Member, E> {
                Ok(Member::Value(value.into()))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Member, E> {
                Ok(Member::Value(Number::from_f64(value).map_or(Value::Null, Value::Number)))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Member, E> {
                Ok(Member::Value(value.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Member, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Member::Value(Value::Array(Vec::new())))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Member, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Member::Object(members))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
