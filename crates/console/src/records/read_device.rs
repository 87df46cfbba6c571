//! A device as read from the cloud at a known time.

use std::ops::Deref;

use devicecloud::Device;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::supply::Outlook;

/// A device with the time at which its read began. It contains all changes before that time.
#[derive(Clone, Debug)]
pub(crate) struct ReadDevice {
    pub(crate) device: Device,
    pub(crate) began: Timestamp,
    /// Whether it is older than a write that has succeeded: the read after the write failed.
    pub(crate) is_stale: bool,
}

impl ReadDevice {
    pub(crate) fn new(device: Device, began: Timestamp) -> Self {
        Self { device, began, is_stale: false }
    }
}

impl Deref for ReadDevice {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.device
    }
}

/// What device pages show: the device, and what follows from it.
#[derive(Debug)]
pub(crate) struct PageSnapshot {
    pub(crate) device: ReadDevice,
    pub(crate) derived: DerivedValues,
    pub(crate) undoable_reset: Option<UndoableReset>,
}

/// A reset of the fragrance level that can still be undone, with the values that the undo restores.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UndoableReset {
    pub(crate) id: Uuid,
    /// Operating hours of the cartridge before the reset.
    pub(crate) cartridge_life: f64,
    /// Level in percent before the reset.
    pub(crate) fragrance_remaining: i64,
}

/// What follows from the values of a device, its fragrance, and its use on recent days.
#[derive(Clone, Debug)]
pub(crate) struct DerivedValues {
    /// The current level in percent.
    pub(crate) level: Option<i64>,
    pub(crate) outlook: Outlook,
    /// Of its fragrance in the catalogue.
    pub(crate) sku: Option<String>,
}
