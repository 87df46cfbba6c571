//! A cloud in memory that records the history of its devices.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;

use super::*;

/// The values of a device, and since when they apply.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    since: Timestamp,
    record: DeviceRecord,
}

/// A device of this cloud.
#[derive(Clone, Debug)]
pub(super) struct SimulatedDevice {
    pub(super) record: DeviceRecord,
    pub(super) registered: bool,
    /// Start of the current registration.
    pub(super) since: Timestamp,
    snapshots: Vec<Snapshot>,
}

/// All changes of the simulated cloud go through this type.
#[derive(Debug, Default)]
pub(super) struct Cloud {
    devices: BTreeMap<i64, SimulatedDevice>,
    last_key: i64,
    /// Since when devices have been gone, by dsn.
    gone: HashMap<String, Timestamp>,
    /// Devices that the cloud reported as gone.
    pub(super) reported_gone: HashSet<String>,
    /// By dsn, the time whose values a completed read wrote to the index: older values must not appear any more.
    pub(super) floors: HashMap<String, Timestamp>,
}

impl Cloud {
    pub(super) fn add(&mut self, dsn: &str, now: Timestamp) {
        self.last_key += 1;
        let record = DeviceRecord { customer: Some("Aurora".to_owned()), ..record(dsn, Some("North")) };
        let snapshots = vec![Snapshot { since: now, record: record.clone() }];
        self.floors.remove(dsn);
        self.gone.remove(dsn);
        self.devices.insert(self.last_key, SimulatedDevice { record, registered: true, since: now, snapshots });
    }

    pub(super) fn remove(&mut self, dsn: &str, now: Timestamp) {
        self.floors.remove(dsn);
        if self.get(dsn).is_some_and(|device| device.registered) {
            self.gone.insert(dsn.to_owned(), now);
        }
        self.devices.retain(|_, device| device.record.dsn != dsn);
    }

    /// Toggles between registered and factory stock.
    pub(super) fn register(&mut self, dsn: &str, now: Timestamp) {
        self.floors.remove(dsn);
        let Some(device) = self.get(dsn) else { return };
        device.registered = !device.registered;
        device.since = now;
        if device.registered {
            self.gone.remove(dsn);
        } else {
            self.gone.insert(dsn.to_owned(), now);
        }
    }

    /// Whether the device was gone before `time` and is so since.
    pub(super) fn was_gone(&self, dsn: &str, time: Timestamp) -> bool {
        self.gone.get(dsn).is_some_and(|gone| *gone < time)
    }

    pub(super) fn change(&mut self, dsn: &str, now: Timestamp, change: impl FnOnce(&mut DeviceRecord)) {
        if let Some(device) = self.get(dsn) {
            change(&mut device.record);
            device.snapshots.push(Snapshot { since: now, record: device.record.clone() });
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

impl SimulatedDevice {
    /// Whether the device had these values, except for the state, at any time since `floor`.
    pub(super) fn had_values(&self, record: &DeviceRecord, floor: Timestamp) -> bool {
        self.was(floor, |then| then.equals_except_state(record))
    }

    /// Whether the device had each of the values that the stream reports at any time since `floor`.
    pub(super) fn had_state(&self, state: DeviceState, floor: Timestamp) -> bool {
        self.was(floor, |then| then.state.connection_status == state.connection_status)
            && self.was(floor, |then| then.state.mode == state.mode)
            && self.was(floor, |then| then.state.intensity == state.intensity)
            && self.was(floor, |then| then.state.pending == state.pending)
    }

    fn was(&self, floor: Timestamp, matches: impl Fn(&DeviceRecord) -> bool) -> bool {
        let ended_before = |at: usize| self.snapshots.get(at + 1).is_some_and(|next| next.since < floor);
        self.snapshots.iter().enumerate().any(|(at, snapshot)| !ended_before(at) && matches(&snapshot.record))
    }
}
