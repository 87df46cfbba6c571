//! The device manager as the live stream manager sees it.

use tokio::sync::{broadcast, watch};

use crate::live::Fleet;
use crate::manager::merge::{Heard, is_good};
use crate::manager::{DeviceManager, DeviceManagerEvent, DeviceManagerState};
use crate::model::{DataSource, Dsn};
use crate::stream::{DatapointEvent, StreamEvent};

impl Fleet for DeviceManager {
    fn dsns(&self) -> Vec<Dsn> {
        self.shared.core().dsns()
    }

    fn state(&self) -> watch::Receiver<DeviceManagerState> {
        self.shared.core().states.subscribe()
    }

    fn events(&self) -> broadcast::Receiver<DeviceManagerEvent> {
        self.shared.core().events.subscribe()
    }

    fn refresh(&self) {
        self.refresh();
    }

    fn apply(&self, event: StreamEvent) {
        match event {
            StreamEvent::Datapoint(event) => self.hear(&event, Heard::Value),
            StreamEvent::DatapointAck(event) => self.hear(&event, Heard::Ack),
            StreamEvent::Connectivity { dsn, status, at } => match self.shared.core().record(&dsn) {
                Some(record) => record.take_connection(status, at),
                None => unknown(),
            },
            _ => {}
        }
    }

    fn source_changed(&self, source: DataSource, connected: bool) {
        self.shared.change(|core| core.change_source(source == DataSource::Dss && connected));
    }
}

impl DeviceManager {
    fn hear(&self, event: &DatapointEvent, heard: Heard) {
        let Some(record) = self.shared.core().record(&event.dsn) else { return unknown() };
        if !record.take_datapoint(&event.property, &event.datapoint, heard, DataSource::Dss) {
            tracing::debug!("the stream told of a property that the device did not have when it was read");
        }
        if heard == Heard::Ack && !is_good(&event.datapoint) {
            self.shared.read_again(&event.dsn);
        }
    }
}

/// The serial number is not logged, because it may belong to another user's device.
fn unknown() {
    tracing::warn!("the stream told of a device that is not in the list");
}
