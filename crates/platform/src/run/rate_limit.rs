//! Rate limits per key, such as an account or an address.

use std::fmt;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, Reference as _};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter as Governor};

use super::clock::Clock;

/// Keys with a full quota are removed above this number.
const PRUNE_ABOVE: usize = 10_000;

/// A number of attempts per period, all of which may happen together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(Quota);

/// Counts attempts by key.
pub struct RateLimiter<K: Clone + Eq + Hash> {
    governor: Governor<K, HashMapStateStore<K>, GovernorClock, NoOpMiddleware<Nanos>>,
    burst: NonZeroU32,
    clock: GovernorClock,
}

/// A limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many attempts; the next one is possible in {wait:?}")]
pub struct LimitReached {
    /// The time until the same attempt is possible.
    pub wait: Duration,
}

/// Adapts the platform's clock to `governor`.
#[derive(Clone)]
struct GovernorClock(Clock);

impl governor::clock::Clock for GovernorClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::from(u64::try_from(self.0.now().as_nanosecond()).unwrap_or(0))
    }
}

impl Rate {
    /// At least one attempt a second.
    #[must_use]
    pub fn per_second(attempts: u32) -> Self {
        Self(Quota::per_second(NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN)))
    }

    /// At least one attempt a minute.
    #[must_use]
    pub fn per_minute(attempts: u32) -> Self {
        Self(Quota::per_minute(NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN)))
    }

    /// At least one attempt an hour.
    #[must_use]
    pub fn per_hour(attempts: u32) -> Self {
        Self(Quota::per_hour(NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN)))
    }

    /// This many times the rate.
    #[must_use]
    pub fn times(self, factor: u32) -> Self {
        let factor = NonZeroU32::new(factor).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(self.0.replenish_interval() / factor.get()).unwrap_or(self.0);
        Self(quota.allow_burst(self.0.burst_size().saturating_mul(factor)))
    }

    /// The same rate, of which this many attempts, at least one, may happen together.
    #[must_use]
    pub fn with_burst(self, attempts: u32) -> Self {
        Self(self.0.allow_burst(NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN)))
    }
}

impl<K: Clone + Eq + Hash> RateLimiter<K> {
    /// A limiter that has counted nothing yet.
    #[must_use]
    pub fn new(rate: Rate, clock: &Clock) -> Self {
        let clock = GovernorClock(clock.clone());
        let governor = Governor::new(rate.0, HashMapStateStore::default(), clock.clone());
        Self { governor, burst: rate.0.burst_size(), clock }
    }

    /// Counts an attempt.
    ///
    /// # Errors
    /// [`LimitReached`]; the attempt is not counted then.
    pub fn check(&self, key: &K) -> Result<(), LimitReached> {
        self.check_many(key, 1)
    }

    /// Counts this many attempts as one. More than fit into a burst count as a burst.
    ///
    /// # Errors
    /// [`LimitReached`]; none of them is counted then.
    pub fn check_many(&self, key: &K, attempts: u32) -> Result<(), LimitReached> {
        if self.governor.len() > PRUNE_ABOVE {
            self.governor.retain_recent();
        }
        let Some(attempts) = NonZeroU32::new(attempts) else { return Ok(()) };
        let Ok(checked) = self.governor.check_key_n(key, attempts.min(self.burst)) else { return Ok(()) };
        checked.map_err(|full| LimitReached { wait: full.earliest_possible().duration_since(self.clock.now()).into() })
    }
}

impl<K: Clone + Eq + Hash> fmt::Debug for RateLimiter<K> {
    /// Without keys, which can be addresses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter").finish_non_exhaustive()
    }
}

/// The unit of limits by address: a subscriber of an IPv6 network can use any address of a /64.
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// The /48 of an IPv6 address: a customer of a hosting company can use any of its networks.
#[must_use]
pub fn site(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn clock() -> Clock {
        Clock::mock("2026-11-20T12:00:00Z".parse().unwrap())
    }

    #[test]
    fn each_key_has_a_separate_limit_that_recovers_after_the_wait() {
        for (rate, wait) in [(Rate::per_second(2), 500), (Rate::per_minute(2), 30_000), (Rate::per_hour(2), 1_800_000)]
        {
            let clock = clock();
            let limiter = RateLimiter::new(rate, &clock);
            assert_eq!([limiter.check(&"a"), limiter.check(&"a"), limiter.check(&"b")], [Ok(()); 3]);
            let wait = Duration::from_millis(wait);
            assert_eq!(limiter.check(&"a"), Err(LimitReached { wait }));
            clock.advance(SignedDuration::try_from(wait).unwrap());
            assert_eq!(limiter.check(&"a"), Ok(()));
        }
    }

    #[test]
    fn many_attempts_count_together_and_at_most_as_a_burst() {
        let clock = clock();
        let limiter = RateLimiter::new(Rate::per_second(10).with_burst(100), &clock);
        assert_eq!(limiter.check_many(&"a", 500), Ok(()));
        assert_eq!(limiter.check_many(&"a", 50), Err(LimitReached { wait: Duration::from_secs(5) }));
        clock.advance(SignedDuration::from_secs(5));
        assert_eq!(limiter.check_many(&"a", 50), Ok(()));
        assert_eq!(limiter.check_many(&"a", 0), Ok(()));
    }

    #[test]
    fn network_is_an_ipv4_address_or_the_upper_half_of_an_ipv6_address() {
        let rows =
            [("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::")];
        for (address, expected) in rows {
            assert_eq!(network(address.parse().unwrap()), expected.parse::<IpAddr>().unwrap(), "{address}");
        }
    }

    #[test]
    fn site_is_the_first_48_bits_of_an_ipv6_address() {
        assert_eq!(site("2001:db8:1:2:3:4:5:6".parse().unwrap()), Some("2001:db8:1::".parse().unwrap()));
        assert_eq!(["192.0.2.1", "::ffff:192.0.2.1"].map(|address| site(address.parse().unwrap())), [None, None]);
    }

    #[test]
    fn multiple_of_a_rate_has_a_larger_burst_and_recovers_faster() {
        let clock = clock();
        let limiter = RateLimiter::new(Rate::per_second(2).with_burst(3).times(5), &clock);
        assert_eq!(limiter.check_many(&"a", 15), Ok(()));
        assert_eq!(limiter.check(&"a"), Err(LimitReached { wait: Duration::from_millis(100) }));
    }
}
