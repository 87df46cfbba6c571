//! A cloud that is only a map, and remembers what it was.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;

use super::*;

/// What the checks compare a row with, and since when it was so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub(super) since: Timestamp,
    pub(super) csp: Option<String>,
    pub(super) customer: Option<String>,
}

/// A device of this cloud.
#[derive(Clone, Debug)]
pub(super) struct SimulatedDevice {
    pub(super) record: DeviceRecord,
    pub(super) registered: bool,
    /// Since when it has been registered without a break.
    pub(super) since: Timestamp,
    pub(super) snapshots: Vec<Snapshot>,
}

/// Every change goes through here.
#[derive(Debug, Default)]
pub(super) struct Cloud {
    devices: BTreeMap<i64, SimulatedDevice>,
    last_key: i64,
    /// Whom the cloud called gone, to anybody.
    pub(super) reported_gone: HashSet<String>,
    /// The moment whose state a finished read brought into the index, by device: nothing older may be seen there any more.
    pub(super) floors: HashMap<String, Timestamp>,
}

impl Cloud {
    pub(super) fn add(&mut self, dsn: &str, now: Timestamp) {
        self.last_key += 1;
        let snapshots = Snapshot { since: now, csp: Some("North".to_owned()), customer: Some("Aurora".to_owned()) };
        let record = DeviceRecord { customer: snapshots.customer.clone(), ..record(dsn, snapshots.csp.as_deref()) };
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

    /// Into the factory's stock, or out of it.
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
            let (csp, customer) = (device.record.csp.clone(), device.record.customer.clone());
            device.snapshots.push(Snapshot { since: now, csp, customer });
        }
    }

    pub(super) fn get(&mut self, dsn: &str) -> Option<&mut SimulatedDevice> {
        self.devices.values_mut().find(|device| device.record.dsn == dsn)
    }

    /// What a pass reads.
    pub(super) fn page_after(&self, key: Option<i64>, page: usize) -> Vec<IndexEntry> {
        self.entries().filter(|entry| key.is_none_or(|key| entry.key > key)).take(page).collect()
    }

    /// What a single read finds.
    pub(super) fn device(&mut self, dsn: &str) -> Option<IndexEntry> {
        let found = self.entries().find(|entry| entry.record.dsn == dsn);
        if found.is_none() {
            self.reported_gone.insert(dsn.to_owned());
        }
        found
    }

    /// Everything that the index should hold.
    pub(super) fn entries(&self) -> impl Iterator<Item = IndexEntry> {
        let registered = self.devices.iter().filter(|(_, device)| device.registered);
        registered.map(|(key, device)| IndexEntry { key: *key, record: device.record.clone() })
    }

    pub(super) fn registered(&self) -> impl Iterator<Item = &SimulatedDevice> {
        self.devices.values().filter(|device| device.registered)
    }
}

impl SimulatedDevice {
    /// Whether it looked like this at some moment from `floor` on.
    pub(super) fn had_values(&self, csp: Option<&str>, customer: Option<&str>, floor: Timestamp) -> bool {
        let ended_before = |at: usize| self.snapshots.get(at + 1).is_some_and(|next| next.since < floor);
        self.snapshots.iter().enumerate().any(|(at, snapshots)| {
            !ended_before(at) && snapshots.csp.as_deref() == csp && snapshots.customer.as_deref() == customer
        })
    }
}
