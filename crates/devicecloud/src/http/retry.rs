//! The retry policy, as pure functions.

use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::model::Time;

/// How often and when a call is retried. Only idempotent calls are retried, and only after a network failure or status
/// 408, 429 or 5xx. The default is 3 attempts.
///
/// ```
/// use std::time::Duration;
/// use devicecloud::RetryPolicy;
///
/// let patient = RetryPolicy::attempts(6).delays(Duration::from_secs(1), Duration::from_secs(30));
/// # drop(patient);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct RetryPolicy {
    attempts: u32,
    first_delay: Duration,
    max_delay: Duration,
    max_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 3,
            first_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(5),
            max_retry_after: Duration::from_secs(30),
        }
    }
}

impl RetryPolicy {
    /// At most this many attempts; 0 and 1 mean no retry.
    pub fn attempts(attempts: u32) -> Self {
        Self { attempts, ..Self::default() }
    }

    /// The maximum delay after the first attempt, which doubles with every further attempt, and its limit; 500 ms and
    /// 5 s by default. The actual delay is random between 0 and the maximum.
    pub fn delays(self, first: Duration, limit: Duration) -> Self {
        Self { first_delay: first, max_delay: limit, ..self }
    }

    /// The longest `Retry-After` to wait for; 30 s by default. A longer one is returned to the caller as an error.
    pub fn max_retry_after(self, max_retry_after: Duration) -> Self {
        Self { max_retry_after, ..self }
    }

    /// The delay after the failed attempt number `attempt` (from 1); `None` means give up. `fraction` (0 to 1) is the
    /// full jitter of the exponential delay. `Retry-After` takes precedence. A timeout is not retried, because the caller
    /// has waited long enough.
    pub(crate) fn delay(&self, attempt: u32, error: &Error, fraction: f64) -> Option<Duration> {
        if !error.is_retryable() || error.kind() == ErrorKind::Timeout || attempt >= self.attempts {
            return None;
        }
        match error.retry_after() {
            Some(retry_after) => (retry_after <= self.max_retry_after).then_some(retry_after),
            None => {
                let longest = self.first_delay.saturating_mul(2_u32.saturating_pow(attempt - 1));
                Some(longest.min(self.max_delay).mul_f64(fraction))
            }
        }
    }
}

/// Parses the header `Retry-After`: seconds or a date.
pub(crate) fn read_retry_after(text: &str, now: Time) -> Option<Duration> {
    let text = text.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => u64::try_from(Time::from_http_date(text)?.seconds_since(now)).unwrap_or(0),
    };
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error of an idempotent request.
    fn error(kind: ErrorKind) -> Error {
        Error::new(kind, "").with_repeatable(true)
    }

    fn status(status: u16) -> Error {
        error(ErrorKind::Server).with_status(status)
    }

    #[test]
    fn retry_policy_covers_kinds_statuses_and_retry_after() {
        let millis = Duration::from_millis;
        let network = || error(ErrorKind::Network);
        let retry_after = |seconds| status(429).with_retry_after(Some(Duration::from_secs(seconds)));
        let table = [
            (1, network(), 1.0, Some(millis(500))),
            (2, network(), 1.0, Some(millis(1000))),
            (1, network(), 0.0, Some(millis(0))),
            (1, network(), 0.5, Some(millis(250))),
            (3, network(), 1.0, None),
            (1, status(408), 1.0, Some(millis(500))),
            (1, status(429), 1.0, Some(millis(500))),
            (1, status(500), 1.0, Some(millis(500))),
            (1, status(503), 1.0, Some(millis(500))),
            (1, status(400), 1.0, None),
            (1, status(401), 1.0, None),
            (1, status(404), 1.0, None),
            (1, status(422), 1.0, None),
            (1, retry_after(7), 0.1, Some(millis(7000))),
            (1, retry_after(31), 0.1, None),
            (3, retry_after(7), 0.1, None),
            (1, error(ErrorKind::Timeout), 1.0, None),
            (1, error(ErrorKind::Timeout).not_sent(), 1.0, None),
            (1, error(ErrorKind::Json), 1.0, None),
            (1, network().with_repeatable(false), 1.0, None),
            (1, network().with_repeatable(false).not_sent(), 1.0, Some(millis(500))),
            (1, status(503).with_repeatable(false), 1.0, None),
            (1, network().done(), 1.0, None),
        ];
        for (attempt, error, fraction, expected) in table {
            assert_eq!(
                RetryPolicy::default().delay(attempt, &error, fraction),
                expected,
                "attempt {attempt}: {error:?}"
            );
        }
    }

    #[test]
    fn attempts_delays_and_longest_retry_after_are_settable() {
        let seconds = Duration::from_secs;
        let policy = RetryPolicy::attempts(40).delays(seconds(1), seconds(9)).max_retry_after(seconds(60));
        let delay = |attempt, error: &Error| policy.delay(attempt, error, 1.0).map(|delay| delay.as_secs());
        let table = [(1, Some(1)), (2, Some(2)), (4, Some(8)), (5, Some(9)), (39, Some(9)), (40, None)];
        for (attempt, expected) in table {
            assert_eq!(delay(attempt, &status(503)), expected, "{attempt}");
        }
        assert_eq!(delay(1, &status(503).with_retry_after(Some(seconds(60)))), Some(60));
        assert_eq!(delay(1, &status(503).with_retry_after(Some(seconds(61)))), None);
        assert_eq!(RetryPolicy::attempts(1).delay(1, &status(503), 1.0), None);
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now: Time = "2015-10-21T07:27:30Z".parse().unwrap();
        let table = [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Wed, 21 Oct 2015 07:28:00 GMT", Some(30)),
            ("Wed, 21 Oct 2015 07:00:00 GMT", Some(0)),
            ("soon", None),
            ("-5", None),
        ];
        for (text, expected) in table {
            assert_eq!(read_retry_after(text, now), expected.map(Duration::from_secs), "{text}");
        }
    }
}
