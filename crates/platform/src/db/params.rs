//! The values of a statement's `$1`, `$2`, ….

use jiff::Timestamp;
use sea_query::{Value, Values};
use sea_query_sqlx::SqlxValues;
use uuid::Uuid;

use crate::run::clock::to_micros;

/// The values of one statement, created by [`params!`](crate::params).
#[derive(Clone, Debug, Default)]
pub struct Params(Vec<Value>);

/// A Rust value that can be bound to a statement.
pub trait Param {
    /// Converts to the database representation.
    fn into_value(self) -> Value;
}

impl Params {
    /// Appends a value.
    #[must_use]
    pub fn with(mut self, value: impl Param) -> Self {
        self.0.push(value.into_value());
        self
    }

    pub(super) fn into_values(self) -> SqlxValues {
        SqlxValues(Values(self.0))
    }
}

/// The values of a statement, in the order of `$1`, `$2`, ….
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { $crate::db::Params::default()$(.with($value))* };
}

macro_rules! direct_params {
    ($($type:ty),*) => { $(
        impl Param for $type {
            fn into_value(self) -> Value { self.into() }
        }
        impl Param for Option<$type> {
            fn into_value(self) -> Value { self.into() }
        }
    )* };
}
direct_params!(i32, i64, bool, f64, String, Vec<u8>);

macro_rules! converted_params {
    ($($type:ty => $convert:expr),* $(,)?) => { $(
        impl Param for $type {
            fn into_value(self) -> Value { $convert(self).into() }
        }
        impl Param for Option<$type> {
            fn into_value(self) -> Value { self.map($convert).into() }
        }
    )* };
}
converted_params!(
    &str => |text: &str| text.to_owned(),
    &String => |text: &String| text.clone(),
    Uuid => |uuid: Uuid| uuid.to_string(),
    Timestamp => to_micros,
);
