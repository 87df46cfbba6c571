//! The servers' only source of time.

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};

/// The system clock, or a mock clock that a test advances. Cheap to clone; clones share the same time.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Mock(Arc<Mutex<Timestamp>>),
}

impl Clock {
    /// The system clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A mock clock that stays at `at` until it is [advanced](Self::advance).
    #[must_use]
    pub fn mock(at: Timestamp) -> Self {
        Self(Source::Mock(Arc::new(Mutex::new(at))))
    }

    /// The current time in whole microseconds, the precision of the databases.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            #[expect(clippy::disallowed_methods, reason = "the only use of the system clock")]
            Source::System => from_micros(to_micros(Timestamp::now())),
            Source::Mock(at) => *at.lock().expect("no holder of this lock can panic"),
        }
    }

    /// Advances a mock clock by `by`.
    ///
    /// # Panics
    /// Panics on the system clock.
    pub fn advance(&self, by: SignedDuration) {
        match &self.0 {
            Source::System => panic!("only a mock clock can be advanced"),
            Source::Mock(at) => {
                let mut at = at.lock().expect("no holder of this lock can panic");
                *at += by;
            }
        }
    }
}

/// An instant as the databases store it: microseconds since 1970-01-01T00:00:00Z.
#[must_use]
pub fn to_micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// The inverse of [`to_micros`]. Values outside of jiff's range are clamped.
#[must_use]
pub fn from_micros(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap_or(if micros < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mock_clock_advances_for_all_clones() {
        let start: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let clock = Clock::mock(start);
        let clone = clock.clone();
        assert_eq!(clone.now(), start);
        clock.advance(SignedDuration::from_secs(90));
        assert_eq!(clone.now(), "2026-11-20T12:01:30Z".parse().unwrap());
    }

    #[test]
    fn micros_round_trip() {
        let now = Clock::system().now();
        assert_eq!(from_micros(to_micros(now)), now);
    }

    #[test]
    fn micros_out_of_range_are_clamped() {
        assert_eq!(from_micros(i64::MAX), Timestamp::MAX);
        assert_eq!(from_micros(i64::MIN), Timestamp::MIN);
    }
}
