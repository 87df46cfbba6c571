//! Ends the silence of a stream: browsers take a stream that is silent for too long for a broken one.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// Longest time without an event; web/src/api/live/stream.ts relies on it.
const INTERVAL: Duration = Duration::from_secs(5);

/// The time since the last event of a stream.
pub(super) struct Heartbeat(Pin<Box<Sleep>>);

impl Heartbeat {
    pub(super) fn new() -> Self {
        Self(Box::pin(tokio::time::sleep(INTERVAL)))
    }

    /// Waits until the stream has been silent for the interval. Cancel-safe.
    pub(super) async fn due(&mut self) {
        self.0.as_mut().await;
    }

    /// An event is sent.
    pub(super) fn restart(&mut self) {
        self.0.as_mut().reset(Instant::now() + INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn silence_ends_after_5_seconds() {
        let (mut heartbeat, begun) = (Heartbeat::new(), Instant::now());
        for seconds in [5, 10, 15] {
            heartbeat.due().await;
            assert_eq!(begun.elapsed().as_secs(), seconds);
            heartbeat.restart();
        }
        tokio::time::advance(Duration::from_secs(3)).await;
        heartbeat.restart();
        heartbeat.due().await;
        assert_eq!(begun.elapsed().as_secs(), 15 + 3 + 5, "an event postpones it");
    }
}
