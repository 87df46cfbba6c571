//! Decides whether and when to reconnect.

use std::time::Duration;

use crate::clock::Jitter;
use crate::error::Error;

pub(crate) const RECONNECT_DELAY: Duration = Duration::from_secs(3);

/// The delay grows up to this multiple of the first one: 60 s by default.
const MAX_GROWTH: u32 = 20;

/// How a connection, or an attempt to connect, ended.
#[derive(Debug)]
pub(super) enum ConnectionEnd {
    /// The attempt failed.
    Failed(Error),
    /// An open connection ended.
    Closed {
        /// Whether it delivered anything, if only a heartbeat.
        delivered: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    /// Connect again with the same key, not before the cloud's `Retry-After` has passed.
    Reconnect { retry_after: Option<Duration> },
    /// The key is invalid: the application needs a new subscription.
    GiveUp,
}

/// The number of consecutive connections and attempts that delivered nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Failures(u32);

impl Failures {
    pub(super) fn next(self, end: &ConnectionEnd) -> (Self, NextStep) {
        let more = Self(self.0.saturating_add(1));
        match end {
            ConnectionEnd::Failed(error) if matches!(error.status(), Some(401 | 404)) => (more, NextStep::GiveUp),
            ConnectionEnd::Failed(error) => (more, NextStep::Reconnect { retry_after: error.retry_after() }),
            ConnectionEnd::Closed { delivered: false } => (more, NextStep::Reconnect { retry_after: None }),
            ConnectionEnd::Closed { delivered: true } => (Self(0), NextStep::Reconnect { retry_after: None }),
        }
    }
}

/// The delays between attempts to connect.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    pub(crate) first: Duration,
    pub(crate) jitter: Jitter,
}

impl Backoff {
    /// The delay after the first failure in a row.
    pub(crate) fn first_delay(&self, retry_after: Option<Duration>) -> Duration {
        self.delay(Failures(1), retry_after)
    }

    pub(super) fn delay(&self, failures: Failures, retry_after: Option<Duration>) -> Duration {
        delay(self.first, failures, retry_after, self.jitter.fraction())
    }
}

/// The delay doubles with each failure. Up to half of it is added at random, so that clients that lost their
/// connections at the same time do not return at the same time. `fraction` is from 0 to 1.
fn delay(first: Duration, failures: Failures, retry_after: Option<Duration>, fraction: f64) -> Duration {
    let growth = 2_u32.saturating_pow(failures.0.saturating_sub(1)).min(MAX_GROWTH);
    let base = first.saturating_mul(growth);
    base.max(retry_after.unwrap_or_default()).saturating_add(base.mul_f64(fraction / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn only_a_rejected_key_ends_a_stream_and_only_a_delivery_resets_the_failures() {
        let rejected = |status| ConnectionEnd::Failed(Error::new(ErrorKind::Server, "").with_status(status));
        let limited = |status| {
            let error = Error::new(ErrorKind::Server, "").with_status(status).with_retry_after(Some(9 * SECOND));
            ConnectionEnd::Failed(error)
        };
        let reconnect = NextStep::Reconnect { retry_after: None };
        let later = NextStep::Reconnect { retry_after: Some(9 * SECOND) };
        let table = [
            (rejected(401), 6, NextStep::GiveUp),
            (rejected(404), 6, NextStep::GiveUp),
            (limited(401), 6, NextStep::GiveUp),
            (rejected(403), 6, reconnect),
            (rejected(429), 6, reconnect),
            (limited(429), 6, later),
            (limited(503), 6, later),
            (rejected(503), 6, reconnect),
            (ConnectionEnd::Failed(Error::new(ErrorKind::Network, "")), 6, reconnect),
            (ConnectionEnd::Failed(Error::new(ErrorKind::Timeout, "")), 6, reconnect),
            (ConnectionEnd::Closed { delivered: false }, 6, reconnect),
            (ConnectionEnd::Closed { delivered: true }, 0, reconnect),
        ];
        for (end, failures, step) in table {
            assert_eq!(Failures(5).next(&end), (Failures(failures), step), "{end:?}");
        }
    }

    #[test]
    fn delay_starts_at_3_seconds_doubles_up_to_60_and_adds_up_to_half() {
        assert_eq!(RECONNECT_DELAY.as_millis(), 3000);
        let table = [(0, 3), (1, 3), (2, 6), (3, 12), (4, 24), (5, 48), (6, 60), (7, 60), (u32::MAX, 60)];
        for (failures, secs) in table {
            let delay = |fraction| delay(RECONNECT_DELAY, Failures(failures), None, fraction);
            let least = Duration::from_secs(secs);
            assert_eq!((delay(0.0), delay(0.5), delay(1.0)), (least, least * 5 / 4, least * 3 / 2), "{failures}");
        }
    }

    #[test]
    fn retry_after_is_the_minimum_of_the_delay() {
        let table = [(2, 0.0, 3000), (2, 1.0, 4500), (40, 0.0, 40_000), (40, 1.0, 41_500)];
        for (retry_after, fraction, millis) in table {
            let delay = delay(RECONNECT_DELAY, Failures(1), Some(retry_after * SECOND), fraction);
            assert_eq!(delay.as_millis(), millis, "{retry_after} {fraction}");
        }
    }

    #[test]
    fn extreme_delays_do_not_overflow() {
        for first in [Duration::ZERO, Duration::MAX] {
            let delay = delay(first, Failures(u32::MAX), Some(Duration::MAX), 1.0);
            assert_eq!(delay, Duration::MAX);
        }
    }
}
