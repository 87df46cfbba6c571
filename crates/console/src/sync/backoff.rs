//! Waiting times after failures.

use std::time::Duration;

use platform::run::random::Random;

const FIRST: Duration = Duration::from_secs(1);
const MAX_DELAY: Duration = Duration::from_secs(60);

/// Doubles after each failure, with jitter, so that consoles do not retry in step.
pub(super) struct Backoff {
    random: Random,
    ceiling: Duration,
}

impl Backoff {
    pub(super) fn new(random: Random) -> Self {
        Self { random, ceiling: FIRST }
    }

    pub(super) fn reset(&mut self) {
        self.ceiling = FIRST;
    }

    /// The next waiting time.
    pub(super) fn next(&mut self) -> Duration {
        let wait = jittered(&self.random, self.ceiling);
        self.ceiling = (self.ceiling * 2).min(MAX_DELAY);
        wait
    }
}

/// A random time between half of `time` and all of it.
pub(super) fn jittered(random: &Random, time: Duration) -> Duration {
    let half = time / 2;
    let micros = u64::try_from(half.as_micros()).unwrap_or(u64::MAX);
    half + Duration::from_micros(random.below(micros.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_a_minute_and_resets_after_success() {
        let mut backoff = Backoff::new(Random::seeded(1));
        for ceiling in [1, 2, 4, 8, 16, 32, 60, 60] {
            let (wait, ceiling) = (backoff.next(), Duration::from_secs(ceiling));
            assert!(wait >= ceiling / 2 && wait <= ceiling, "{wait:?} of {ceiling:?}");
        }
        backoff.reset();
        assert!(backoff.next() <= FIRST);
    }
}
