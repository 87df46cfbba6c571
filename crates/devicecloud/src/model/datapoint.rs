use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::read::{self, Fields, FromWire};
use crate::model::{BaseType, DatapointId, PropertyValue, Time};

/// What a device said when it acknowledged: a number, -1 when it said nothing, or a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AckMessage {
    /// A number that the maker of the device defines; -1 = none.
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

/// A value of a property at a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Datapoint {
    /// The id; blank when the cloud's answer held none.
    pub id: DatapointId,
    /// The value; `None` when it was never set.
    pub value: Option<PropertyValue>,
    /// When the cloud received it.
    pub created_at: Option<Time>,
    /// When the device made it, by the device's clock.
    pub created_at_from_device: Option<Time>,
    /// When it last changed, for example by an acknowledgement.
    pub updated_at: Option<Time>,
    /// Whether the device itself reported it.
    pub echo: bool,
    /// Free pairs of a name and a text.
    pub metadata: BTreeMap<String, String>,
    /// How the device acknowledged; -1 = not.
    pub ack_status: i64,
    /// What the device said when it acknowledged.
    pub ack_message: AckMessage,
    /// When the device acknowledged; `None` = not yet, or the property knows no acknowledgement.
    pub acked_at: Option<Time>,
}

impl Datapoint {
    pub(crate) fn read(fields: &Fields<'_>, base_type: Option<&BaseType>) -> Self {
        Self {
            id: fields.id("id"),
            value: fields.value("value").and_then(|value| PropertyValue::read(value, base_type)),
            created_at: fields.time("created_at"),
            created_at_from_device: fields.time("created_at_from_device"),
            updated_at: fields.time("updated_at"),
            echo: fields.flag("echo"),
            metadata: fields.pairs("metadata"),
            ack_status: fields.integer("ack_status").unwrap_or(-1),
            ack_message: fields.value("ack_message").map(AckMessage::read).unwrap_or_default(),
            acked_at: fields.time("acked_at"),
        }
    }

    /// Stands in for an answer that is empty or has an unknown shape: the cloud accepted the write, just now.
    pub(crate) fn unread(value: PropertyValue, now: Time) -> Self {
        Self {
            id: DatapointId::default(),
            value: Some(value),
            created_at: Some(now),
            created_at_from_device: None,
            updated_at: Some(now),
            echo: false,
            metadata: BTreeMap::new(),
            ack_status: -1,
            ack_message: AckMessage::default(),
            acked_at: None,
        }
    }
}

impl FromWire for Datapoint {
    const WRAPPER: &'static str = "datapoint";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self::read(fields, None)
    }
}
