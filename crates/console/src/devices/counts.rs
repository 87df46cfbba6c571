//! Counts and selections of matching devices.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex as AsyncMutex;

use super::dto::{DeviceCounts, DeviceSelection};
use super::list_query::{self, ExcludeDsnParam, FilterParams};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::index::{self, Counts, DeviceFilter};
use crate::jobs::MAX_TARGETS;
use crate::policy::{self, Action, Actor, Scope, Target};
use crate::request::QueryPairs;

/// Maximum number of cached entries.
const MAX_ENTRIES: usize = 1000;
/// Maximum age of an entry: a change on another node may not reach this one.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(10);

/// Cached counts. When a list changes, all open pages request the same counts at once.
#[derive(Default)]
pub(crate) struct CountsCache(Mutex<HashMap<CountsKey, Arc<AsyncMutex<Option<CachedCounts>>>>>);

/// Scope and filter of the counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CountsKey {
    csp: Option<String>,
    filter: DeviceFilter,
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
    async fn get(
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

/// Counts matching devices by status, and those with a low level. `connectionstatus` is ignored in the counts by
/// status, and `maxremaining` in the count of low levels.
#[utoipa::path(
    get, path = "/api/devices/counts", tag = "devices",
    params(FilterParams, ExcludeDsnParam),
    responses((status = 200, description = "The counts", body = DeviceCounts), ApiError)
)]
pub(super) async fn count_devices(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<DeviceCounts>> {
    let now = state.base.clock.now();
    let filter = list_query::parse_filter(&query, now)?;
    let csp = match actor.scope() {
        Scope::Everything => None,
        Scope::Csp(csp) => Some(csp.to_owned()),
        Scope::Nothing => return Ok(Json(Counts::default().into())),
    };
    let key = CountsKey { csp, filter: filter.clone() };
    let version = || state.hub.lists_version();
    let read = async || {
        require_index(&state).await?;
        Ok(index::counts(&state.base.db, &actor, &filter).await?)
    };
    let counts = state.counts.get(key, now, version, read).await?;
    Ok(Json(counts.into()))
}

/// Returns the DSNs of all matching devices, for bulk edit and copy. Requires permission to edit devices.
#[utoipa::path(
    get, path = "/api/devices/selection", tag = "devices",
    params(FilterParams, ExcludeDsnParam),
    responses(
        (status = 200, description = "The devices; 422 on `dsns` if there are more than a job can have", body = DeviceSelection),
        ApiError,
    )
)]
pub(super) async fn select_devices(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<DeviceSelection>> {
    policy::can(&actor, Action::Edit, Target::Devices).require()?;
    let filter = list_query::parse_filter(&query, state.base.clock.now())?;
    require_index(&state).await?;
    let (dsns, total) = index::select(&state.base.db, &actor, &filter, MAX_TARGETS as u64).await?;
    if total > MAX_TARGETS as u64 {
        let refusal = format!("{total} devices match, and at most {MAX_TARGETS} can be selected at once");
        return Err(ApiError::invalid("dsns", refusal));
    }
    Ok(Json(DeviceSelection { dsns, total }))
}

/// An index that is still being filled lacks devices, and the response would not show it.
async fn require_index(state: &CoreState) -> ApiResult<()> {
    index::as_of(&state.base.db).await?.map(|_| ()).ok_or(ApiError::NotReady)
}

impl From<Counts> for DeviceCounts {
    fn from(counts: Counts) -> Self {
        let Counts { online, offline, never_connected, low } = counts;
        Self { all: online + offline + never_connected, online, offline, never_connected, low }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

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
