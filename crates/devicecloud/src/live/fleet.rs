use tokio::sync::{broadcast, watch};

use crate::manager::{DeviceManagerEvent, DeviceManagerState};
use crate::model::{DataSource, Dsn};
use crate::stream::StreamEvent;

/// What the live stream manager needs of a device manager.
pub(crate) trait Fleet: Send + Sync + 'static {
    /// The devices that the subscription names.
    fn dsns(&self) -> Vec<Dsn>;

    fn state(&self) -> watch::Receiver<DeviceManagerState>;

    fn events(&self) -> broadcast::Receiver<DeviceManagerEvent>;

    /// Reads the devices again, in the background: something may have been missed.
    fn refresh(&self);

    /// A datapoint, an acknowledgement or a connectivity event of a device. An unknown serial number is logged only.
    fn apply(&self, event: StreamEvent);

    /// Where fresh values come from now. `Dss` while the stream is connected: each device fetches once and polls no more.
    fn source_changed(&self, source: DataSource, connected: bool);
}
