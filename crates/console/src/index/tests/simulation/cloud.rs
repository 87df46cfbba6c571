//! A cloud in memory that records the history of its devices.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;

use super::*;

/// The compared values of a device, and since when they apply.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub(super) since: Timestamp,
    pub(super) csp: Option<String>,
    pub(super) customer: Option<String>,
    pub(super) state: DeviceState,
}

/// A device of this cloud.
#[derive(Clone, Debug)]
pub(super) struct SimulatedDevice {
    pub(super) record: DeviceRecord,
    pub(super) registered: bool,
    /// Start of the current registration.
    pub(super) since: Timestamp,
    pub(super) snapshots: Vec<Snapshot>,
}

/// All changes of the simulated cloud go through this type.
#[derive(Debug, Default)]
pub(super) struct Cloud {
    devices: BTreeMap<i64, SimulatedDevice>,
    last_key: i64,
    /// Devices that the cloud reported as gone.
    pub(super) reported_gone: HashSet<String>,
    /// By dsn, the time whose values a completed read wrote to the index: older values must not appear any more.
    pub(super) floors: HashMap<String, Timestamp>,
}

impl Cloud {
    pub(super) fn add(&mut self, dsn: &str, now: Timestamp) {
        self.last_key += 1;
        let record = DeviceRecord { customer: Some("Aurora".to_owned()), ..record(dsn, Some("North")) };
        let snapshots = Snapshot::of(&record, now);
        self.floors.remove(dsn);
        self.devices.insert(
            self.last_key,
            SimulatedDevice { record, registered: true, since: now, snapshots: vec![snapshots] },
        );
    }

    pub(super) fn remove(&mut self, dsn: &str) {
        self.floors.remove(dsn);
        self.devices.retain(|_, device| device.record.dsn != dsn);
    }

    /// Toggles between registered and factory stock.
    pub(super) fn register(&mut self, dsn: &str, now: Timestamp) {
        self.floors.remove(dsn);
        if let Some(device) = self.get(dsn) {
            device.registered = !device.registered;
            device.since = now;
        }
    }

    pub(super) fn change(&mut self, dsn: &str, now: Timestamp, change: impl FnOnce(&mut DeviceRecord)) {
        if let Some(device) = self.get(dsn) {
            change(&mut device.record);
            device.snapshots.push(Snapshot::of(&device.record, now));
        }
    }

    pub(super) fn get(&mut self, dsn: &str) -> Option<&mut SimulatedDevice> {
        self.devices.values_mut().find(|device| device.record.dsn == dsn)
    }

    /// A page of a pass.
    pub(super) fn page_after(&self, key: Option<i64>, page: usize) -> Vec<IndexEntry> {
        self.entries().filter(|entry| key.is_none_or(|key| entry.key > key)).take(page).collect()
    }

    /// A single read.
    pub(super) fn device(&mut self, dsn: &str) -> Option<IndexEntry> {
        let found = self.entries().find(|entry| entry.record.dsn == dsn);
        if found.is_none() {
            self.reported_gone.insert(dsn.to_owned());
        }
        found
    }

    /// Everything that the index should contain.
    pub(super) fn entries(&self) -> impl Iterator<Item = IndexEntry> {
        let registered = self.devices.iter().filter(|(_, device)| device.registered);
        registered.map(|(key, device)| IndexEntry { key: *key, record: device.record.clone() })
    }

    pub(super) fn registered(&self) -> impl Iterator<Item = &SimulatedDevice> {
        self.devices.values().filter(|device| device.registered)
    }
}

impl Snapshot {
    fn of(record: &DeviceRecord, since: Timestamp) -> Self {
        Self { since, csp: record.csp.clone(), customer: record.customer.clone(), state: record.state }
    }
}

impl SimulatedDevice {
    /// Whether the device had these values at any time since `floor`.
    pub(super) fn had_values(&self, csp: Option<&str>, customer: Option<&str>, floor: Timestamp) -> bool {
        self.was(floor, |snapshot| snapshot.csp.as_deref() == csp && snapshot.customer.as_deref() == customer)
    }

    /// Whether the device had each of the values that the stream reports at any time since `floor`.
    pub(super) fn had_state(&self, state: DeviceState, floor: Timestamp) -> bool {
        self.was(floor, |snapshot| snapshot.state.connection_status == state.connection_status)
            && self.was(floor, |snapshot| snapshot.state.mode == state.mode)
            && self.was(floor, |snapshot| snapshot.state.intensity == state.intensity)
            && self.was(floor, |snapshot| snapshot.state.pending == state.pending)
    }

    fn was(&self, floor: Timestamp, matches: impl Fn(&Snapshot) -> bool) -> bool {
        let ended_before = |at: usize| self.snapshots.get(at + 1).is_some_and(|next| next.since < floor);
        self.snapshots.iter().enumerate().any(|(at, snapshot)| !ended_before(at) && matches(snapshot))
    }
}
