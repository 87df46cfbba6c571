//! The states and events of a device manager, below `live` and `manager`, which both use them.

use super::{Events, LossyEvent};
use crate::error::Error;
use crate::model::Dsn;

/// The state of a device manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceManagerState {
    /// Not started.
    #[default]
    Uninitialized,
    /// Fetching the device list.
    FetchingDeviceList,
    /// Fetching the properties of the devices, one device at a time.
    FetchingDeviceProperties,
    /// Never entered: this library connects only to the cloud.
    FetchingLanConfig,
    /// All devices were read and are being polled.
    Ready,
    /// The first list could not be fetched.
    Error,
    /// Paused: nothing is fetched until the manager is resumed.
    Paused,
}

/// An event of a device manager.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DeviceManagerEvent {
    /// The state changed.
    State(DeviceManagerState),
    /// Devices were added or removed.
    Devices {
        /// Added devices.
        added: Vec<Dsn>,
        /// Removed devices, which are no longer in the list.
        removed: Vec<Dsn>,
    },
    /// The first list could not be fetched; the message is the status text.
    InitFailed(Error),
    /// The properties of a device could not be fetched, or there were none. Other devices are not affected.
    DeviceInitFailed {
        /// The device.
        dsn: Dsn,
        /// The error of the first read.
        error: Error,
    },
    /// Events were missed: read the manager's current state and devices.
    Lagged,
}

impl LossyEvent for DeviceManagerEvent {
    fn gap(&self) -> Self {
        Self::Lagged
    }
}

/// A receiver of the events of a device manager; returned by
/// [`DeviceManager::events`](crate::manager::DeviceManager::events). It ends once no handle of the manager is left. A
/// receiver that falls more than 256 events behind gets [`DeviceManagerEvent::Lagged`] in place of the lost events.
pub type DeviceManagerEvents = Events<DeviceManagerEvent>;
