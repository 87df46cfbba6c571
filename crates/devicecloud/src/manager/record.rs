//! The data of a device, shared by the manager and the application's handles.

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::error::Error;
use crate::manager::change::{Change, ChangedFields, DeviceEvent, QUEUE};
use crate::manager::merge::{self, Heard, KnownProperties};
use crate::manager::polling::{DEFAULT_DEVICE_POLL_INTERVAL, DEFAULT_POLL_TIMEOUT};
use crate::manager::shared::Shared;
use crate::model::{
    ConnectionStatus, DataSource, Datapoint, Datum, Device, Dsn, Notification, Property, RoleLabel, Time,
};

pub(super) struct Record {
    pub(super) dsn: Dsn,
    facts: Mutex<Facts>,
    /// Events are sent while the state is locked, so that their order is that of the changes.
    pub(super) listeners: broadcast::Sender<DeviceEvent>,
}

pub(super) struct Facts {
    /// The manager of the device; dangling if the device was removed, or the manager was stopped or dropped.
    pub(super) manager: Weak<Shared>,
    /// Without its properties.
    pub(super) device: Device,
    pub(super) properties: KnownProperties,
    /// Kept here because [`Device`] has no field for them.
    pub(super) notifications: Vec<Notification>,
    pub(super) init_error: Option<Error>,
    pub(super) poll_interval: Duration,
    pub(super) poll_timeout: Duration,
    connection_heard_at: Option<Instant>,
}

impl Record {
    pub(super) fn new(device: Device, manager: Weak<Shared>) -> Self {
        let mut properties = KnownProperties::new();
        let mut device = device;
        merge::merge_properties(&mut properties, std::mem::take(&mut device.properties), Instant::now());
        Self {
            dsn: device.dsn.clone(),
            facts: Mutex::new(Facts {
                manager,
                device,
                properties,
                notifications: Vec::new(),
                init_error: None,
                poll_interval: DEFAULT_DEVICE_POLL_INTERVAL,
                poll_timeout: DEFAULT_POLL_TIMEOUT,
                connection_heard_at: None,
            }),
            listeners: broadcast::Sender::new(QUEUE),
        }
    }

    pub(super) fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the device from a list.
    pub(super) fn take_device(&self, fetched: Device, began: Instant) {
        let mut facts = self.facts();
        let connection_is_newer = facts.connection_heard_at.is_some_and(|heard_at| heard_at > began);
        let fields = merge::merge_device(&mut facts.device, fetched, connection_is_newer);
        self.tell_fields(fields);
    }

    /// Updates the properties from a read.
    pub(super) fn take_properties(&self, fetched: Vec<Property>, began: Instant) {
        let mut facts = self.facts();
        facts.init_error = None;
        merge::merge_properties(&mut facts.properties, fetched, began).into_iter().for_each(|change| self.tell(change));
    }

    /// Applies a datapoint that was written or received. `false` if the device has no such property.
    pub(super) fn take_datapoint(&self, name: &str, datapoint: &Datapoint, heard: Heard, source: DataSource) -> bool {
        let mut facts = self.facts();
        let Some(known) = facts.properties.get_mut(name) else { return false };
        known.hear(datapoint, heard, source, Instant::now()).into_iter().for_each(|change| self.tell(change));
        true
    }

    /// Updates the connection status from an event.
    pub(super) fn take_connection(&self, status: ConnectionStatus, at: Option<Time>) {
        let mut facts = self.facts();
        facts.connection_heard_at = Some(Instant::now());
        let connected_at = at.filter(|_| status == ConnectionStatus::Online).or(facts.device.connected_at);
        let device = Device {
            connection_status: status,
            connected_at,
            last_update_source: DataSource::Dss,
            ..facts.device.clone()
        };
        self.tell_fields(merge::replace_device(&mut facts.device, device));
    }

    /// Updates the role labels from a read.
    pub(super) fn take_role_labels(&self, fetched: Vec<RoleLabel>) {
        let mut facts = self.facts();
        merge::replace_role_labels(&mut facts.device.role_labels, fetched)
            .into_iter()
            .for_each(|change| self.tell(change));
    }

    /// Updates the notifications from a read.
    pub(super) fn take_notifications(&self, fetched: Vec<Notification>) {
        let mut facts = self.facts();
        merge::replace_notifications(&mut facts.notifications, fetched)
            .into_iter()
            .for_each(|change| self.tell(change));
    }

    /// Updates the key/value data from a read.
    pub(super) fn take_data(&self, fetched: Vec<Datum>) {
        let mut facts = self.facts();
        merge::replace_data(&mut facts.device.data, fetched).into_iter().for_each(|change| self.tell(change));
    }

    /// Changes the device locally.
    pub(super) fn change_device(&self, change: impl FnOnce(&mut Device)) {
        let mut facts = self.facts();
        let mut device = facts.device.clone();
        change(&mut device);
        self.tell_fields(merge::replace_device(&mut facts.device, device));
    }

    pub(super) fn tell_event(&self, event: DeviceEvent) {
        // Sending fails only if there are no receivers.
        let _ = self.listeners.send(event);
    }

    pub(super) fn tell(&self, change: Change) {
        self.tell_event(DeviceEvent::Changed(change));
    }

    fn tell_fields(&self, fields: ChangedFields) {
        if !fields.is_empty() {
            self.tell(Change::Field(fields));
        }
    }
}
