//! Limits the log lines about what is tried again and again.

use jiff::SignedDuration;
use platform::run::clock::Clock;
use platform::run::log_interval::LogInterval;

/// Counts failed tries, and decides which of them are logged: once a minute for each cause.
pub(super) struct RetryLog {
    clock: Clock,
    causes: LogInterval,
    tries: u32,
}

impl RetryLog {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, causes: LogInterval::new(SignedDuration::from_mins(1)), tries: 0 }
    }

    /// Counts a failed try. Returns the number of tries since the last success if this one is to be logged.
    pub(super) fn failed(&mut self, cause: &impl ToString) -> Option<u32> {
        self.tries = self.tries.saturating_add(1);
        self.causes.is_due(&cause.to_string(), self.clock.now()).then_some(self.tries)
    }

    pub(super) fn succeeded(&mut self) {
        self.tries = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_logged_once_a_minute_with_the_number_of_tries() {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let mut log = RetryLog::new(clock.clone());
        let mut failed = |seconds, cause: &str| {
            clock.advance(SignedDuration::from_secs(seconds));
            log.failed(&cause)
        };
        let logged = [failed(0, "refused"), failed(30, "refused"), failed(0, "timeout"), failed(30, "refused")];
        assert_eq!(logged, [Some(1), None, Some(3), Some(4)]);
        log.succeeded();
        clock.advance(SignedDuration::from_mins(1));
        assert_eq!(log.failed(&"refused"), Some(1));
    }
}
