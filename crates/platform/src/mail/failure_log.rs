//! Limits the log lines about messages that cannot be sent.

use jiff::{SignedDuration, Timestamp};

use crate::run::log_interval::LogInterval;

/// Remembers why messages could not be sent.
#[derive(Debug)]
pub struct FailureLog(LogInterval);

impl Default for FailureLog {
    fn default() -> Self {
        Self(LogInterval::new(SignedDuration::from_hours(1)))
    }
}

impl FailureLog {
    /// Whether to log this reason now: once an hour for each cause.
    pub fn is_due(&self, reason: &str, now: Timestamp) -> bool {
        self.0.is_due(cause(reason), now)
    }
}

/// What failures with one cause have in common: the status code of a mail server, whose text may differ for each message, or the reason.
fn cause(reason: &str) -> &str {
    reason.split(' ').next().filter(|code| code.len() == 3 && code.parse::<u16>().is_ok()).unwrap_or(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_with_one_status_code_are_due_once_an_hour() {
        let failures = FailureLog::default();
        for (time, reason, expected) in [
            ("12:00:00", "535 5.7.8 authentication failed", true),
            ("12:10:00", "535 5.7.8 authentication failed again", false),
            ("12:10:00", "451 4.3.0 try again (id 7)", true),
            ("12:20:00", "451 4.3.0 try again (id 8)", false),
            ("12:20:00", "Connection refused (os error 111)", true),
            ("12:59:59", "Connection refused (os error 111)", false),
            ("13:00:00", "535 5.7.8 authentication failed", true),
        ] {
            let now = format!("2026-11-20T{time}Z").parse().unwrap();
            assert_eq!(failures.is_due(reason, now), expected, "{time} {reason}");
        }
    }
}
