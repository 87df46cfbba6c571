use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::manager_event::DeviceManagerEvent;

/// A receiver of the events of a device manager; returned by
/// [`DeviceManager::events`](crate::manager::DeviceManager::events). A receiver that falls more than 256 events behind
/// loses the oldest and gets [`DeviceManagerEvent::Lagged`] instead.
#[derive(Debug)]
pub struct DeviceManagerEvents(pub(super) broadcast::Receiver<DeviceManagerEvent>);

impl DeviceManagerEvents {
    /// The next event; `None` once no handle of the manager is left. Cancel safe.
    pub async fn next(&mut self) -> Option<DeviceManagerEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(_)) => Some(DeviceManagerEvent::Lagged),
            Err(RecvError::Closed) => None,
        }
    }
}
