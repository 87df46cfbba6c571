use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::read;

/// The message of a device's acknowledgement: a number, or a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AckMessage {
    /// A code defined by the device's manufacturer; -1 means no message.
    Code(i64),
    /// A text.
    Text(String),
}

impl AckMessage {
    pub(crate) fn read(value: &Value) -> Self {
        match value {
            Value::Null => Self::default(),
            Value::String(text) => Self::Text(text.clone()),
            value => read::integer(value).map_or_else(|| Self::Text(value.to_string()), Self::Code),
        }
    }
}

impl Default for AckMessage {
    fn default() -> Self {
        Self::Code(-1)
    }
}
