//! When a reader is told that its list changed: at once, and then at most once a second.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

const REST: Duration = Duration::from_secs(1);

/// One reader's lists.
pub(super) struct ListSignal {
    changes: watch::Receiver<()>,
    rests_until: Instant,
}

impl ListSignal {
    pub(super) fn new(changes: watch::Receiver<()>) -> Self {
        Self { changes, rests_until: Instant::now() }
    }

    /// Waits until it is time to tell of changes since the last time; what happens during the rest is told after it, once.
    /// Dropping the future loses nothing.
    pub(super) async fn due(&mut self) {
        tokio::time::sleep_until(self.rests_until).await;
        if self.changes.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.rests_until = Instant::now() + REST;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_change_is_told_at_once_and_the_others_once_a_second() {
        let (list, changes) = watch::channel(());
        let mut signal = ListSignal::new(changes);
        assert!(signal.due().now_or_never().is_none(), "nothing has changed");
        let begin = Instant::now();
        list.send_replace(());
        signal.due().await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
        let mut told = 0;
        // Ten seconds with a change each millisecond.
        for _ in 0..10_000 {
            list.send_replace(());
            told += u32::from(tokio::time::timeout(Duration::from_millis(1), signal.due()).await.is_ok());
        }
        assert!((9..=10).contains(&told), "{told}");
        list.send_replace(());
        signal.due().await;
        assert!(begin.elapsed() <= Duration::from_secs(12), "the last change is told, too");
        assert!(tokio::time::timeout(Duration::from_secs(60), signal.due()).await.is_err(), "and only once");
    }
}
