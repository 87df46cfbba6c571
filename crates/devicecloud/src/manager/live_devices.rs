//! The interface of the device manager to the live stream manager.

use tokio::sync::watch;

use crate::live::ManagedDevices;
use crate::manager::core::Core;
use crate::manager::merge::DatapointKind;
use crate::manager::{DeviceManager, DeviceManagerEvents, DeviceManagerState};
use crate::model::{DataSource, Dsn};
use crate::stream::{DatapointEvent, StreamEvent};

impl ManagedDevices for DeviceManager {
    fn dsns(&self) -> Vec<Dsn> {
        self.shared.core().dsns()
    }

    fn state(&self) -> watch::Receiver<DeviceManagerState> {
        self.shared.core().states.subscribe()
    }

    fn events(&self) -> DeviceManagerEvents {
        self.shared.core().events.subscribe()
    }

    fn reload(&self) {
        self.shared.change(Core::reload);
    }

    fn apply(&self, event: StreamEvent) {
        match event {
            StreamEvent::Datapoint(event) => self.apply_datapoint(&event, DatapointKind::Value),
            StreamEvent::DatapointAck(event) => self.apply_datapoint(&event, DatapointKind::Ack),
            StreamEvent::Connectivity { dsn, status, at } => match self.shared.core().record(&dsn) {
                Some(record) => record.update_connection(status, at),
                None => log_unknown_device(),
            },
            _ => {}
        }
    }

    fn source_changed(&self, source: DataSource, connected: bool) {
        self.shared.change(|core| core.change_source(source == DataSource::Dss && connected));
    }
}

impl DeviceManager {
    fn apply_datapoint(&self, event: &DatapointEvent, kind: DatapointKind) {
        let Some(record) = self.shared.core().record(&event.dsn) else { return log_unknown_device() };
        if record.apply_datapoint(&event.property, &event.datapoint, kind, DataSource::Dss) {
            self.shared.request_read(&event.dsn);
        }
    }
}

/// The serial number is not logged, because it may belong to another user's device.
fn log_unknown_device() {
    tracing::warn!("the stream sent an event of an unknown device");
}
