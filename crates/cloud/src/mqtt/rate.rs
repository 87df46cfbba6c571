//! A rate limit. Pure. The crate `governor` cannot test a limit without counting an attempt, which
//! [`refusals`](super::refusals) needs.

use tokio::time::Instant;

use crate::config::LinkRate;

/// A leaky bucket: full after a burst, it accepts one more per interval of its rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeakyBucket {
    /// The time at which it becomes empty.
    empty_at: Instant,
}

impl LeakyBucket {
    pub(super) fn empty(now: Instant) -> Self {
        Self { empty_at: now }
    }

    /// Counts one more; `false` if the bucket is full.
    pub(super) fn take(&mut self, rate: LinkRate, now: Instant) -> bool {
        if self.is_full(rate, now) {
            return false;
        }
        self.empty_at = self.empty_at.max(now) + rate.each;
        true
    }

    pub(super) fn is_full(&self, rate: LinkRate, now: Instant) -> bool {
        self.empty_at.max(now) + rate.each > now + rate.each.saturating_mul(rate.burst)
    }

    pub(super) fn is_empty(&self, now: Instant) -> bool {
        self.empty_at <= now
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    const RATE: LinkRate = LinkRate { burst: 3, each: Duration::from_millis(100) };

    fn start() -> Instant {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async { Instant::now() })
    }

    #[test]
    fn burst_is_accepted_immediately_and_then_one_per_interval() {
        let start = start();
        let mut bucket = LeakyBucket::empty(start);
        // (milliseconds, whether it is accepted)
        let rows = [
            (0, true),
            (0, true),
            (0, true),
            (0, false),
            (99, false),
            (100, true),
            (100, false),
            (350, true),
            (350, true),
            (350, false),
            (10_000, true),
            (10_000, true),
            (10_000, true),
            (10_000, false),
        ];
        for (row, (at, taken)) in rows.into_iter().enumerate() {
            assert_eq!(bucket.take(RATE, start + Duration::from_millis(at)), taken, "row {row}");
        }
    }

    #[test]
    fn zero_burst_rejects_everything_and_zero_interval_accepts_everything() {
        let start = start();
        assert!(!LeakyBucket::empty(start).take(LinkRate { burst: 0, ..RATE }, start));
        let mut bucket = LeakyBucket::empty(start);
        assert!((0..1000).all(|_| bucket.take(LinkRate { each: Duration::ZERO, ..RATE }, start)));
    }

    proptest! {
        #[test]
        fn no_interval_accepts_more_than_burst_and_rate_allow(
            gaps in proptest::collection::vec(0u64..300, 1..200),
        ) {
            let start = start();
            let mut bucket = LeakyBucket::empty(start);
            let mut now = start;
            let mut taken = Vec::new();
            for gap in gaps {
                now += Duration::from_millis(gap);
                if bucket.take(RATE, now) {
                    taken.push(now);
                }
            }
            for (first, from) in taken.iter().enumerate() {
                for (last, to) in taken.iter().enumerate().skip(first) {
                    let allowed = u128::from(RATE.burst) + (*to - *from).as_millis() / RATE.each.as_millis();
                    prop_assert!(((last - first + 1) as u128) <= allowed);
                }
            }
        }
    }
}
