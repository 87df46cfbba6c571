//! Whether the device link accepts connections.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

/// A listener that failed to accept a connection counts as failing for this long.
const FAILING_FOR: Duration = Duration::from_secs(5);

/// The health of the device link's listeners. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkHealth(Arc<Mutex<Listeners>>);

#[derive(Debug, Default)]
struct Listeners {
    has_ended: bool,
    failed_at: Option<Instant>,
}

/// A listener of the link. Dropping it means that it has ended.
pub(super) struct Listening(LinkHealth);

impl LinkHealth {
    /// False if a listener has ended, for instance because the node stops, or could not accept a connection a moment ago.
    pub(crate) fn accepts(&self) -> bool {
        let listeners = self.lock();
        !listeners.has_ended && listeners.failed_at.is_none_or(|at| at.elapsed() >= FAILING_FOR)
    }

    pub(super) fn listening(&self) -> Listening {
        Listening(self.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.0.lock().expect("no holder of this lock can panic")
    }
}

impl Listening {
    /// Records that a connection could not be accepted.
    pub(super) fn failed(&self) {
        self.0.lock().failed_at = Some(Instant::now());
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn failed_accept_counts_for_five_seconds_and_an_end_for_ever() {
        let health = LinkHealth::default();
        let [plain, tls] = [(); 2].map(|()| health.listening());
        assert!(health.accepts());
        plain.failed();
        advance(Duration::from_millis(4_999)).await;
        assert!(!health.accepts());
        advance(Duration::from_millis(1)).await;
        assert!(health.accepts());
        drop(tls);
        assert!(!health.accepts());
        advance(Duration::from_secs(60)).await;
        assert!(!health.accepts());
    }
}
