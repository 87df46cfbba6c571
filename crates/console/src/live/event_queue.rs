//! The bounded event queue of one reader. A slow reader loses events and gets a `resync`; it does not delay others.

use axum::response::sse::Event;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// Maximum number of queued events.
const CAPACITY: usize = 64;

/// The sending side of the queue.
pub(super) struct EventQueue {
    sender: mpsc::Sender<Event>,
    /// Events were dropped; the reader needs a `resync` once the queue has room.
    needs_resync: bool,
}

impl EventQueue {
    pub(super) fn new() -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        (Self { sender, needs_resync: false }, receiver)
    }

    /// Queues an event, or drops it and requests a `resync`.
    pub(super) fn push(&mut self, event: Event) {
        if self.needs_resync {
            return;
        }
        if let Err(TrySendError::Full(_)) = self.sender.try_send(event) {
            self.needs_resync = true;
        }
    }

    /// Requests a `resync`, because an event could not be sent.
    pub(super) fn request_resync(&mut self) {
        self.needs_resync = true;
    }

    /// Waits for room in the queue and sends the requested `resync`. Never returns if none is requested.
    pub(super) async fn flush_resync(&mut self) {
        if !self.needs_resync {
            std::future::pending::<()>().await;
        }
        if let Ok(room) = self.sender.reserve().await {
            room.send(named("resync"));
            self.needs_resync = false;
        }
    }

    /// Sends the last event, waiting for room.
    pub(super) async fn close_with(self, event: Event) {
        let _ = self.sender.send(event).await;
    }

    /// Waits until the reader disconnects.
    pub(super) fn closed(&self) -> impl Future<Output = ()> + 'static {
        let sender = self.sender.clone();
        async move { sender.closed().await }
    }
}

/// An event without data.
pub(super) fn named(name: &str) -> Event {
    Event::default().event(name).data("{}")
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn slow_reader_gets_one_resync_and_continues() {
        let (mut queue, mut reader) = EventQueue::new();
        for _ in 0..CAPACITY + 10 {
            queue.push(named("device"));
        }
        assert!(queue.flush_resync().now_or_never().is_none(), "the queue has no room yet");
        for _ in 0..CAPACITY {
            let _ = reader.recv().await.unwrap();
        }
        queue.flush_resync().await;
        queue.push(named("device"));
        let rest: Vec<String> =
            [reader.recv().await, reader.recv().await].into_iter().map(|event| format!("{event:?}")).collect();
        assert!(rest[0].contains("resync") && rest[1].contains("device"), "{rest:?}");
        assert!(queue.flush_resync().now_or_never().is_none(), "no resync is requested");
    }

    #[tokio::test]
    async fn closed_reader_is_detected() {
        let (queue, reader) = EventQueue::new();
        let closed = queue.closed();
        drop(reader);
        closed.await;
    }
}
