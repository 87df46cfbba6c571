//! A cache for reads that many open pages request at once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex as AsyncMutex;

use crate::http::error::ApiResult;

/// Maximum number of cached entries.
const MAX_ENTRIES: usize = 1000;
/// Maximum age of an entry: a change on another node may not reach this one.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(10);

/// Cached reads by scope and filter. When something changes, all open pages request the same at once.
pub(crate) struct ReadCache<K, V>(Mutex<HashMap<K, Slot<V>>>);

/// Locked while it is read.
type Slot<V> = Arc<AsyncMutex<Option<CachedRead<V>>>>;

#[derive(Clone, Copy)]
struct CachedRead<V> {
    value: V,
    /// The version before the read.
    version: u64,
    at: Timestamp,
}

impl<K, V> Default for ReadCache<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Copy> ReadCache<K, V> {
    /// Returns a cached value that is still valid at `now`, or reads it once for all concurrent callers. `version` increases
    /// whenever the value may have changed.
    pub(crate) async fn get(
        &self,
        key: K,
        now: Timestamp,
        version: impl Fn() -> u64,
        read: impl AsyncFnOnce() -> ApiResult<V>,
    ) -> ApiResult<V> {
        let slot = self.slot(key);
        let mut cached = slot.lock().await;
        let version = version();
        if let Some(cached) = *cached
            && cached.version == version
            && now.duration_since(cached.at) < MAX_AGE
        {
            return Ok(cached.value);
        }
        let value = read().await?;
        *cached = Some(CachedRead { value, version, at: now });
        Ok(value)
    }

    fn slot(&self, key: K) -> Slot<V> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= MAX_ENTRIES && !slots.contains_key(&key) {
            slots.clear();
        }
        Arc::clone(slots.entry(key).or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::http::error::ApiError;

    const NOON: &str = "2026-11-20T12:00:00Z";

    /// Counts the reads and returns their number.
    #[derive(Default)]
    struct Reads {
        cache: ReadCache<usize, u64>,
        version: AtomicU64,
        read: AtomicU64,
    }

    impl Reads {
        async fn get(&self, key: usize, now: Timestamp) -> u64 {
            let read = async || {
                tokio::task::yield_now().await;
                Ok(self.read.fetch_add(1, Ordering::Relaxed) + 1)
            };
            let version = || self.version.load(Ordering::Relaxed);
            self.cache.get(key, now, version, read).await.unwrap()
        }
    }

    #[tokio::test]
    async fn concurrent_requests_share_one_read() {
        let (reads, now) = (Reads::default(), NOON.parse().unwrap());
        let all = futures::future::join_all((0..1000).map(|_| reads.get(1, now))).await;
        assert!(all.into_iter().all(|reading| reading == 1));
        assert_eq!(reads.get(2, now).await, 2, "another key");
        reads.version.fetch_add(1, Ordering::Relaxed);
        assert_eq!(reads.get(1, now).await, 3, "something changed");
        assert_eq!(reads.get(1, now).await, 3);
        assert_eq!(reads.get(1, now + MAX_AGE).await, 4, "the entry is too old");
    }

    #[tokio::test]
    async fn failed_read_is_not_cached() {
        let (reads, now) = (Reads::default(), NOON.parse().unwrap());
        let fails = async || Err(ApiError::NotReady);
        assert!(reads.cache.get(1, now, || 0, fails).await.is_err());
        assert_eq!(reads.get(1, now).await, 1);
    }

    #[tokio::test]
    async fn cache_size_is_bounded() {
        let (reads, now) = (Reads::default(), NOON.parse().unwrap());
        for csp in 0..=MAX_ENTRIES {
            reads.get(csp, now).await;
        }
        assert!(reads.cache.0.lock().unwrap().len() <= MAX_ENTRIES);
    }
}
