//! Shares reads that many open pages request at once, without returning anything older than the request.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Mutex as AsyncMutex;

/// Reads by key. At most one read of a key runs at a time; all callers who came before it began get its value.
pub(crate) struct SharedReads<K: Eq + Hash, V> {
    slots: Mutex<HashMap<K, Awaited<V>>>,
    /// Orders the arrivals of callers and the beginnings of reads.
    order: AtomicU64,
}

/// A slot exists as long as somebody waits.
struct Awaited<V> {
    slot: Arc<Slot<V>>,
    waiters: usize,
}

/// Locked while it is read.
type Slot<V> = AsyncMutex<Option<LastRead<V>>>;

struct LastRead<V> {
    began: u64,
    /// `None` if the read failed.
    value: Option<V>,
}

/// A caller. Removes the slot with the last one.
struct Waiter<'a, K: Eq + Hash, V> {
    reads: &'a SharedReads<K, V>,
    key: K,
    slot: Arc<Slot<V>>,
}

impl<K: Eq + Hash, V> Default for SharedReads<K, V> {
    fn default() -> Self {
        Self { slots: Mutex::default(), order: AtomicU64::default() }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> SharedReads<K, V> {
    /// Returns the value of a read that begins after this call, by this caller or another one.
    ///
    /// # Errors
    /// As `read`. If another caller's read fails, this one reads again.
    pub(crate) async fn get<E, F>(&self, key: K, read: impl Fn() -> F) -> Result<V, E>
    where
        F: Future<Output = Result<V, E>>,
    {
        let waiter = self.enter(key);
        let arrived = self.next();
        {
            let mut last = waiter.slot.lock().await;
            match &*last {
                Some(LastRead { began, value }) if *began > arrived => {
                    if let Some(value) = value {
                        return Ok(value.clone());
                    }
                }
                _ => {
                    let began = self.next();
                    let result = read().await;
                    *last = Some(LastRead { began, value: result.as_ref().ok().cloned() });
                    return result;
                }
            }
        }
        // Not in turns: if the database is unreachable, each read takes long to fail.
        read().await
    }

    fn enter(&self, key: K) -> Waiter<'_, K, V> {
        let mut slots = self.slots();
        let awaited = slots.entry(key.clone()).or_insert_with(|| Awaited { slot: Arc::default(), waiters: 0 });
        awaited.waiters += 1;
        Waiter { reads: self, key, slot: Arc::clone(&awaited.slot) }
    }
}

impl<K: Eq + Hash, V> SharedReads<K, V> {
    fn next(&self) -> u64 {
        self.order.fetch_add(1, Ordering::Relaxed)
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<K, Awaited<V>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash, V> Drop for Waiter<'_, K, V> {
    fn drop(&mut self) {
        let mut slots = self.reads.slots();
        let Some(awaited) = slots.get_mut(&self.key) else { return };
        awaited.waiters -= 1;
        if awaited.waiters == 0 {
            slots.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// Counts the reads, each of which needs a permit. A read returns its number, or fails if that is in `failures`.
    struct Reads {
        shared: SharedReads<&'static str, u64>,
        permits: Semaphore,
        begun: AtomicU64,
        failures: Vec<u64>,
    }

    impl Reads {
        fn new(failures: &[u64]) -> Self {
            let (shared, permits, begun) = (SharedReads::default(), Semaphore::new(0), AtomicU64::new(0));
            Self { shared, permits, begun, failures: failures.to_vec() }
        }

        async fn get(&self, key: &'static str) -> Result<u64, u64> {
            let read = || async {
                let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
                self.permits.acquire().await.unwrap().forget();
                if self.failures.contains(&number) { Err(number) } else { Ok(number) }
            };
            self.shared.get(key, read).await
        }

        fn begun(&self) -> u64 {
            self.begun.load(Ordering::Relaxed)
        }
    }

    #[tokio::test]
    async fn callers_share_the_next_read_and_none_that_began_before() {
        let reads = Reads::new(&[]);
        let mut first = Box::pin(reads.get("a"));
        assert!(first.as_mut().now_or_never().is_none());
        let mut later: Vec<_> = (0..1000).map(|_| Box::pin(reads.get("a"))).collect();
        assert!(later.iter_mut().all(|caller| caller.as_mut().now_or_never().is_none()));
        assert_eq!(reads.begun(), 1, "one read at a time");
        reads.permits.add_permits(2);
        assert_eq!(first.await, Ok(1));
        assert!(join_all(later).await.into_iter().all(|value| value == Ok(2)));
        reads.permits.add_permits(1);
        assert_eq!(reads.get("a").await, Ok(3), "nothing is kept");
        assert!(reads.shared.slots().is_empty());
    }

    #[tokio::test]
    async fn other_keys_are_read_at_the_same_time() {
        let reads = Reads::new(&[]);
        let mut callers = ["a", "b"].map(|key| Box::pin(reads.get(key)));
        assert!(callers.iter_mut().all(|caller| caller.as_mut().now_or_never().is_none()));
        assert_eq!(reads.begun(), 2);
    }

    #[tokio::test]
    async fn callers_of_a_failed_read_read_again_at_the_same_time() {
        let reads = Reads::new(&[1, 2]);
        let mut callers: Vec<_> = (0..4).map(|_| Box::pin(reads.get("a"))).collect();
        assert!(callers.iter_mut().all(|caller| caller.as_mut().now_or_never().is_none()));
        reads.permits.add_permits(2);
        let failed: Vec<_> =
            callers.iter_mut().filter_map(|caller| caller.as_mut().now_or_never()).map(Result::unwrap_err).collect();
        assert_eq!(failed, [1, 2]);
        assert_eq!(reads.begun(), 4, "nobody waits for another failure");
        reads.permits.add_permits(2);
        let values: Vec<_> = join_all(callers.split_off(2)).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(values, [3, 4]);
    }

    #[tokio::test]
    async fn read_of_a_caller_who_goes_away_is_taken_over() {
        let reads = Reads::new(&[]);
        let mut first = Box::pin(reads.get("a"));
        let mut second = Box::pin(reads.get("a"));
        assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
        drop(first);
        reads.permits.add_permits(1);
        assert_eq!(second.await, Ok(2));
        assert!(reads.shared.slots().is_empty());
    }
}
