//! Limits how often a cause is logged.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// Remembers which causes were logged.
#[derive(Debug)]
pub struct LogInterval {
    interval: SignedDuration,
    logged: Mutex<BTreeMap<String, Timestamp>>,
}

impl LogInterval {
    /// Each cause may be logged once in `interval`.
    #[must_use]
    pub fn new(interval: SignedDuration) -> Self {
        Self { interval, logged: Mutex::default() }
    }

    /// Whether to log the cause now.
    pub fn is_due(&self, cause: &str, now: Timestamp) -> bool {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        logged.retain(|_, at| now.duration_since(*at) < self.interval);
        let is_due = !logged.contains_key(cause);
        if is_due {
            logged.insert(cause.to_owned(), now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_due_once_in_an_interval() {
        let causes = LogInterval::new(SignedDuration::from_hours(1));
        for (time, cause, expected) in [
            ("12:00:00", "535", true),
            ("12:00:01", "535", false),
            ("12:00:01", "no connection", true),
            ("12:59:59", "535", false),
            ("13:00:00", "535", true),
            ("13:00:00", "no connection", false),
            ("13:59:59", "535", false),
        ] {
            let now = format!("2026-11-20T{time}Z").parse().unwrap();
            assert_eq!(causes.is_due(cause, now), expected, "{time} {cause}");
        }
    }
}
