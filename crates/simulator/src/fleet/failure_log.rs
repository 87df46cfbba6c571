//! Limits the log of failed connections: the first failure of a fleet is logged immediately, later ones once a minute.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The minimum time between two log lines.
const EVERY: Duration = Duration::from_secs(60);

/// Shared by all diffusers of a fleet. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailureLog(Arc<Mutex<Count>>);

#[derive(Debug, Default)]
struct Count {
    logged_at: Option<Instant>,
    /// Failures since `logged_at` that were not logged.
    more: u32,
}

impl FailureLog {
    /// Counts a failure. Returns the number of failures since the last log line if the next line is due.
    pub(crate) fn count(&self) -> Option<u32> {
        let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if count.logged_at.is_some_and(|at| now.duration_since(at) < EVERY) {
            count.more = count.more.saturating_add(1);
            return None;
        }
        count.logged_at = Some(now);
        Some(std::mem::take(&mut count.more).saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn first_failure_is_logged_and_later_ones_are_counted_for_a_minute() {
        let log = FailureLog::default();
        assert_eq!([log.count(), log.count(), log.count()], [Some(1), None, None]);
        tokio::time::advance(EVERY).await;
        assert_eq!([log.count(), log.count()], [Some(3), None]);
    }
}
