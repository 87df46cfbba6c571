//! Signals list changes to a reader: immediately, and then at most once a second.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// List changes for one reader.
pub(super) struct ListSignal {
    changes: watch::Receiver<()>,
    not_before: Instant,
}

impl ListSignal {
    pub(super) fn new(changes: watch::Receiver<()>) -> Self {
        Self { changes, not_before: Instant::now() }
    }

    /// Waits until changes since the last signal should be sent. Changes within the interval are combined into one
    /// signal. Cancel-safe.
    pub(super) async fn due(&mut self) {
        tokio::time::sleep_until(self.not_before).await;
        if self.changes.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.not_before = Instant::now() + MIN_INTERVAL;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn first_list_change_is_immediate_and_later_ones_once_a_second() {
        let (list, changes) = watch::channel(());
        let mut signal = ListSignal::new(changes);
        assert!(signal.due().now_or_never().is_none(), "nothing has changed");
        let begin = Instant::now();
        list.send_replace(());
        signal.due().await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
        let mut signals = 0;
        // A change each millisecond for ten seconds.
        for _ in 0..10_000 {
            list.send_replace(());
            signals += u32::from(tokio::time::timeout(Duration::from_millis(1), signal.due()).await.is_ok());
        }
        assert!((9..=10).contains(&signals), "{signals}");
        list.send_replace(());
        signal.due().await;
        assert!(begin.elapsed() <= Duration::from_secs(12), "the last change is signalled too");
        assert!(tokio::time::timeout(Duration::from_secs(60), signal.due()).await.is_err(), "only once");
    }
}
