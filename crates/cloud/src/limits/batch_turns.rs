//! Lets batches write one after the other, with rests in between for other writers.

use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// The length of a rest, as a multiple of the duration of the write before it.
const REST: u32 = 3;

/// The turns of all batches of a node. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct BatchTurns {
    not_before: Arc<Mutex<Instant>>,
}

impl BatchTurns {
    pub(crate) fn new() -> Self {
        Self { not_before: Arc::new(Mutex::new(Instant::now())) }
    }

    /// Waits for a turn and writes. The next turn, of any batch, begins after a rest: however many batches there are, other
    /// writers have most of the time for themselves.
    pub(crate) async fn take<T>(&self, write: impl Future<Output = T>) -> T {
        let mut not_before = self.not_before.lock().await;
        sleep_until(*not_before).await;
        let began = Instant::now();
        let written = write.await;
        *not_before = Instant::now() + began.elapsed() * REST;
        written
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const WRITE: Duration = Duration::from_millis(10);

    #[tokio::test(start_paused = true)]
    async fn batches_write_in_turns_with_rests_in_between() {
        let turns = BatchTurns::new();
        let began = Instant::now();
        let write = || {
            turns.take(async {
                let since = began.elapsed();
                tokio::time::sleep(WRITE).await;
                since
            })
        };
        let (first, second, third) = tokio::join!(write(), write(), write());
        assert_eq!(first, Duration::ZERO);
        assert!(second >= first + WRITE * (1 + REST), "{second:?}");
        assert!(third >= second + WRITE * (1 + REST), "{third:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn single_write_is_not_answered_late() {
        let turns = BatchTurns::new();
        let began = Instant::now();
        turns.take(tokio::time::sleep(WRITE)).await;
        assert!(began.elapsed() < WRITE * 2, "{:?}", began.elapsed());
    }
}
