use std::collections::BTreeSet;

use crate::error::Error;
use crate::events::{Events, LossyEvent};
use crate::model::{Datum, Notification, PropertyValue, RoleLabel};

/// The names of changed fields, such as `connectionStatus`, as in the JSON of a [`Device`](crate::Device) or a
/// [`Property`](crate::Property).
pub type ChangedFields = BTreeSet<String>;

/// A change of a device.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Fields of the device itself, such as `connectionStatus`.
    Field(ChangedFields),
    /// The list with this name, `roleLabels`, `notifications` or `data`.
    List {
        /// The name of the list.
        name: &'static str,
        /// The added items.
        added: Vec<ListItem>,
        /// The identifiers of the removed items.
        removed: Vec<String>,
    },
    /// A property of the device.
    Property {
        /// The name of the property.
        name: String,
        /// The changed fields; empty if the property is new.
        changed: ChangedFields,
        /// The current value; `None` if it was never set.
        value: Option<PropertyValue>,
    },
}

/// An item of one of the lists of a device.
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

/// An event of a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DeviceEvent {
    /// The device changed.
    Changed(Change),
    /// A poll of the device failed; the next poll follows as usual.
    PollFailed(Error),
    /// Events were missed: read the current values of the device.
    Lagged,
}

impl LossyEvent for DeviceEvent {
    fn gap(&self) -> Self {
        Self::Lagged
    }
}

/// A receiver of the events of a device; returned by [`ManagedDevice::events`](crate::manager::ManagedDevice::events).
/// It ends once neither the manager nor the application holds the device. A receiver that falls more than 64 events
/// behind gets [`DeviceEvent::Lagged`] in place of the lost events.
pub type DeviceEvents = Events<DeviceEvent>;

pub(super) const QUEUE: usize = 64;
