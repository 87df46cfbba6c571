use std::collections::BTreeSet;

use crate::error::Error;
use crate::events::{Events, LossyEvent};
use crate::manager::freshness::Freshness;
use crate::model::{Datum, Dsn, Notification, PropertyValue, RoleLabel};

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
    /// The manager found the device; its properties follow as changes. Only in [`FleetEvents`].
    Added,
    /// The manager released the device: it is no longer in the list, or the manager was stopped.
    Removed,
    /// The device changed.
    Changed(Change),
    /// A read of the device failed; the next one follows as usual.
    PollFailed(Error),
    /// How up to date the device is has changed.
    Freshness(Freshness),
    /// Changes were missed, because the live data stream was interrupted or this receiver is too slow: read the current
    /// values of the device. After an interruption this is sent when the manager has read the device again. Events that
    /// follow may be older than the values that you read, but the last event of a property always has its current value.
    Gap,
}

impl LossyEvent for DeviceEvent {
    fn gap(&self) -> Self {
        Self::Gap
    }
}

impl LossyEvent for (Dsn, DeviceEvent) {
    fn gap(&self) -> Self {
        (self.0.clone(), DeviceEvent::Gap)
    }

    fn shares_gap(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// A receiver of the events of a device; returned by [`ManagedDevice::events`](crate::manager::ManagedDevice::events).
/// It ends once neither the manager nor the application holds the device. A receiver that falls more than 64 events
/// behind gets [`DeviceEvent::Gap`] in place of the lost events.
pub type DeviceEvents = Events<DeviceEvent>;

/// A receiver of the events of all devices; returned by
/// [`DeviceManager::changes`](crate::manager::DeviceManager::changes). It ends once no handle of the manager is left. A
/// receiver that falls more than 4,096 events behind gets one [`DeviceEvent::Gap`] for each device that lost events.
pub type FleetEvents = Events<(Dsn, DeviceEvent)>;

/// The number of events that a receiver of [`DeviceEvents`] may fall behind.
pub(super) const DEVICE_QUEUE: usize = 64;

/// The number of events that a receiver of [`FleetEvents`] may fall behind: a few for each of hundreds of devices.
pub(super) const FLEET_QUEUE: usize = 4096;
