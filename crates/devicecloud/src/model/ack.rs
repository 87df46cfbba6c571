use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read;

/// Whether and how a device answered a write; see [`Datapoint::ack`](crate::Datapoint::ack).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ack {
    /// The device has not answered yet.
    Pending,
    /// The device carried the write out.
    Accepted,
    /// The device refused the write, with its reason.
    Refused(AckMessage),
    /// The device did not answer in time, and the cloud has stopped waiting.
    Expired,
}

/// The message of a device's acknowledgement: a number, or a text.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Without the text, which may say anything.
impl fmt::Debug for AckMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => f.debug_tuple("Code").field(code).finish(),
            Self::Text(_) => f.debug_tuple("Text").finish_non_exhaustive(),
        }
    }
}

impl Default for AckMessage {
    fn default() -> Self {
        Self::Code(-1)
    }
}
