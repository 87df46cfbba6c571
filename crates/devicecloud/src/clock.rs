//! Time and randomness as parameters: with a mock clock and a fixed jitter, a [`Client`](crate::Client) is
//! deterministic.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::model::Time;

/// The source of the current time. Cheap to clone; clones of a mock clock share their time.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Mock(Arc<AtomicI64>),
}

impl Clock {
    /// The system clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that only moves by calls of [`advance`](Self::advance).
    #[must_use]
    pub fn mock(at: Time) -> Self {
        Self(Source::Mock(Arc::new(AtomicI64::new(at.unix_micros()))))
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Time {
        match &self.0 {
            Source::System => Time::now(),
            Source::Mock(micros) => Time::from_unix_micros(micros.load(Ordering::SeqCst)),
        }
    }

    /// Moves a mock clock forward. Has no effect on the system clock.
    pub fn advance(&self, by: Duration) {
        if let Source::Mock(micros) = &self.0 {
            let by = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
            micros.fetch_add(by, Ordering::SeqCst);
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

/// The source of randomness for retry delays.
#[derive(Clone, Debug, Default)]
pub struct Jitter(Option<f64>);

impl Jitter {
    /// Random.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// Always this fraction (0 to 1) of the maximum delay.
    #[must_use]
    pub fn fixed(fraction: f64) -> Self {
        Self(Some(fraction.clamp(0.0, 1.0)))
    }

    pub(crate) fn fraction(&self) -> f64 {
        self.0.unwrap_or_else(|| random() as f64 / u64::MAX as f64)
    }
}

/// Random bits of the standard library: the keys of a new hash map, which the system seeds.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(())
}
