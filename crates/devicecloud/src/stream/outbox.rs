use tokio::sync::mpsc;

use crate::stream::StreamEvent;

const QUEUE: usize = 256;

/// A bounded queue of events for the application. If it is full, events are dropped and replaced by one `Gap`, so that
/// a slow application cannot delay the socket's heartbeats.
pub(super) struct Outbox {
    queue: mpsc::Sender<StreamEvent>,
    lagged: bool,
}

/// The application dropped its handle.
#[derive(Debug, PartialEq)]
pub(super) struct Gone;

impl Outbox {
    pub(super) fn new() -> (Self, mpsc::Receiver<StreamEvent>) {
        let (queue, receiver) = mpsc::channel(QUEUE);
        (Self { queue, lagged: false }, receiver)
    }

    /// Queues an event, or drops it if the queue is full.
    pub(super) fn offer(&mut self, event: StreamEvent) {
        self.lagged = self.lagged || self.queue.try_send(event).is_err();
    }

    /// Waits for room and queues an event that must not be lost.
    pub(super) async fn deliver(&mut self, event: StreamEvent) -> Result<(), Gone> {
        if self.lagged {
            self.queue.send(StreamEvent::Gap).await.map_err(|_| Gone)?;
            self.lagged = false;
        }
        self.queue.send(event).await.map_err(|_| Gone)
    }

    /// Queues a pending `Gap` as soon as there is room, then waits until the handle is dropped.
    pub(super) async fn attend(&mut self) -> Gone {
        if self.lagged {
            if self.queue.send(StreamEvent::Gap).await.is_err() {
                return Gone;
            }
            self.lagged = false;
        }
        self.queue.closed().await;
        Gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_owner_gets_one_gap_for_all_that_it_lost() {
        let (mut outbox, mut receiver) = Outbox::new();
        for _ in 0..QUEUE + 5 {
            outbox.offer(StreamEvent::Disconnected);
        }
        for _ in 0..QUEUE {
            assert_eq!(receiver.recv().await, Some(StreamEvent::Disconnected));
        }
        tokio::select! {
            Gone = outbox.attend() => panic!("the owner is there"),
            event = receiver.recv() => assert_eq!(event, Some(StreamEvent::Gap)),
        }
        outbox.offer(StreamEvent::Connected);
        assert_eq!(receiver.recv().await, Some(StreamEvent::Connected));
    }

    #[tokio::test]
    async fn a_dropped_handle_is_noticed() {
        let (mut outbox, receiver) = Outbox::new();
        drop(receiver);
        assert_eq!(outbox.attend().await, Gone);
        assert_eq!(outbox.deliver(StreamEvent::Connected).await, Err(Gone));
    }
}
