//! What an action does to a device: `DATAPOINT(dsn,property) = value`.

use std::str::FromStr;

use super::parse::{self, SyntaxError};

/// Sets a property of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) dsn: String,
    pub(crate) property: String,
    /// Without its quotes, if it had some: the property's type says what it stands for.
    pub(crate) value: String,
}

impl FromStr for Assignment {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        parse::assignment(text)
    }
}
