//! Counts recently refused connections, so that a wrong key in a loop causes neither database queries nor log lines.
//!
//! The dsn is barred together with the key that was sent. Nobody can bar a device with the right key, neither by
//! sending its dsn with wrong keys nor from the same address (the router of a shop chain).

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use platform::run::rate_limit::network;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::rate::LeakyBucket;
use crate::config::LinkRate;

/// Refusals of a credential before it is barred.
const CREDENTIAL_RATE: LinkRate = LinkRate { burst: 20, each: Duration::from_secs(10) };
/// Refusals of an address, with any dsn, before they are no longer logged and its sign-ins wait in turn.
const ADDRESS_RATE: LinkRate = LinkRate { burst: 100, each: Duration::from_secs(1) };
/// Maximum number of entries of each map.
const MAX_ENTRIES: usize = 10_000;

/// A hash of a dsn and the key sent with it, right or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CredentialDigest([u8; 32]);

impl CredentialDigest {
    pub(super) fn of(dsn: &str, key: &str) -> Self {
        Self(Sha256::new().chain_update(dsn).chain_update([0]).chain_update(key).finalize().into())
    }
}

/// What a connection sent to sign in. The dsn is safe to log.
#[derive(Clone, Debug)]
pub(super) struct Claimed {
    pub(super) dsn: String,
    pub(super) credential: CredentialDigest,
}

/// The refusals of a gateway.
#[derive(Debug)]
pub(super) struct Refusals {
    credentials: KeyedBuckets<CredentialDigest>,
    addresses: KeyedBuckets<IpAddr>,
}

impl Refusals {
    pub(super) fn new() -> Self {
        Self { credentials: KeyedBuckets::new(CREDENTIAL_RATE), addresses: KeyedBuckets::new(ADDRESS_RATE) }
    }

    /// Whether sign-ins with this credential are rejected without a check.
    pub(super) fn is_barred(&self, credential: &CredentialDigest) -> bool {
        self.credentials.is_full(credential)
    }

    /// Whether this address is refused constantly, with one dsn or many.
    pub(super) fn is_suspect(&self, from: IpAddr) -> bool {
        self.addresses.is_full(&network(from))
    }

    /// Counts a refusal. Returns whether to log it.
    pub(super) fn count(&self, from: IpAddr, credential: Option<CredentialDigest>) -> bool {
        // Refusals of a barred credential do not count against its address, which other devices may share.
        credential.is_none_or(|credential| self.credentials.count(credential)) && self.addresses.count(network(from))
    }
}

/// Rate limits by key.
#[derive(Debug)]
struct KeyedBuckets<K> {
    rate: LinkRate,
    buckets: Mutex<HashMap<K, LeakyBucket>>,
}

impl<K: Eq + Hash> KeyedBuckets<K> {
    fn new(rate: LinkRate) -> Self {
        Self { rate, buckets: Mutex::default() }
    }

    fn is_full(&self, key: &K) -> bool {
        self.lock().get(key).is_some_and(|bucket| bucket.is_full(self.rate, Instant::now()))
    }

    fn count(&self, key: K) -> bool {
        let now = Instant::now();
        let mut buckets = self.lock();
        if buckets.len() >= MAX_ENTRIES && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| !bucket.is_empty(now));
            // Still full: clearing the map only gives each entry another burst.
            if buckets.len() >= MAX_ENTRIES {
                buckets.clear();
            }
        }
        buckets.entry(key).or_insert(LeakyBucket::empty(now)).take(self.rate, now)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, LeakyBucket>> {
        self.buckets.lock().expect("no holder of this lock can panic")
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SHOP: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const ELSEWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn credential(dsn: &str) -> CredentialDigest {
        CredentialDigest::of(dsn, "key")
    }

    #[tokio::test(start_paused = true)]
    async fn repeatedly_refused_claim_is_barred_alone_and_temporarily() {
        let refusals = Refusals::new();
        for _ in 0..CREDENTIAL_RATE.burst {
            assert!(!refusals.is_barred(&credential("SL0001")));
            assert!(refusals.count(SHOP, Some(credential("SL0001"))));
        }
        assert!(refusals.is_barred(&credential("SL0001")));
        assert!(!refusals.is_barred(&credential("SL0002")));
        assert!(!refusals.is_barred(&CredentialDigest::of("SL0001", "another key")));
        assert!(!refusals.is_barred(&CredentialDigest::of("SL0001\0", "key")));
        for _ in 0..ADDRESS_RATE.burst {
            assert!(!refusals.count(ELSEWHERE, Some(credential("SL0001"))), "no further log line");
        }
        assert!(!refusals.is_suspect(SHOP) && !refusals.is_suspect(ELSEWHERE));
        advance(CREDENTIAL_RATE.each).await;
        assert!(!refusals.is_barred(&credential("SL0001")));
    }

    #[tokio::test(start_paused = true)]
    async fn address_refused_with_many_claims_is_suspect_and_not_logged() {
        let refusals = Refusals::new();
        for n in 0..ADDRESS_RATE.burst {
            assert!(refusals.count(SHOP, Some(credential(&format!("SL{n}")))));
        }
        assert!(refusals.is_suspect(SHOP));
        assert!(!refusals.count(SHOP, Some(credential("SL9999"))));
        assert!(!refusals.count(SHOP, None));
        assert!(!refusals.is_barred(&credential("SL0001")), "a right key is still checked");
        assert!(!refusals.is_suspect(ELSEWHERE));
        advance(ADDRESS_RATE.each).await;
        assert!(!refusals.is_suspect(SHOP));
    }

    #[tokio::test(start_paused = true)]
    async fn oldest_refusals_are_forgotten_first_when_memory_is_full() {
        let refusals = Refusals::new();
        refusals.count(SHOP, Some(credential("OLD")));
        advance(CREDENTIAL_RATE.each).await;
        for n in 1..MAX_ENTRIES {
            refusals.count(SHOP, Some(credential(&format!("SL{n}"))));
        }
        refusals.count(SHOP, Some(credential("NEW")));
        assert_eq!(refusals.credentials.lock().len(), MAX_ENTRIES);
        refusals.count(SHOP, Some(credential("NEWER")));
        assert_eq!(refusals.credentials.lock().len(), 1);
    }
}
