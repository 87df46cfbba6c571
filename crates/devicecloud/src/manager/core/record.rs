//! The data of a device, shared by the manager and the application's handles.

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::Error;
use crate::events::EventSender;
use crate::manager::change::{Change, ChangedFields, DEVICE_QUEUE, DeviceEvent, DeviceEvents};
use crate::manager::core::shared::Shared;
use crate::manager::freshness::{Freshness, StaleReason};
use crate::manager::merge::{self, DatapointKind, KnownProperties};
use crate::manager::polling::{DEFAULT_DEVICE_POLL_INTERVAL, DEFAULT_POLL_TIMEOUT};
use crate::model::{
    ConnectionStatus, DataSource, Datapoint, Datum, Device, Dsn, Notification, Property, RoleLabel, Time,
};

pub(in crate::manager) struct KnownDevice {
    pub(in crate::manager) dsn: Dsn,
    state: Mutex<DeviceState>,
    /// Events are sent while the state is locked, so that their order is that of the changes.
    listeners: EventSender<DeviceEvent>,
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
    pub(in crate::manager) freshness: Freshness,
    /// Whether changes were missed since the device was live, until it is read again.
    missed: bool,
    connection_event_at: Option<Instant>,
}

impl KnownDevice {
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
                freshness: Freshness::Stale(StaleReason::NotRead),
                missed: false,
                connection_event_at: None,
            }),
            listeners: EventSender::new(DEVICE_QUEUE),
        }
    }

    pub(in crate::manager) fn state(&self) -> MutexGuard<'_, DeviceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::manager) fn subscribe(&self) -> DeviceEvents {
        self.listeners.subscribe()
    }

    /// Updates the device from a list.
    pub(in crate::manager) fn update_device(&self, fetched: Device, started_at: Instant) {
        let mut state = self.state();
        let connection_is_newer = state.connection_event_at.is_some_and(|event_at| event_at > started_at);
        let fields = merge::merge_device(&mut state.device, fetched, connection_is_newer);
        if !fields.is_empty() {
            self.send_read_changes(&state, vec![Change::Field(fields)], false);
        }
    }

    /// Updates the properties from a read.
    pub(in crate::manager) fn update_properties(&self, fetched: Vec<Property>, started_at: Instant) {
        self.merge_properties(&mut self.state(), fetched, started_at, false);
    }

    /// Updates the properties from a read of the manager. `is_current`: whether no event was missed since it began.
    pub(in crate::manager) fn finish_read(
        &self,
        fetched: Vec<Property>,
        started_at: Instant,
        is_current: bool,
        freshness: Freshness,
    ) {
        let mut state = self.state();
        let missed = is_current && std::mem::take(&mut state.missed);
        self.merge_properties(&mut state, fetched, started_at, missed);
        self.change_freshness(&mut state, freshness);
    }

    /// Records a failed read.
    pub(in crate::manager) fn fail_read(&self, error: Error) {
        let mut state = self.state();
        self.send_event(&state, DeviceEvent::PollFailed(error.clone()));
        self.change_freshness(&mut state, Freshness::Stale(StaleReason::ReadFailed(error)));
    }

    /// Records that events of the stream were missed, or are going to be.
    pub(in crate::manager) fn miss_events(&self) {
        let mut state = self.state();
        if matches!(state.freshness, Freshness::Live) {
            state.missed = true;
            self.change_freshness(&mut state, Freshness::Stale(StaleReason::EventsMissed));
        }
    }

    /// Records that the device is not read any more.
    pub(in crate::manager) fn stop_reads(&self) {
        self.change_freshness(&mut self.state(), Freshness::Stale(StaleReason::NotPolled));
    }

    /// Reports that the manager found the device.
    pub(in crate::manager) fn announce(&self) {
        self.send_event(&self.state(), DeviceEvent::Added);
    }

    /// Ends the connection between the device and its manager.
    pub(in crate::manager) fn release(&self) {
        let mut state = self.state();
        state.freshness = Freshness::Stale(StaleReason::NotPolled);
        self.send_event(&state, DeviceEvent::Removed);
        state.manager = Weak::new();
    }

    /// Applies a datapoint that was written or received. Returns whether the device must be read, because the datapoint
    /// does not contain everything that has changed with it.
    pub(in crate::manager) fn apply_datapoint(
        &self,
        name: &str,
        datapoint: &Datapoint,
        kind: DatapointKind,
        source: DataSource,
    ) -> bool {
        let mut state = self.state();
        // A property that is not known is new.
        let Some(known) = state.properties.get_mut(name) else { return true };
        let change = known.apply_datapoint(datapoint, kind, source, Instant::now());
        let awaits_read = known.awaits_read();
        change.into_iter().for_each(|change| self.send_change(&state, change));
        awaits_read
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
        let fields = merge::replace_device(&mut state.device, device);
        self.send_field_changes(&state, fields);
    }

    /// Updates the role labels from a read.
    pub(in crate::manager) fn update_role_labels(&self, fetched: Vec<RoleLabel>) {
        let mut state = self.state();
        let change = merge::replace_role_labels(&mut state.device.role_labels, fetched);
        change.into_iter().for_each(|change| self.send_change(&state, change));
    }

    /// Updates the notifications from a read.
    pub(in crate::manager) fn update_notifications(&self, fetched: Vec<Notification>) {
        let mut state = self.state();
        let change = merge::replace_notifications(&mut state.notifications, fetched);
        change.into_iter().for_each(|change| self.send_change(&state, change));
    }

    /// Updates the key/value data from a read.
    pub(in crate::manager) fn update_data(&self, fetched: Vec<Datum>) {
        let mut state = self.state();
        let change = merge::replace_data(&mut state.device.data, fetched);
        change.into_iter().for_each(|change| self.send_change(&state, change));
    }

    /// Changes the device locally.
    pub(in crate::manager) fn change_device(&self, change: impl FnOnce(&mut Device)) {
        let mut state = self.state();
        let mut device = state.device.clone();
        change(&mut device);
        let fields = merge::replace_device(&mut state.device, device);
        self.send_field_changes(&state, fields);
    }

    /// `missed`: whether events were missed before this read.
    fn merge_properties(&self, state: &mut DeviceState, fetched: Vec<Property>, started_at: Instant, missed: bool) {
        state.init_error = None;
        let is_live = matches!(state.freshness, Freshness::Live);
        let skips = is_live && merge::skips_command_state(&state.properties, &fetched, started_at);
        let changes = merge::merge_properties(&mut state.properties, fetched, started_at);
        self.send_read_changes(state, changes, missed || skips);
    }

    /// Sends the changes that a read has found. `missed`: whether events were missed before it.
    fn send_read_changes(&self, state: &DeviceState, changes: Vec<Change>, missed: bool) {
        // A read can overtake events of the stream, which are then outdated when they arrive.
        let overtakes = matches!(state.freshness, Freshness::Live) && changes.iter().any(merge::is_streamed);
        if missed || overtakes {
            self.send_event(state, DeviceEvent::Gap);
        }
        changes.into_iter().for_each(|change| self.send_change(state, change));
    }

    fn change_freshness(&self, state: &mut DeviceState, freshness: Freshness) {
        let before = std::mem::replace(&mut state.freshness, freshness);
        if !before.is_same(&state.freshness) {
            self.send_event(state, DeviceEvent::Freshness(state.freshness.clone()));
        }
    }

    /// Sends an event to the receivers of the device and of the fleet.
    fn send_event(&self, state: &DeviceState, event: DeviceEvent) {
        self.listeners.send(&event);
        if let Some(manager) = state.manager.upgrade() {
            manager.changes.send(&(self.dsn.clone(), event));
        }
    }

    fn send_change(&self, state: &DeviceState, change: Change) {
        self.send_event(state, DeviceEvent::Changed(change));
    }

    fn send_field_changes(&self, state: &DeviceState, fields: ChangedFields) {
        if !fields.is_empty() {
            self.send_change(state, Change::Field(fields));
        }
    }
}
