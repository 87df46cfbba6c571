//! Devices whose attention has to be examined because something about them has changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::attention_rules::Observation;

/// Maximum number of devices before those who add observations wait for room.
const CAPACITY: usize = 4096;

/// A queue of devices, each at most once. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttentionQueue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    devices: Mutex<HashMap<String, Option<Observation>>>,
    added: Notify,
    taken: Notify,
}

impl AttentionQueue {
    /// Adds a device whose row in the index has changed.
    pub(crate) fn note(&self, dsn: &str) {
        self.lock().entry(dsn.to_owned()).or_default();
        self.0.added.notify_one();
    }

    /// Adds a device that was read from the cloud. An older observation that waits is replaced.
    pub(crate) fn observe(&self, dsn: &str, observation: Observation) {
        let mut devices = self.lock();
        let waiting = devices.entry(dsn.to_owned()).or_default();
        if waiting.as_ref().is_none_or(|waiting| waiting.read_at <= observation.read_at) {
            *waiting = Some(observation);
        }
        self.0.added.notify_one();
    }

    /// Waits until there is room for observations. Cancel-safe.
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let taken = self.0.taken.notified();
            if self.lock().len() < CAPACITY {
                return;
            }
            taken.await;
        }
    }

    /// Takes up to `count` devices, in any order.
    pub(crate) fn take(&self, count: usize) -> Vec<(String, Option<Observation>)> {
        let mut devices = self.lock();
        let dsns: Vec<String> = devices.keys().take(count).cloned().collect();
        let taken = dsns.into_iter().filter_map(|dsn| devices.remove_entry(&dsn)).collect();
        if !devices.is_empty() {
            self.0.added.notify_one();
        }
        self.0.taken.notify_waiters();
        taken
    }

    /// Puts back devices that could not be examined, unless there is something newer about them.
    pub(crate) fn put_back(&self, devices: Vec<(String, Option<Observation>)>) {
        for (dsn, observation) in devices {
            match observation {
                Some(observation) => self.observe(&dsn, observation),
                None => self.note(&dsn),
            }
        }
    }

    /// Waits until a device has been added. Cancel-safe.
    pub(crate) async fn wait(&self) {
        self.0.added.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Option<Observation>>> {
        self.0.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn read_at(second: i64) -> Observation {
        Observation { read_at: Timestamp::from_second(second).unwrap(), ..Observation::default() }
    }

    #[test]
    fn device_waits_once_with_its_newest_observation() {
        let queue = AttentionQueue::default();
        queue.note("A");
        queue.observe("A", read_at(2));
        queue.observe("A", read_at(1));
        queue.note("A");
        assert_eq!(queue.take(10), [("A".to_owned(), Some(read_at(2)))]);
        queue.observe("A", read_at(3));
        queue.put_back(vec![("A".to_owned(), Some(read_at(2))), ("B".to_owned(), None)]);
        let mut waiting = queue.take(10);
        waiting.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(waiting, [("A".to_owned(), Some(read_at(3))), ("B".to_owned(), None)]);
    }

    #[tokio::test]
    async fn observer_waits_for_room_until_devices_are_taken() {
        let queue = AttentionQueue::default();
        for number in 0..CAPACITY {
            queue.note(&number.to_string());
        }
        let observer = tokio::spawn({
            let queue = queue.clone();
            async move { queue.wait_for_room().await }
        });
        tokio::task::yield_now().await;
        assert!(!observer.is_finished());
        assert_eq!(queue.take(1).len(), 1);
        observer.await.unwrap();
        // The rest is announced again.
        queue.wait().await;
    }
}
