//! The retry policy, as pure functions.

use std::time::Duration;

use crate::error::{Error, ErrorKind, is_retryable_status};
use crate::model::Time;

const ATTEMPTS: u32 = 3;
const BASE_DELAY: Duration = Duration::from_millis(500);
const MAX_DELAY: Duration = Duration::from_secs(5);
/// A longer `Retry-After` is returned to the caller as an error.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// The delay after the failed attempt number `attempt` (from 1); `None` means give up. `fraction` (0 to 1) is the full
/// jitter of the exponential delay. `Retry-After` takes precedence.
pub(crate) fn delay(attempt: u32, error: &Error, fraction: f64) -> Option<Duration> {
    let is_temporary = match error.status() {
        Some(status) => is_retryable_status(status),
        None => error.kind() == ErrorKind::Network,
    };
    if !is_temporary || attempt >= ATTEMPTS {
        return None;
    }
    match error.retry_after() {
        Some(retry_after) => (retry_after <= MAX_RETRY_AFTER).then_some(retry_after),
        None => Some((BASE_DELAY * 2_u32.pow(attempt - 1)).min(MAX_DELAY).mul_f64(fraction)),
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

    fn status(status: u16) -> Error {
        Error::new(ErrorKind::Server, "").with_status(status)
    }

    #[test]
    fn retry_policy_covers_kinds_statuses_and_retry_after() {
        let millis = Duration::from_millis;
        let network = || Error::new(ErrorKind::Network, "");
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
            (1, Error::new(ErrorKind::Timeout, ""), 1.0, None),
            (1, Error::new(ErrorKind::Json, ""), 1.0, None),
        ];
        for (attempt, error, fraction, expected) in table {
            assert_eq!(delay(attempt, &error, fraction), expected, "attempt {attempt}: {error:?}");
        }
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
