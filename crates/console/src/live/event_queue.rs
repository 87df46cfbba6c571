//! The bounded queue to one reader. A slow reader loses its place, never the others' time.

use axum::response::sse::Event;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// So many events may wait for one reader.
const CAPACITY: usize = 64;

/// The writing end.
pub(super) struct Outbox {
    sender: mpsc::Sender<Event>,
    /// Events were dropped: the reader must read everything again once it takes events again.
    missed: bool,
}

impl Outbox {
    pub(super) fn new() -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        (Self { sender, missed: false }, receiver)
    }

    /// Queues an event, or drops it and owes a `resync`.
    pub(super) fn offer(&mut self, event: Event) {
        if self.missed {
            return;
        }
        if let Err(TrySendError::Full(_)) = self.sender.try_send(event) {
            self.missed = true;
        }
    }

    /// Owes the reader a `resync`: something was not told.
    pub(super) fn owe_resync(&mut self) {
        self.missed = true;
    }

    /// Waits until a `resync` is owed and there is room for it, and queues it. Waits forever when none is owed.
    pub(super) async fn settle(&mut self) {
        if !self.missed {
            std::future::pending::<()>().await;
        }
        if let Ok(room) = self.sender.reserve().await {
            room.send(named("resync"));
            self.missed = false;
        }
    }

    /// Queues the last event, waiting for room.
    pub(super) async fn finish(self, event: Event) {
        let _ = self.sender.send(event).await;
    }

    /// Waits until the reader is gone.
    pub(super) fn closed(&self) -> impl Future<Output = ()> + 'static {
        let sender = self.sender.clone();
        async move { sender.closed().await }
    }
}

/// An event without data of its own.
pub(super) fn named(name: &str) -> Event {
    Event::default().event(name).data("{}")
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_reader_that_falls_behind_gets_one_resync_and_then_goes_on() {
        let (mut outbox, mut reader) = Outbox::new();
        for _ in 0..CAPACITY + 10 {
            outbox.offer(named("device"));
        }
        assert!(outbox.settle().now_or_never().is_none(), "no room yet");
        for _ in 0..CAPACITY {
            let _ = reader.recv().await.unwrap();
        }
        outbox.settle().await;
        outbox.offer(named("device"));
        let rest: Vec<String> =
            [reader.recv().await, reader.recv().await].into_iter().map(|event| format!("{event:?}")).collect();
        assert!(rest[0].contains("resync") && rest[1].contains("device"), "{rest:?}");
        assert!(outbox.settle().now_or_never().is_none(), "nothing is owed");
    }

    #[tokio::test]
    async fn a_reader_that_left_is_noticed() {
        let (outbox, reader) = Outbox::new();
        let closed = outbox.closed();
        drop(reader);
        closed.await;
    }
}
