//! A device as read from the cloud at a known time.

use std::ops::Deref;

use devicecloud::Device;
use jiff::Timestamp;

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
