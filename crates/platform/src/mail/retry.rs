//! When a message is sent again.

use crate::run::random::Random;
use jiff::{SignedDuration, Timestamp};

/// The retry policy for messages that a server does not accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Delay after the first attempt. Each later delay is twice the one before.
    pub first: SignedDuration,
    /// Upper bound of a delay.
    pub longest: SignedDuration,
    /// A message this old is given up at the next failure.
    pub give_up_after: SignedDuration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            first: SignedDuration::from_secs(15),
            longest: SignedDuration::from_mins(10),
            give_up_after: SignedDuration::from_hours(24),
        }
    }
}

impl RetryPolicy {
    /// The time of the next attempt after `attempts` attempts, the last of which failed at `now`; `None` to give up. Up
    /// to half of a delay is random, so that messages that failed together are not retried together.
    #[must_use]
    pub fn next(&self, attempts: i64, waiting_since: Timestamp, now: Timestamp, random: &Random) -> Option<Timestamp> {
        let end = waiting_since + self.give_up_after;
        if now >= end {
            return None;
        }
        let doublings = u32::try_from(attempts - 1).unwrap_or(u32::MAX);
        let wait = i32::checked_pow(2, doublings).and_then(|times| self.first.checked_mul(times));
        let wait = wait.unwrap_or(SignedDuration::MAX).min(self.longest);
        let half = u64::try_from(wait.as_millis() / 2).unwrap_or_default();
        let less = i64::try_from(random.below(half + 1)).unwrap_or_default();
        Some((now + wait - SignedDuration::from_millis(less)).min(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "2026-11-20T10:00:00Z";

    fn wait(attempts: i64, waited: SignedDuration, seed: u64) -> Option<SignedDuration> {
        let since: Timestamp = START.parse().unwrap();
        let next = RetryPolicy::default().next(attempts, since, since + waited, &Random::seeded(seed))?;
        Some(next.duration_since(since + waited))
    }

    #[test]
    fn delays_double_up_to_the_maximum_with_half_of_each_random() {
        for (attempts, whole) in [(1, 15), (2, 30), (3, 60), (6, 480), (7, 600), (8, 600), (i64::MAX, 600)] {
            for seed in 0..50 {
                let wait = wait(attempts, SignedDuration::ZERO, seed).unwrap();
                let (least, most) = (SignedDuration::from_millis(whole * 500), SignedDuration::from_secs(whole));
                assert!((least..=most).contains(&wait), "{attempts}: {wait}");
            }
        }
        let different = |seed| wait(7, SignedDuration::ZERO, seed);
        assert_ne!(different(1), different(2));
        assert_eq!(different(1), different(1));
    }

    #[test]
    fn last_attempt_is_at_the_deadline_and_none_follows() {
        let day = SignedDuration::from_hours(24);
        let second = SignedDuration::from_secs(1);
        assert_eq!(wait(9, day - second, 1), Some(second));
        assert_eq!(wait(9, day, 1), None);
        assert_eq!(wait(1, day + second, 1), None);
    }
}
