//! Types of the interface between the device link and the service.

use bytes::Bytes;
use jiff::Timestamp;
use platform::bus::Bus;
use serde_json::Value;

use crate::domain::report_fault::ReportFault;
use crate::domain::time_zone::ClockRules;
use crate::records::device::DeviceInfo;

/// The number of a device's connection. A newer connection has a greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Generation(pub(crate) i64);

/// Prefix of the bus subjects that notify nodes of a device's newer connection to another node: `connection.{dsn}`. The payload is the
/// generation of the newer connection.
pub(super) const CONNECTION_SUBJECT: &str = "connection.";

/// A newer connection of a device.
pub(crate) struct NewerConnection {
    pub(crate) dsn: String,
    pub(crate) generation: Generation,
}

impl NewerConnection {
    pub(super) fn publish(&self, bus: &Bus) {
        let Generation(generation) = self.generation;
        bus.publish(format!("{CONNECTION_SUBJECT}{}", self.dsn), Bytes::from(generation.to_string()));
    }

    /// Parses a bus message of [`LinkService::newer_connections`]; `None` if it is malformed.
    pub(crate) fn read(subject: &str, payload: &[u8]) -> Option<Self> {
        let dsn = subject.strip_prefix(CONNECTION_SUBJECT)?.to_owned();
        let generation = Generation(std::str::from_utf8(payload).ok()?.parse().ok()?);
        Some(Self { dsn, generation })
    }
}

/// A pending command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    /// The id of its datapoint; the ack names it.
    pub(crate) id: String,
    pub(crate) property: String,
    pub(crate) value: Value,
    pub(crate) created_at: Timestamp,
}

/// Settings that a device needs to run its own schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// A name of the tz database.
    pub(crate) time_zone: Option<String>,
    /// The current time.
    pub(crate) time: Timestamp,
    /// Those of the zone.
    pub(crate) rules: Option<ClockRules>,
}

/// What follows if a part of a message cannot be read. A setting of the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// The whole message is refused and the connection ends.
    Strict,
    /// The part is counted, and the rest is stored.
    Lenient,
}

/// A report of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DeviceReport {
    /// Values by property.
    pub(crate) values: Vec<(String, Value)>,
    /// Time of the report by the device's own clock.
    pub(crate) at: Option<Timestamp>,
    /// Information about the device itself.
    pub(crate) info: DeviceInfo,
    /// Parts that cannot be read. None if the template is strict.
    pub(crate) faults: Vec<ReportFault>,
}

/// `message` of a device's ack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AckMessage {
    Int(i64),
    Text(String),
}

/// The effect of a connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectOutcome {
    /// The device is Online.
    Connected(Generation),
    /// The device was removed, blocked or got another key since it signed in.
    Revoked,
    /// This node was declared dead since the device signed in.
    NodeIsDead,
}

/// The effect of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportOutcome {
    /// It is stored.
    Stored,
    /// Nothing is stored: the device has a newer connection, perhaps to another node, over which it sends the report again.
    Replaced,
}

/// The effect of an ack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckOutcome {
    /// The device executed the command.
    Acknowledged,
    /// The device refused the command.
    Failed,
    /// The command was acknowledged before; the first ack counts.
    Repeated,
    /// The device has no such command.
    Unknown,
    /// Nothing is stored: the device has a newer connection, perhaps to another node, over which it sends the ack again.
    Replaced,
}

impl AckOutcome {
    /// The name in metrics.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Acknowledged => "acknowledged",
            Self::Failed => "failed",
            Self::Repeated => "repeated",
            Self::Unknown => "unknown",
            Self::Replaced => "replaced",
        }
    }
}

/// Why a device that signed in cannot be set Online.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// An operator blocked or removed the device, or changed its key, since it signed in.
    #[error("revoked since the sign-in")]
    Revoked,
    /// This node was declared dead since the device signed in. The device can connect again.
    #[error("the node was declared dead since the sign-in")]
    NodeIsDead,
    /// Database error.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
}

/// Why a value of a report is not accepted. Quotes nothing that the device sent, except the name of one of its properties.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadValue {
    /// The device has no property of this name.
    #[error("{0} is of a property that the device does not have")]
    UnknownProperty(String),
    /// The property does not accept the value.
    #[error("{value} {reason}")]
    NotAccepted { value: String, reason: String },
}

/// Names a value of a report by its property, if the device has it, and by its position.
pub(crate) fn value_at(property: Option<&str>, index: usize, count: usize) -> String {
    let position = format!("value {} of {count}", index + 1);
    property.map_or(position.clone(), |property| format!("{property} ({position})"))
}

/// Why a whole report was rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    /// A value is not accepted, and the template is strict.
    #[error(transparent)]
    Value(#[from] BadValue),
    /// The device has a newer connection, perhaps to another node.
    #[error("the device has a newer connection")]
    Replaced,
    /// Database error. Nothing was stored; the device should send the report again.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
}
