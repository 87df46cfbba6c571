//! Devices whose forecasts are outdated, as passes find them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use devicecloud::Dsn;
use jiff::Timestamp;
use tokio::sync::Notify;

use super::DeviceFacts;

/// Maximum number of devices. A page with further ones is not remembered, so that the next pass finds them again.
const CAPACITY: usize = 20_000;

/// A queue of facts, and what was last queued of each device. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct DueForecasts(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    added: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    facts: VecDeque<DeviceFacts>,
    /// One entry for each device of the fleet, as in the memory of the passes.
    known: HashMap<Dsn, KnownFacts>,
}

#[derive(Clone, Copy, Debug)]
struct KnownFacts {
    fingerprint: u64,
    read_at: Timestamp,
}

impl DueForecasts {
    /// Adds a device at the end if its facts have changed, unless newer ones are known. Returns false if the queue is full.
    pub(crate) fn add(&self, facts: DeviceFacts) -> bool {
        let next = KnownFacts { fingerprint: facts.fingerprint(), read_at: facts.read_at };
        let mut queue = self.lock();
        if let Some(known) = queue.known.get_mut(&facts.dsn) {
            if known.read_at > next.read_at {
                return true;
            }
            known.read_at = next.read_at;
            if known.fingerprint == next.fingerprint {
                return true;
            }
        }
        if queue.facts.len() >= CAPACITY {
            return false;
        }
        queue.known.insert(facts.dsn.clone(), next);
        queue.facts.push_back(facts);
        self.0.added.notify_one();
        true
    }

    /// Takes up to `count` devices that have waited longest.
    pub(super) fn take(&self, count: usize) -> Vec<DeviceFacts> {
        let mut queue = self.lock();
        let count = count.min(queue.facts.len());
        queue.facts.drain(..count).collect()
    }

    /// Lets the next pass add the device again.
    pub(super) fn forget(&self, dsn: &Dsn) {
        self.lock().known.remove(dsn);
    }

    /// Waits until a device has been added. Cancel-safe.
    pub(super) async fn wait(&self) {
        self.0.added.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
