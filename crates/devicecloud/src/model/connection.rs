use serde::Serialize;

use super::read::{Fields, FromWire};
use super::{ConnectionStatus, Time};

/// A device went online or offline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConnectionChange {
    /// When the status changed; `None` if the cloud does not send it.
    pub event_time: Option<Time>,
    /// The status from then on; `Offline` if the cloud does not send it.
    pub status: ConnectionStatus,
}

impl FromWire for ConnectionChange {
    const WRAPPER: &'static str = "connection";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let status = fields.text("status").map_or(ConnectionStatus::Offline, |text| text.as_str().into());
        Self { event_time: fields.time("event_time"), status }
    }
}
