//! Devices whose stored level is outdated, as passes find them.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use devicecloud::Dsn;
use tokio::sync::Notify;

/// Maximum number of devices. A page with further ones is not remembered, so that the next pass finds them again.
const CAPACITY: usize = 20_000;

/// A queue of devices, each at most once. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct DueLevels(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    added: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    order: VecDeque<Dsn>,
    known: HashSet<Dsn>,
}

impl DueLevels {
    /// Adds a device at the end, unless it waits already. Returns false if the queue is full.
    pub(crate) fn add(&self, dsn: &Dsn) -> bool {
        let mut queue = self.lock();
        if queue.known.contains(dsn) {
            return true;
        }
        if queue.order.len() >= CAPACITY {
            return false;
        }
        queue.known.insert(dsn.clone());
        queue.order.push_back(dsn.clone());
        self.0.added.notify_one();
        true
    }

    /// Waits for the next device. Cancel-safe.
    pub(crate) async fn next(&self) -> Dsn {
        loop {
            if let Some(dsn) = self.take() {
                return dsn;
            }
            self.0.added.notified().await;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().order.len()
    }

    fn take(&self) -> Option<Dsn> {
        let mut queue = self.lock();
        let dsn = queue.order.pop_front()?;
        queue.known.remove(&dsn);
        Some(dsn)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn failing_device_is_retried_after_all_others() {
        let due = DueLevels::default();
        for dsn in ["A", "B", "A", "C"] {
            assert!(due.add(&dsn.into()));
        }
        let mut turns = Vec::new();
        for _ in 0..4 {
            let dsn = due.next().await;
            turns.push(dsn.as_str().to_owned());
            if dsn.as_str() == "A" {
                due.add(&dsn);
            }
        }
        assert_eq!(turns, ["A", "B", "C", "A"]);
        assert_eq!(due.len(), 1);
    }

    #[test]
    fn number_of_waiting_devices_is_bounded() {
        let due = DueLevels::default();
        for number in 0..CAPACITY {
            assert!(due.add(&number.to_string().as_str().into()));
        }
        assert!(!due.add(&"one more".into()));
        assert!(due.add(&"0".into()), "it waits already");
        assert_eq!(due.len(), CAPACITY);
    }

    #[tokio::test]
    async fn added_device_wakes_the_waiting_job() {
        let due = DueLevels::default();
        let job = tokio::spawn({
            let due = due.clone();
            async move { due.next().await }
        });
        tokio::task::yield_now().await;
        due.add(&"A".into());
        assert_eq!(job.await.unwrap(), "A".into());
    }
}
