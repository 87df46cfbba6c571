//! Devices to read again: their stored level is outdated, or only the cloud has what changed.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use devicecloud::Dsn;
use tokio::sync::Notify;

/// Maximum number of devices with an outdated level. A page with further ones is not remembered, so that the next pass finds them
/// again.
const MAX_LEVELS: usize = 20_000;
/// Maximum number of urgent devices: what is read within a minute. The next pass reads further ones sooner.
const MAX_URGENT: usize = 2_000;

/// A queue of devices. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct DueReads(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queues: Mutex<Queues>,
    added: Notify,
}

#[derive(Debug, Default)]
struct Queues {
    urgent: Queue,
    levels: Queue,
}

/// Devices in their order, each at most once.
#[derive(Debug, Default)]
struct Queue {
    order: VecDeque<Dsn>,
    known: HashSet<Dsn>,
}

impl DueReads {
    /// Adds a device with an outdated level at the end, unless it waits already. Returns false if the queue is full.
    pub(crate) fn add(&self, dsn: &Dsn) -> bool {
        self.push(dsn, |queues| (&mut queues.levels, MAX_LEVELS))
    }

    /// Adds a device that has just changed before all with outdated levels. Returns false if too many wait.
    pub(crate) fn add_urgent(&self, dsn: &Dsn) -> bool {
        self.push(dsn, |queues| (&mut queues.urgent, MAX_URGENT))
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
        let queues = self.lock();
        queues.urgent.order.len() + queues.levels.order.len()
    }

    fn push(&self, dsn: &Dsn, queue: impl FnOnce(&mut Queues) -> (&mut Queue, usize)) -> bool {
        let mut queues = self.lock();
        let (queue, capacity) = queue(&mut queues);
        let added = queue.push(dsn, capacity);
        if added {
            self.0.added.notify_one();
        }
        added
    }

    pub(crate) fn take(&self) -> Option<Dsn> {
        let mut queues = self.lock();
        queues.urgent.pop().or_else(|| queues.levels.pop())
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.0.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn push(&mut self, dsn: &Dsn, capacity: usize) -> bool {
        if self.known.contains(dsn) {
            return true;
        }
        if self.order.len() >= capacity {
            return false;
        }
        self.known.insert(dsn.clone());
        self.order.push_back(dsn.clone());
        true
    }

    fn pop(&mut self) -> Option<Dsn> {
        let dsn = self.order.pop_front()?;
        self.known.remove(&dsn);
        Some(dsn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn failing_device_is_retried_after_all_others() {
        let due = DueReads::default();
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

    #[tokio::test]
    async fn changed_device_is_read_before_those_with_outdated_levels() {
        let due = DueReads::default();
        due.add(&"A".into());
        due.add(&"B".into());
        due.add_urgent(&"B".into());
        for dsn in ["B", "A", "B"] {
            assert_eq!(due.next().await, dsn.into());
        }
    }

    #[test]
    fn number_of_waiting_devices_is_bounded() {
        let due = DueReads::default();
        for number in 0..MAX_LEVELS {
            assert!(due.add(&number.to_string().as_str().into()));
        }
        assert!(!due.add(&"one more".into()));
        assert!(due.add(&"0".into()), "it waits already");
        for number in 0..MAX_URGENT {
            assert!(due.add_urgent(&number.to_string().as_str().into()));
        }
        assert!(!due.add_urgent(&"one more".into()));
        assert_eq!(due.len(), MAX_LEVELS + MAX_URGENT);
    }

    #[tokio::test]
    async fn added_device_wakes_the_waiting_job() {
        let due = DueReads::default();
        let job = tokio::spawn({
            let due = due.clone();
            async move { due.next().await }
        });
        tokio::task::yield_now().await;
        due.add(&"A".into());
        assert_eq!(job.await.unwrap(), "A".into());
    }
}
