//! How often somebody may try to sign in: per address, and per account wherever the attempts come from.

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock as _, Reference as _};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use platform::clock::Clock;
use sha2::{Digest, Sha256};

use crate::error::{ApiError, ApiResult};

/// Forget the keys whose quota is full again when there are more than this.
const TIDY_ABOVE: usize = 10_000;

/// Attempts a minute; as many at once.
#[derive(Clone, Copy, Debug)]
pub struct SignInLimits {
    /// From one address.
    pub per_address: NonZeroU32,
    /// For one account.
    pub per_account: NonZeroU32,
}

impl Default for SignInLimits {
    fn default() -> Self {
        let limit = |attempts| NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN);
        Self { per_address: limit(60), per_account: limit(10) }
    }
}

/// Counts attempts. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SignInLimiter {
    addresses: Arc<Limiter<IpAddr>>,
    /// By SHA-256 of the e-mail address in lower case: a table of addresses is nothing to have in memory.
    accounts: Arc<Limiter<[u8; 32]>>,
    clock: Ticks,
}

type Limiter<K> = RateLimiter<K, HashMapStateStore<K>, Ticks, NoOpMiddleware<Nanos>>;

/// The platform's clock, as the limiter wants it.
#[derive(Clone)]
struct Ticks(Clock);

impl governor::clock::Clock for Ticks {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::from(u64::try_from(self.0.now().as_nanosecond()).unwrap_or(0))
    }
}

impl SignInLimiter {
    pub(crate) fn new(limits: SignInLimits, clock: Clock) -> Self {
        let clock = Ticks(clock);
        Self {
            addresses: Arc::new(limiter(limits.per_address, &clock)),
            accounts: Arc::new(limiter(limits.per_account, &clock)),
            clock,
        }
    }

    /// Counts an attempt.
    ///
    /// # Errors
    /// 429 with the seconds until the next attempt counts.
    pub(crate) fn check(&self, address: IpAddr, email: &str) -> ApiResult<()> {
        let account = Sha256::digest(email.to_lowercase()).into();
        self.check_key(&self.addresses, &address)?;
        self.check_key(&self.accounts, &account)
    }

    fn check_key<K: Clone + Eq + Hash>(&self, limiter: &Limiter<K>, key: &K) -> ApiResult<()> {
        if limiter.len() > TIDY_ABOVE {
            limiter.retain_recent();
        }
        limiter.check_key(key).map_err(|full| {
            let wait = full.earliest_possible().duration_since(self.clock.now());
            ApiError::TooManyRequests { retry_after_secs: Duration::from(wait).as_secs() + 1 }
        })
    }
}

fn limiter<K: Clone + Eq + Hash>(per_minute: NonZeroU32, clock: &Ticks) -> Limiter<K> {
    RateLimiter::new(Quota::per_minute(per_minute), HashMapStateStore::default(), clock.clone())
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn limiter(per_address: u32, per_account: u32) -> (SignInLimiter, Clock) {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let number = |attempts| NonZeroU32::new(attempts).unwrap();
        let limits = SignInLimits { per_address: number(per_address), per_account: number(per_account) };
        (SignInLimiter::new(limits, clock.clone()), clock)
    }

    fn retry_after(outcome: ApiResult<()>) -> u64 {
        match outcome {
            Err(ApiError::TooManyRequests { retry_after_secs }) => retry_after_secs,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_account_is_limited_in_any_spelling_and_free_again_after_the_wait() {
        let (limiter, clock) = limiter(100, 2);
        limiter.check(HOME, "a@example.com").unwrap();
        limiter.check(HOME, "A@Example.com").unwrap();
        let wait = retry_after(limiter.check(HOME, "a@example.com"));
        assert!((1..=31).contains(&wait), "{wait}");
        limiter.check(HOME, "b@example.com").unwrap();
        clock.advance(SignedDuration::from_secs(i64::try_from(wait).unwrap()));
        limiter.check(HOME, "a@example.com").unwrap();
    }

    #[test]
    fn an_address_is_limited_over_all_accounts() {
        let (limiter, _) = limiter(2, 100);
        limiter.check(HOME, "a@example.com").unwrap();
        limiter.check(HOME, "b@example.com").unwrap();
        retry_after(limiter.check(HOME, "c@example.com"));
        limiter.check("192.0.2.7".parse().unwrap(), "c@example.com").unwrap();
    }
}
