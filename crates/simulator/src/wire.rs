//! Topics and JSON payloads of the device link (docs/device-link.md).

use std::collections::BTreeMap;
use std::net::IpAddr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Values by property name.
pub(crate) type Values = BTreeMap<&'static str, Value>;

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Command {
    pub(crate) id: String,
    pub(crate) property: String,
    pub(crate) value: Value,
}

/// The device's time zone and the current time, from the cloud.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Settings {
    /// IANA name.
    pub(crate) time_zone: Option<String>,
    pub(crate) time: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Ack {
    pub(crate) id: String,
    pub(crate) status: u16,
    pub(crate) message: Value,
}

impl Ack {
    pub(crate) fn done(id: String) -> Self {
        Self { id, status: 200, message: Value::from(0) }
    }

    pub(crate) fn refused(id: String, why: String) -> Self {
        Self { id, status: 422, message: Value::from(why) }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PropertyReport {
    pub(crate) properties: Values,
    /// Sent in the first report of a connection.
    #[serde(flatten)]
    pub(crate) info: Option<DeviceInfo>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct DeviceInfo {
    pub(crate) sw_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lan_ip: Option<IpAddr>,
}

pub(crate) fn command_topic(dsn: &str) -> String {
    format!("devices/{dsn}/command")
}

pub(crate) fn settings_topic(dsn: &str) -> String {
    format!("devices/{dsn}/settings")
}

pub(crate) fn ack_topic(dsn: &str) -> String {
    format!("devices/{dsn}/ack")
}

pub(crate) fn report_topic(dsn: &str) -> String {
    format!("devices/{dsn}/report")
}
