use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::error::Error;
use crate::model::Dsn;

/// Where a device manager stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceManagerState {
    /// Nothing was started.
    #[default]
    Uninitialized,
    /// The list is being fetched.
    FetchingDeviceList,
    /// The properties of the devices are being fetched, one device after the other.
    FetchingDeviceProperties,
    /// Never entered: this library speaks to the cloud only (decision A-99).
    FetchingLanConfig,
    /// All devices were read; they are polled.
    Ready,
    /// The first list could not be fetched.
    Error,
    /// Nothing is fetched until it is resumed.
    Paused,
}

/// What happened to a device manager.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DeviceManagerEvent {
    /// It stands elsewhere now.
    State(DeviceManagerState),
    /// Devices came or went.
    Devices {
        /// The new ones.
        added: Vec<Dsn>,
        /// Those that are no longer in the list.
        removed: Vec<Dsn>,
    },
    /// The first list could not be fetched; the message is the status text.
    InitFailed(Error),
    /// The properties of a device could not be fetched, or there were none. The others go on.
    DeviceInitFailed {
        /// The device.
        dsn: Dsn,
        /// Why.
        error: Error,
    },
    /// Events were missed: read the manager's state and devices again.
    Lagged,
}

/// The events of a device manager from the moment of asking; made by
/// [`DeviceManager::events`](crate::manager::DeviceManager::events). A listener that falls more than 256 events behind loses the
/// oldest and hears [`DeviceManagerEvent::Lagged`] instead.
#[derive(Debug)]
pub struct DeviceManagerEvents(pub(super) broadcast::Receiver<DeviceManagerEvent>);

impl DeviceManagerEvents {
    /// The next event; `None` when no handle of the manager is left. Cancellation safe.
    pub async fn next(&mut self) -> Option<DeviceManagerEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(_)) => Some(DeviceManagerEvent::Lagged),
            Err(RecvError::Closed) => None,
        }
    }
}
