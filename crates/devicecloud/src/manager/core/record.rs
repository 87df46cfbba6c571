//! The data of a device, shared by the manager and the application's handles.

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::Error;
use crate::events::EventSender;
use crate::manager::change::{Change, ChangedFields, DeviceEvent, QUEUE};
use crate::manager::core::shared::Shared;
use crate::manager::merge::{self, DatapointKind, KnownProperties};
use crate::manager::polling::{DEFAULT_DEVICE_POLL_INTERVAL, DEFAULT_POLL_TIMEOUT};
use crate::model::{
    ConnectionStatus, DataSource, Datapoint, Datum, Device, Dsn, Notification, Property, RoleLabel, Time,
};

pub(in crate::manager) struct DeviceRecord {
    pub(in crate::manager) dsn: Dsn,
    state: Mutex<DeviceState>,
    /// Events are sent while the state is locked, so that their order is that of the changes.
    pub(in crate::manager) listeners: EventSender<DeviceEvent>,
}

pub(in crate::manager) struct DeviceState {
    /// The manager of the device; dangling if the device was removed, or the manager was stopped or dropped.
    pub(in crate::manager) manager: Weak<Shared>,
    /// Without its properties.
    pub(in crate::manager) device: Device,
    pub(in crate::manager) properties: KnownProperties,
    /// Kept here because [`Device`] has no field for them.
    pub(in crate::manager) notifications: Vec<Notification>,
    pub(in crate::manager) init_error: Option<Error>,
    pub(in crate::manager) poll_interval: Duration,
    pub(in crate::manager) poll_timeout: Duration,
    connection_event_at: Option<Instant>,
}

impl DeviceRecord {
    pub(in crate::manager) fn new(device: Device, manager: Weak<Shared>) -> Self {
        let mut properties = KnownProperties::new();
        let mut device = device;
        merge::merge_properties(&mut properties, std::mem::take(&mut device.properties), Instant::now());
        Self {
            dsn: device.dsn.clone(),
            state: Mutex::new(DeviceState {
                manager,
                device,
                properties,
                notifications: Vec::new(),
                init_error: None,
                poll_interval: DEFAULT_DEVICE_POLL_INTERVAL,
                poll_timeout: DEFAULT_POLL_TIMEOUT,
                connection_event_at: None,
            }),
            listeners: EventSender::new(QUEUE),
        }
    }

    pub(in crate::manager) fn state(&self) -> MutexGuard<'_, DeviceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the device from a list.
    pub(in crate::manager) fn update_device(&self, fetched: Device, started_at: Instant) {
        let mut state = self.state();
        let connection_is_newer = state.connection_event_at.is_some_and(|event_at| event_at > started_at);
        let fields = merge::merge_device(&mut state.device, fetched, connection_is_newer);
        self.send_field_changes(fields);
    }

    /// Updates the properties from a read.
    pub(in crate::manager) fn update_properties(&self, fetched: Vec<Property>, started_at: Instant) {
        let mut state = self.state();
        state.init_error = None;
        merge::merge_properties(&mut state.properties, fetched, started_at)
            .into_iter()
            .for_each(|change| self.send_change(change));
    }

    /// Applies a datapoint that was written or received. `false` if the device has no such property.
    pub(in crate::manager) fn apply_datapoint(
        &self,
        name: &str,
        datapoint: &Datapoint,
        kind: DatapointKind,
        source: DataSource,
    ) -> bool {
        let mut state = self.state();
        let Some(known) = state.properties.get_mut(name) else { return false };
        known
            .apply_datapoint(datapoint, kind, source, Instant::now())
            .into_iter()
            .for_each(|change| self.send_change(change));
        true
    }

    /// Updates the connection status from an event.
    pub(in crate::manager) fn update_connection(&self, status: ConnectionStatus, at: Option<Time>) {
        let mut state = self.state();
        state.connection_event_at = Some(Instant::now());
        let connected_at = at.filter(|_| status == ConnectionStatus::Online).or(state.device.connected_at);
        let device = Device {
            connection_status: status,
            connected_at,
            last_update_source: DataSource::Dss,
            ..state.device.clone()
        };
        self.send_field_changes(merge::replace_device(&mut state.device, device));
    }

    /// Updates the role labels from a read.
    pub(in crate::manager) fn update_role_labels(&self, fetched: Vec<RoleLabel>) {
        let mut state = self.state();
        merge::replace_role_labels(&mut state.device.role_labels, fetched)
            .into_iter()
            .for_each(|change| self.send_change(change));
    }

    /// Updates the notifications from a read.
    pub(in crate::manager) fn update_notifications(&self, fetched: Vec<Notification>) {
        let mut state = self.state();
        merge::replace_notifications(&mut state.notifications, fetched)
            .into_iter()
            .for_each(|change| self.send_change(change));
    }

    /// Updates the key/value data from a read.
    pub(in crate::manager) fn update_data(&self, fetched: Vec<Datum>) {
        let mut state = self.state();
        merge::replace_data(&mut state.device.data, fetched).into_iter().for_each(|change| self.send_change(change));
    }

    /// Changes the device locally.
    pub(in crate::manager) fn change_device(&self, change: impl FnOnce(&mut Device)) {
        let mut state = self.state();
        let mut device = state.device.clone();
        change(&mut device);
        self.send_field_changes(merge::replace_device(&mut state.device, device));
    }

    pub(in crate::manager) fn send_event(&self, event: DeviceEvent) {
        self.listeners.send(&event);
    }

    pub(in crate::manager) fn send_change(&self, change: Change) {
        self.send_event(DeviceEvent::Changed(change));
    }

    fn send_field_changes(&self, fields: ChangedFields) {
        if !fields.is_empty() {
            self.send_change(Change::Field(fields));
        }
    }
}
