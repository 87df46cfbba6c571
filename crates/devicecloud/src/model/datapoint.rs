use std::collections::BTreeMap;

use serde::Serialize;

use super::read::{Fields, FromWire};
use super::{Ack, AckMessage, BaseType, DatapointId, PropertyValue, Time};
use crate::debug::debug_only;

/// A value of a property at a point in time.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Datapoint {
    /// The id; blank if the cloud sent none.
    pub id: DatapointId,
    /// The value; `None` if it was never set.
    pub value: Option<PropertyValue>,
    /// When the cloud received it.
    pub created_at: Option<Time>,
    /// When the device created it, by the device's clock.
    pub created_at_from_device: Option<Time>,
    /// When it was last changed, for example by an acknowledgement.
    pub updated_at: Option<Time>,
    /// Whether the device itself reported the value.
    pub echo: bool,
    /// Application-defined metadata.
    pub metadata: BTreeMap<String, String>,
    /// The status with which the device acknowledged; -1 means not acknowledged.
    pub ack_status: i64,
    /// The message of the device's acknowledgement.
    pub ack_message: AckMessage,
    /// When the device acknowledged; `None` if it has not, or if the property does not use acknowledgements.
    pub acked_at: Option<Time>,
    /// Whether the cloud has stopped waiting for the device. Some clouds do not send it.
    pub expired: bool,
}

debug_only!(Datapoint { id, value, created_at, updated_at, echo, ack_status, ack_message, acked_at });

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
            expired: fields.flag("expired"),
        }
    }

    /// Whether and how the device answered this write. Meaningful for values that a user wrote to a property with
    /// acknowledgements.
    ///
    /// | `acked_at` | `ack_status` | `expired` | Result |
    /// | --- | --- | --- | --- |
    /// | none | any | no | [`Ack::Pending`] |
    /// | none | any | yes | [`Ack::Expired`] |
    /// | set | 0, 200 or none (-1) | any | [`Ack::Accepted`] |
    /// | set | any other | any | [`Ack::Refused`] with [`ack_message`](Self::ack_message) |
    ///
    /// An acknowledgement can arrive late: it replaces `Expired`.
    ///
    /// ```
    /// # fn show(datapoint: &devicecloud::Datapoint) {
    /// use devicecloud::Ack;
    ///
    /// match datapoint.ack() {
    ///     Ack::Accepted => println!("done"),
    ///     Ack::Refused(reason) => println!("refused: {reason:?}"),
    ///     Ack::Expired => println!("the device did not answer"),
    ///     _ => println!("waiting for the device"),
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn ack(&self) -> Ack {
        match (self.acked_at, self.ack_status) {
            (None, _) if self.expired => Ack::Expired,
            (None, _) => Ack::Pending,
            (Some(_), -1 | 0 | 200) => Ack::Accepted,
            (Some(_), _) => Ack::Refused(self.ack_message.clone()),
        }
    }

    /// The datapoint to return if the response is empty or has an unknown shape: the cloud accepted this write just
    /// now.
    pub(crate) fn as_sent(value: PropertyValue, now: Time) -> Self {
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
            expired: false,
        }
    }
}

impl FromWire for Datapoint {
    const WRAPPER: &'static str = "datapoint";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self::read(fields, None)
    }
}
