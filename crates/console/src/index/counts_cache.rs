//! Cached counts of devices.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex as AsyncMutex;

use super::{Counts, DeviceFilter};
use crate::error::ApiResult;

/// Maximum number of cached entries.
const MAX_ENTRIES: usize = 1000;
/// Maximum age of an entry: a change on another node may not reach this one.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(10);

/// Cached counts. When a list changes, all open pages request the same counts at once.
#[derive(Default)]
pub(crate) struct CountsCache(Mutex<HashMap<CountsKey, Arc<AsyncMutex<Option<CachedCounts>>>>>);

/// Scope and filter of the counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CountsKey {
    pub(crate) csp: Option<String>,
    pub(crate) filter: DeviceFilter,
}

#[derive(Clone, Copy)]
struct CachedCounts {
    counts: Counts,
    /// The lists' version before the read.
    version: u64,
    at: Timestamp,
}

impl CountsCache {
    /// Returns cached counts that are still valid at `now`, or reads them once for all concurrent callers. `version`
    /// increases whenever a list may have changed.
    pub(crate) async fn get(
        &self,
        key: CountsKey,
        now: Timestamp,
        version: impl Fn() -> u64,
        read: impl AsyncFnOnce() -> ApiResult<Counts>,
    ) -> ApiResult<Counts> {
        let slot = self.slot(key);
        let mut cached = slot.lock().await;
        let version = version();
        if let Some(cached) = *cached
            && cached.version == version
            && now.duration_since(cached.at) < MAX_AGE
        {
            return Ok(cached.counts);
        }
        let counts = read().await?;
        *cached = Some(CachedCounts { counts, version, at: now });
        Ok(counts)
    }

    fn slot(&self, key: CountsKey) -> Arc<AsyncMutex<Option<CachedCounts>>> {
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
    use crate::error::ApiError;

    const NOON: &str = "2026-11-20T12:00:00Z";

    fn about(csp: usize) -> CountsKey {
        CountsKey { csp: Some(csp.to_string()), filter: DeviceFilter::default() }
    }

    /// Counts the reads and returns their number.
    #[derive(Default)]
    struct Reads {
        memory: CountsCache,
        version: AtomicU64,
        read: AtomicU64,
    }

    impl Reads {
        async fn get(&self, key: CountsKey, now: Timestamp) -> u64 {
            let read = async || {
                tokio::task::yield_now().await;
                Ok(Counts { low: self.read.fetch_add(1, Ordering::Relaxed) + 1, ..Counts::default() })
            };
            let version = || self.version.load(Ordering::Relaxed);
            self.memory.get(key, now, version, read).await.unwrap().low
        }
    }

    #[tokio::test]
    async fn concurrent_requests_share_one_read() {
        let (reads, now) = (Reads::default(), NOON.parse().unwrap());
        let all = futures::future::join_all((0..1000).map(|_| reads.get(about(1), now))).await;
        assert!(all.into_iter().all(|reading| reading == 1));
        assert_eq!(reads.get(about(2), now).await, 2, "another key");
        reads.version.fetch_add(1, Ordering::Relaxed);
        assert_eq!(reads.get(about(1), now).await, 3, "a list changed");
        assert_eq!(reads.get(about(1), now).await, 3);
        assert_eq!(reads.get(about(1), now + MAX_AGE).await, 4, "the entry is too old");
    }

    #[tokio::test]
    async fn failed_read_is_not_cached() {
        let (reads, now) = (Reads::default(), NOON.parse().unwrap());
        let fails = async || Err(ApiError::NotReady);
        assert!(reads.memory.get(about(1), now, || 0, fails).await.is_err());
        assert_eq!(reads.get(about(1), now).await, 1);
    }

    #[tokio::test]
    async fn cache_size_is_bounded() {
        let (reads, now) = (Reads::default(), NOON.parse().unwrap());
        for csp in 0..=MAX_ENTRIES {
            reads.get(about(csp), now).await;
        }
        assert!(reads.memory.0.lock().unwrap().len() <= MAX_ENTRIES);
    }
}
