//! Values that the live stream reports and the index does not store.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio::sync::Notify;

/// The last values of each device, in memory: one entry for each device of the fleet. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamedValues(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    values: Mutex<Values>,
    added: Notify,
}

#[derive(Debug, Default)]
struct Values {
    lives: HashMap<String, CartridgeLife>,
    /// Devices whose cartridge life has changed since it was last taken.
    changed: HashSet<String>,
    /// Hashes, because only whether a schedule is another one matters.
    schedules: HashMap<String, u64>,
}

/// The running hours of a cartridge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CartridgeLife {
    pub(crate) at: Timestamp,
    pub(crate) hours: f64,
}

impl StreamedValues {
    /// Keeps the cartridge life of a device.
    pub(crate) fn set_life(&self, dsn: &str, life: CartridgeLife) {
        let mut values = self.lock();
        let before = values.lives.insert(dsn.to_owned(), life);
        if before.is_none_or(|before| before.hours.to_bits() != life.hours.to_bits()) {
            values.changed.insert(dsn.to_owned());
            self.0.added.notify_one();
        }
    }

    /// The last cartridge life of a device, if the stream has reported one.
    pub(crate) fn life(&self, dsn: &str) -> Option<CartridgeLife> {
        self.lock().lives.get(dsn).copied()
    }

    /// Keeps the schedule of a device, and returns whether it is another one than before.
    pub(crate) fn set_schedule(&self, dsn: &str, schedule: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        schedule.hash(&mut hasher);
        let hash = hasher.finish();
        self.lock().schedules.insert(dsn.to_owned(), hash) != Some(hash)
    }

    /// Waits until a cartridge life has changed. Cancel-safe.
    pub(crate) async fn wait(&self) {
        self.0.added.notified().await;
    }

    /// Takes up to `count` cartridge lives that have changed, in any order.
    pub(crate) fn take_changed(&self, count: usize) -> Vec<(String, f64)> {
        let mut values = self.lock();
        let dsns: Vec<String> = values.changed.iter().take(count).cloned().collect();
        for dsn in &dsns {
            values.changed.remove(dsn);
        }
        dsns.into_iter().filter_map(|dsn| values.lives.get(&dsn).map(|life| (dsn.clone(), life.hours))).collect()
    }

    /// Lets cartridge lives be taken again.
    pub(crate) fn put_back(&self, lives: Vec<(String, f64)>) {
        self.lock().changed.extend(lives.into_iter().map(|(dsn, _)| dsn));
        self.0.added.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(second: i64, hours: f64) -> CartridgeLife {
        CartridgeLife { at: Timestamp::from_second(second).unwrap(), hours }
    }

    #[tokio::test]
    async fn changed_life_is_taken_once() {
        let values = StreamedValues::default();
        values.set_life("A", life(1, 5.0));
        values.set_life("A", life(2, 6.0));
        values.wait().await;
        assert_eq!(values.take_changed(10), [("A".to_owned(), 6.0)]);
        values.set_life("A", life(3, 6.0));
        assert!(values.take_changed(10).is_empty(), "the same value");
        assert_eq!(values.life("A"), Some(life(3, 6.0)));
        values.put_back(vec![("A".to_owned(), 6.0)]);
        values.wait().await;
        assert_eq!(values.take_changed(10).len(), 1);
    }

    #[test]
    fn repeated_schedule_is_not_another_one() {
        let values = StreamedValues::default();
        for (dsn, schedule, is_other) in
            [("A", "1", true), ("A", "1", false), ("B", "1", true), ("A", "2", true), ("A", "1", true)]
        {
            assert_eq!(values.set_schedule(dsn, schedule), is_other, "{dsn} {schedule}");
        }
    }
}
