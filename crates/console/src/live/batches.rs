//! Combines the reads of devices: at most one at a time per device, and all changes meanwhile share the next one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Maximum number of changes of a device that wait for a read.
const MAX_WAITING: usize = 64;

/// The devices that are being read, with the changes that wait for the next read.
pub(super) struct Batches<T>(HashMap<String, Vec<T>>);

/// What follows from a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<T> {
    /// The device must be read now for this change.
    Read(T),
    /// The change waits for the next read.
    Wait,
    /// Too many changes were waiting; all of them but this one were dropped.
    Overflow,
}

impl<T> Batches<T> {
    pub(super) fn new() -> Self {
        Self(HashMap::new())
    }

    /// Adds a change of the device.
    pub(super) fn add(&mut self, dsn: &str, change: T) -> Next<T> {
        match self.0.entry(dsn.to_owned()) {
            Entry::Vacant(idle) => {
                idle.insert(Vec::new());
                Next::Read(change)
            }
            Entry::Occupied(mut reading) if reading.get().len() == MAX_WAITING => {
                reading.get_mut().clear();
                reading.get_mut().push(change);
                Next::Overflow
            }
            Entry::Occupied(mut reading) => {
                reading.get_mut().push(change);
                Next::Wait
            }
        }
    }

    /// Whether the device is being read.
    pub(super) fn is_reading(&self, dsn: &str) -> bool {
        self.0.contains_key(dsn)
    }

    /// Ends a read of the device. Returns the changes for which it must be read again.
    pub(super) fn finish(&mut self, dsn: &str) -> Option<Vec<T>> {
        let waiting = self.0.get_mut(dsn).map(std::mem::take).filter(|changes| !changes.is_empty());
        if waiting.is_none() {
            self.0.remove(dsn);
        }
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_during_a_read_share_the_next_read() {
        let mut batches = Batches::new();
        assert_eq!(batches.add("A", 1), Next::Read(1));
        assert_eq!([batches.add("A", 2), batches.add("A", 3)], [Next::Wait, Next::Wait]);
        assert_eq!(batches.add("B", 4), Next::Read(4), "another device does not wait");
        assert_eq!(batches.finish("A"), Some(vec![2, 3]));
        assert_eq!(batches.add("A", 5), Next::Wait, "the second read is in progress");
        assert_eq!(batches.finish("A"), Some(vec![5]));
        assert_eq!((batches.finish("A"), batches.finish("B")), (None, None));
        assert!(batches.0.is_empty());
        assert_eq!(batches.add("A", 6), Next::Read(6));
    }

    #[test]
    fn waiting_changes_are_bounded() {
        let mut batches = Batches::new();
        assert_eq!(batches.add("A", 0), Next::Read(0));
        for change in 1..=MAX_WAITING {
            assert_eq!(batches.add("A", change), Next::Wait);
        }
        assert_eq!(batches.add("A", 100), Next::Overflow);
        assert_eq!(batches.add("A", 101), Next::Wait);
        assert_eq!(batches.finish("A"), Some(vec![100, 101]), "the result of the read is older than both");
    }
}
