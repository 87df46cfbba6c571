use serde_json::Value;

use crate::debug::debug_only;
use crate::error::Error;
use crate::model::{ConnectionStatus, Datapoint, Dsn, Time};

/// An event of a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StreamEvent {
    /// The stream is connected. Earlier events are not delivered: reload your data.
    Connected,
    /// The connection was lost; the stream reconnects automatically.
    Disconnected,
    /// An attempt to connect failed for this reason; the stream tries again after a delay. Sent for every failed attempt.
    ConnectFailed(Error),
    /// The stream has ended and does not reconnect: create a new subscription. The cloud rejected the stream key (401 or
    /// 404), the key is blank, or no stream address is configured.
    GaveUp(Error),
    /// Events were missed: reload your data.
    Gap,
    /// A property has a new value.
    Datapoint(DatapointEvent),
    /// A device acknowledged a value.
    DatapointAck(DatapointEvent),
    /// A device went online or offline.
    Connectivity {
        /// The device.
        dsn: Dsn,
        /// The new status.
        status: ConnectionStatus,
        /// When the status changed.
        at: Option<Time>,
    },
    /// An event that this library does not know, such as one of an [unknown](crate::SubscriptionType::Unknown) type that
    /// the subscription names.
    Other(OtherEvent),
}

/// An event of another type than datapoints, acknowledgements and connectivity, or one without their content. `Debug`
/// output does not contain the content.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct OtherEvent {
    /// The device.
    pub dsn: Dsn,
    /// The type, as the cloud names it; empty if it names none.
    pub event_type: String,
    /// The event as the cloud sent it.
    pub json: Value,
}

debug_only!(OtherEvent { dsn, event_type });

/// A datapoint delivered by a stream.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DatapointEvent {
    /// The device.
    pub dsn: Dsn,
    /// The name of the property.
    pub property: String,
    /// The datapoint.
    pub datapoint: Datapoint,
}
