//! Data of the events. `ready`, `list`, `attention` and `resync` have none and send `{}`.

use serde::Serialize;
use utoipa::ToSchema;

use crate::devices::{DeviceDetail, DeviceView};
use crate::events::notices::{DeviceEventKind, EndReason};
use crate::jobs::JobProgress;

/// An event that has data: its type is the name of the member, its data the value.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, clippy::large_enum_variant, reason = "describes the events for clients and is never built")]
pub(super) enum StreamEvent {
    Device(DeviceEvent),
    Removed(DeviceRemoved),
    Job(JobProgress),
    End(StreamEnd),
    Reconnect(StreamReconnect),
}

/// A device changed. Data of the event `device`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DeviceEvent {
    pub(super) dsn: String,
    pub(super) kind: DeviceEventKind,
    pub(super) device: DeviceView,
    /// For devices whose page is open (`page`), what the page shows. Without it the page must be read again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) detail: Option<Box<DeviceDetail>>,
}

/// The device was removed, or the reader may no longer see it. Data of the event `removed`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DeviceRemoved {
    pub(super) dsn: String,
}

/// The server stops, and the client should open another stream after this time, which differs between clients. Data of the event
/// `reconnect`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StreamReconnect {
    pub(super) after_ms: u64,
}

/// The stream ends; the client should not reconnect with the same session. Data of the event `end`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StreamEnd {
    pub(super) reason: EndReason,
}
