//! The data of the events. `ready`, `list` and `resync` have none: theirs is `{}`.

use serde::Serialize;
use utoipa::ToSchema;

use crate::devices::DeviceView;
use crate::notice::{DeviceEventKind, EndReason};

/// Something about a device changed. Data of the event `device`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DeviceEvent {
    pub(super) dsn: String,
    pub(super) kind: DeviceEventKind,
    pub(super) device: DeviceView,
}

/// The device is gone, or no longer the reader's to know. Data of the event `removed`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeviceRemoved {
    pub(super) dsn: String,
}

/// The stream closes and should not be opened again as it is. Data of the event `end`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StreamEnd {
    pub(super) reason: EndReason,
}
