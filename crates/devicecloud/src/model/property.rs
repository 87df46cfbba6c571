use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::MapAccess;
use serde_json::Value;

use super::item::{self, ItemReader, Member};
use super::read::{self, Fields, FromWire};
use super::wire_enum::wire_enum;
use super::{AckMessage, BaseType, DataSource, DatapointId, PropertyKey, PropertyValue, Time};
use crate::debug::debug_only;

const ACK_POLLING_MAX_COUNT: u32 = 8;
const ACK_POLLING_INTERVAL_MS: u64 = 1000;

wire_enum! {
    /// The direction of a property's values.
    Direction {
        /// To the device: users can write it.
        Input = "input",
        /// From the device.
        Output = "output",
    }
}

wire_enum! {
    /// The state of a command.
    CommandState {
        /// The device has not acknowledged yet.
        Pending = "pending",
        /// The device carried it out.
        Acknowledged = "acknowledged",
        /// The device rejected it.
        Failed = "failed",
        /// The device did not respond in time.
        Expired = "expired",
    }
}

/// The newest value that a user wrote to a property, and the state of its delivery. Some clouds do not send it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Command {
    /// The id of the datapoint.
    pub id: DatapointId,
    /// The value that the user wrote.
    pub value: Option<PropertyValue>,
    /// The state of its delivery.
    pub state: CommandState,
    /// When the user wrote it.
    pub created_at: Option<Time>,
    /// When the cloud stops waiting for the device.
    pub expires_at: Option<Time>,
}

impl Command {
    pub(crate) fn read(value: &Value, base_type: Option<&BaseType>) -> Option<Self> {
        let fields = Fields(value.as_object()?);
        Some(Self {
            id: fields.id("id"),
            value: fields.value("value").and_then(|value| PropertyValue::read(value, base_type)),
            state: fields.text_or_empty("state").as_str().into(),
            created_at: fields.time("created_at"),
            expires_at: fields.time("expires_at"),
        })
    }
}

/// A property of a device.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Property {
    /// The cloud's key.
    pub key: PropertyKey,
    /// The name, unique within its device.
    pub name: String,
    /// The display name.
    pub display_name: Option<String>,
    /// The type of its values; `None` if the cloud does not send it.
    pub base_type: Option<BaseType>,
    /// The direction of its values.
    pub direction: Option<Direction>,
    /// The type of the record, usually `Property`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Whether it is read-only for users.
    pub read_only: bool,
    /// The current value; `None` if it was never set.
    pub value: Option<PropertyValue>,
    /// Application-defined metadata of the current value.
    pub metadata: BTreeMap<String, String>,
    /// When the value was last changed.
    pub data_updated_at: Option<Time>,
    /// Whether the device acknowledges writes.
    pub ack_enabled: bool,
    /// The status with which the device acknowledged the last write; -1 means not acknowledged.
    pub ack_status: i64,
    /// The message of the device's acknowledgement.
    pub ack_message: AckMessage,
    /// When the device acknowledged the last write; `None` if it has not.
    pub acked_at: Option<Time>,
    /// How many times a write polls for its acknowledgement before it gives up; set by the application, 8 by default.
    pub ack_polling_max_count: u32,
    /// The delay before each of those polls, in milliseconds; set by the application, 1000 by default.
    #[serde(rename = "ackPollingInterval")]
    pub ack_polling_interval_ms: u64,
    /// The value that the device itself last reported. Some clouds do not send it.
    pub reported_value: Option<PropertyValue>,
    /// When the device last reported. Some clouds do not send it.
    pub reported_at: Option<Time>,
    /// The newest user write; `None` if there was none, or if the cloud does not send it.
    pub command: Option<Command>,
    /// Where this data came from.
    pub last_update_source: DataSource,
}

debug_only!(Property {
    key,
    name,
    base_type,
    direction,
    value,
    data_updated_at,
    ack_status,
    acked_at,
    reported_value,
    command
});

/// A property while it is being parsed. Its values are converted at the end, when the base type is known.
pub(crate) struct PropertyReader {
    property: Property,
    value: Value,
    metadata: Value,
    reported_value: Value,
    ack_message: Value,
    command: Value,
}

impl Default for PropertyReader {
    fn default() -> Self {
        let property = Property {
            key: PropertyKey::default(),
            name: String::new(),
            display_name: None,
            base_type: None,
            direction: None,
            kind: None,
            read_only: false,
            value: None,
            metadata: BTreeMap::new(),
            data_updated_at: None,
            ack_enabled: false,
            ack_status: -1,
            ack_message: AckMessage::default(),
            acked_at: None,
            ack_polling_max_count: ACK_POLLING_MAX_COUNT,
            ack_polling_interval_ms: ACK_POLLING_INTERVAL_MS,
            reported_value: None,
            reported_at: None,
            command: None,
            last_update_source: DataSource::Cloud,
        };
        let null = || Value::Null;
        Self { property, value: null(), metadata: null(), reported_value: null(), ack_message: null(), command: null() }
    }
}

impl ItemReader for PropertyReader {
    type Item = Property;
    const WRAPPER: &'static str = Property::WRAPPER;

    fn take<'de, A: MapAccess<'de>>(&mut self, name: &str, member: &mut Member<'_, A>) -> Result<(), A::Error> {
        let property = &mut self.property;
        match name {
            "key" => property.key = member.scalar()?.id(),
            "name" => property.name = member.text()?.unwrap_or_default(),
            "display_name" => property.display_name = member.text()?,
            "base_type" => property.base_type = member.text_as()?,
            "direction" => property.direction = member.text_as()?,
            "type" => property.kind = member.text()?,
            "read_only" => property.read_only = member.flag()?,
            "value" => self.value = member.value()?,
            "metadata" => self.metadata = member.value()?,
            "data_updated_at" => property.data_updated_at = member.scalar()?.time(),
            "ack_enabled" => property.ack_enabled = member.flag()?,
            "ack_status" => property.ack_status = member.scalar()?.integer().unwrap_or(-1),
            "ack_message" => self.ack_message = member.value()?,
            "acked_at" => property.acked_at = member.scalar()?.time(),
            "reported_value" => self.reported_value = member.value()?,
            "reported_at" => property.reported_at = member.scalar()?.time(),
            "command" => self.command = member.value()?,
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Property {
        let base_type = self.property.base_type.as_ref();
        Property {
            value: PropertyValue::read(&self.value, base_type),
            metadata: read::pairs(&self.metadata),
            reported_value: PropertyValue::read(&self.reported_value, base_type),
            ack_message: AckMessage::read(&self.ack_message),
            command: Command::read(&self.command, base_type),
            ..self.property
        }
    }
}

impl FromWire for Property {
    const WRAPPER: &'static str = "property";

    fn from_wire(fields: &Fields<'_>) -> Self {
        item::from_object::<PropertyReader>(fields.0)
    }
}
