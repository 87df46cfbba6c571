//! A cloud that is only a map, and remembers what it was.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;

use super::*;

/// What the checks compare a row with, and since when it was so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Looks {
    pub(super) since: Timestamp,
    pub(super) csp: Option<String>,
    pub(super) customer: Option<String>,
}

/// A device of this cloud.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) record: DeviceRecord,
    pub(super) registered: bool,
    /// Since when it has been registered without a break.
    pub(super) since: Timestamp,
    pub(super) looks: Vec<Looks>,
}

/// Every change goes through here.
#[derive(Debug, Default)]
pub(super) struct Cloud {
    devices: BTreeMap<i64, Listed>,
    last_key: i64,
    /// Whom the cloud called gone, to anybody.
    pub(super) called_gone: HashSet<String>,
    /// The moment whose state a finished read brought into the index, by device: nothing older may be seen there any more.
    pub(super) floors: HashMap<String, Timestamp>,
}

impl Cloud {
    pub(super) fn add(&mut self, dsn: &str, now: Timestamp) {
        self.last_key += 1;
        let looks = Looks { since: now, csp: Some("North".to_owned()), customer: Some("Aurora".to_owned()) };
        let record = DeviceRecord { customer: looks.customer.clone(), ..record(dsn, looks.csp.as_deref()) };
        self.floors.remove(dsn);
        self.devices.insert(self.last_key, Listed { record, registered: true, since: now, looks: vec![looks] });
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
            device.looks.push(Looks { since: now, csp, customer });
        }
    }

    pub(super) fn get(&mut self, dsn: &str) -> Option<&mut Listed> {
        self.devices.values_mut().find(|device| device.record.dsn == dsn)
    }

    /// What a pass reads.
    pub(super) fn after(&self, key: Option<i64>, page: usize) -> Vec<Entry> {
        self.entries().filter(|entry| key.is_none_or(|key| entry.key > key)).take(page).collect()
    }

    /// What a single read finds.
    pub(super) fn one(&mut self, dsn: &str) -> Option<Entry> {
        let found = self.entries().find(|entry| entry.record.dsn == dsn);
        if found.is_none() {
            self.called_gone.insert(dsn.to_owned());
        }
        found
    }

    /// Everything that the index should hold.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        let registered = self.devices.iter().filter(|(_, device)| device.registered);
        registered.map(|(key, device)| Entry { key: *key, record: device.record.clone() })
    }

    pub(super) fn registered(&self) -> impl Iterator<Item = &Listed> {
        self.devices.values().filter(|device| device.registered)
    }
}

impl Listed {
    /// Whether it looked like this at some moment from `floor` on.
    pub(super) fn has_looked(&self, csp: Option<&str>, customer: Option<&str>, floor: Timestamp) -> bool {
        let ended_before = |at: usize| self.looks.get(at + 1).is_some_and(|next| next.since < floor);
        self.looks.iter().enumerate().any(|(at, looks)| {
            !ended_before(at) && looks.csp.as_deref() == csp && looks.customer.as_deref() == customer
        })
    }
}
