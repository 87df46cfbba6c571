use tokio::sync::watch;

use crate::events::manager_event::{DeviceManagerEvents, DeviceManagerState};
use crate::model::{DataSource, Dsn};
use crate::stream::StreamEvent;

/// The interface of a device manager to the live stream manager.
pub(crate) trait ManagedDevices: Send + Sync + 'static {
    /// The devices to subscribe to.
    fn dsns(&self) -> Vec<Dsn>;

    fn state(&self) -> watch::Receiver<DeviceManagerState>;

    fn events(&self) -> DeviceManagerEvents;

    /// Reloads the devices in the background, because events may have been missed.
    fn reload(&self);

    /// Applies a datapoint, an acknowledgement or a connectivity event. Unknown serial numbers are only logged.
    fn apply(&self, event: StreamEvent);

    /// Changes the source of values. With `Dss` and a connected stream, each device is fetched once and then no longer
    /// polled.
    fn source_changed(&self, source: DataSource, connected: bool);
}
