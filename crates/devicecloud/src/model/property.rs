use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::MapAccess;
use serde_json::Value;

use crate::model::item::{self, Member, Members};
use crate::model::read::{self, Fields, FromWire};
use crate::model::wire_enum::wire_enum;
use crate::model::{AckMessage, DataSource, DatapointId, PropertyKey, PropertyValue, Time};

const ACK_POLLING_MAX_COUNT: u32 = 8;
const ACK_POLLING_INTERVAL_MS: u64 = 1000;

wire_enum! {
    /// The type of a property's values.
    BaseType {
        /// 0 or 1.
        Boolean = "boolean",
        /// A whole number of 32 bits.
        Integer = "integer",
        /// A number with two places.
        Decimal = "decimal",
        /// A text of up to 1024 bytes.
        String = "string",
        /// A file; the value is its address.
        File = "file",
        /// A long text.
        Message = "message",
    }
}

wire_enum! {
    /// Which way a property's values go.
    Direction {
        /// To the device: users may write.
        Input = "input",
        /// From the device.
        Output = "output",
    }
}

wire_enum! {
    /// What became of a command.
    CommandState {
        /// The device has not acknowledged yet.
        Pending = "pending",
        /// The device did it.
        Acknowledged = "acknowledged",
        /// The device refused it.
        Failed = "failed",
        /// The device did not answer in time.
        Expired = "expired",
    }
}

/// The newest value that a user wrote to a property, and what became of it.
/// Not every cloud tells.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Command {
    /// The id of the datapoint.
    pub id: DatapointId,
    /// What the user wrote.
    pub value: Option<PropertyValue>,
    /// What became of it.
    pub state: CommandState,
    /// When the user wrote it.
    pub created_at: Option<Time>,
    /// When the cloud stops waiting for the device.
    pub expires_at: Option<Time>,
}

impl Command {
    fn read(value: &Value, base_type: Option<&BaseType>) -> Option<Self> {
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Property {
    /// The cloud's key.
    pub key: PropertyKey,
    /// The name, unique in its device.
    pub name: String,
    /// The name for people.
    pub display_name: Option<String>,
    /// The type of its values; `None` when the cloud does not say.
    pub base_type: Option<BaseType>,
    /// Which way its values go.
    pub direction: Option<Direction>,
    /// The kind of record, usually `Property`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Whether users may not write it.
    pub read_only: bool,
    /// The present value; `None` when it was never set.
    pub value: Option<PropertyValue>,
    /// Free pairs of a name and a text that came with the present value.
    pub metadata: BTreeMap<String, String>,
    /// When the value last changed.
    pub data_updated_at: Option<Time>,
    /// Whether the device acknowledges what is written.
    pub ack_enabled: bool,
    /// How the device acknowledged the last write; -1 = not.
    pub ack_status: i64,
    /// What the device said when it acknowledged.
    pub ack_message: AckMessage,
    /// When the device acknowledged the last write; `None` = not yet.
    pub acked_at: Option<Time>,
    /// How often a write asks for its acknowledgement before it gives up; the application's choice, 8 by default.
    pub ack_polling_max_count: u32,
    /// How long a write waits before it asks for its acknowledgement, each time, in milliseconds; the application's choice,
    /// 1000 by default.
    #[serde(rename = "ackPollingInterval")]
    pub ack_polling_interval_ms: u64,
    /// What the device itself last reported. Not every cloud tells.
    pub reported_value: Option<PropertyValue>,
    /// When the device last reported. Not every cloud tells.
    pub reported_at: Option<Time>,
    /// The newest user write; `None` when there was none, or the cloud does not tell.
    pub command: Option<Command>,
    /// Where this state came from.
    pub last_update_source: DataSource,
}

/// A property while it is read. Its values wait until their type is known.
pub(crate) struct PropertyMembers {
    property: Property,
    value: Value,
    metadata: Value,
    reported_value: Value,
    ack_message: Value,
    command: Value,
}

impl Default for PropertyMembers {
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

impl Members for PropertyMembers {
    type Item = Property;
    const WRAPPER: &'static str = Property::WRAPPER;

    fn take<'de, A: MapAccess<'de>>(&mut self, name: &str, member: &mut Member<'_, A>) -> Result<(), A::Error> {
        let property = &mut self.property;
        match name {
            "key" => property.key = member.scalar()?.id(),
            "name" => property.name = member.text()?.unwrap_or_default(),
            "display_name" => property.display_name = member.text()?,
            "base_type" => property.base_type = member.text()?.map(|text| text.as_str().into()),
            "direction" => property.direction = member.text()?.map(|text| text.as_str().into()),
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
        item::from_object::<PropertyMembers>(fields.0)
    }
}
