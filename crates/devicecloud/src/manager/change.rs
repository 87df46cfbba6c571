use std::collections::BTreeSet;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::error::Error;
use crate::model::{Datum, Notification, PropertyValue, RoleLabel};

/// The names of fields that changed, in the specification's spelling, such as `connectionStatus`: as a
/// [`Device`](crate::Device) or a [`Property`](crate::Property) is written as JSON.
pub type ChangedFields = BTreeSet<String>;

/// What changed on a device.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Fields of the device itself, such as `connectionStatus`.
    Field(ChangedFields),
    /// The list with this name, `roleLabels`, `notifications` or `data`.
    List {
        /// The name of the list.
        name: &'static str,
        /// The items that came.
        added: Vec<ListItem>,
        /// The identifiers of the items that went.
        removed: Vec<String>,
    },
    /// A property.
    Property {
        /// The name of the property.
        name: String,
        /// Its fields that changed; empty when the property is new.
        changed: ChangedFields,
        /// Its present value; `None` when it was never set.
        value: Option<PropertyValue>,
    },
}

/// An item of a list of a device.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ListItem {
    /// Of `roleLabels`; its identifier is its id.
    RoleLabel(RoleLabel),
    /// Of `notifications`; its identifier is its id.
    Notification(Notification),
    /// Of `data`; its identifier is its key.
    Datum(Datum),
}

/// What the listeners of a device hear.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DeviceEvent {
    /// Something changed.
    Changed(Change),
    /// The device could not be polled; the next poll follows as always.
    PollFailed(Error),
    /// Events were missed: read the device again.
    Lagged,
}

/// The events of a device from the moment of asking; made by [`ManagedDevice::events`](crate::manager::ManagedDevice::events).
/// A listener that falls more than 64 events behind loses the oldest and hears [`DeviceEvent::Lagged`] instead.
#[derive(Debug)]
pub struct DeviceEvents(pub(super) broadcast::Receiver<DeviceEvent>);

pub(super) const QUEUE: usize = 64;

impl DeviceEvents {
    /// The next event; `None` when the manager and the application have let go of the device. Cancellation safe.
    pub async fn next(&mut self) -> Option<DeviceEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(_)) => Some(DeviceEvent::Lagged),
            Err(RecvError::Closed) => None,
        }
    }
}
