//! Types of the interface between the device link and the service.

use jiff::Timestamp;
use serde_json::Value;

use crate::records::device::DeviceInfo;

/// The number of a device's connection. A newer connection has a greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Generation(pub(crate) i64);

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
}

/// `message` of a device's ack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AckMessage {
    Int(i64),
    Text(String),
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
}

/// Why a device that signed in cannot be set Online.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// An operator blocked or removed the device, or changed its key, since it signed in.
    #[error("revoked since the sign-in")]
    Revoked,
    /// Database error.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
}

/// Why a whole report was rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    /// The device has no property of this name.
    #[error("the device has no property {0:?}")]
    UnknownProperty(String),
    /// The property does not accept the value.
    #[error("{property} {reason}")]
    BadValue { property: String, reason: &'static str },
    /// Database error. Nothing was stored; the device should send the report again.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
}
