use tokio::sync::mpsc;

use crate::stream::StreamEvent;

const QUEUE: usize = 256;

/// The events that wait for the owner. An owner who is too slow loses events and gets one `Gap` instead;
/// it never slows down the socket, whose heartbeats would be late.
pub(super) struct Outbox {
    queue: mpsc::Sender<StreamEvent>,
    lagged: bool,
}

/// The owner dropped its handle.
#[derive(Debug, PartialEq)]
pub(super) struct Gone;

impl Outbox {
    pub(super) fn new() -> (Self, mpsc::Receiver<StreamEvent>) {
        let (queue, receiver) = mpsc::channel(QUEUE);
        (Self { queue, lagged: false }, receiver)
    }

    /// Puts an event into the queue, or drops it when there is no room.
    pub(super) fn offer(&mut self, event: StreamEvent) {
        self.lagged = self.lagged || self.queue.try_send(event).is_err();
    }

    /// Puts an event into the queue as soon as there is room: for those that the owner must have.
    pub(super) async fn deliver(&mut self, event: StreamEvent) -> Result<(), Gone> {
        if self.lagged {
            self.queue.send(StreamEvent::Gap).await.map_err(|_| Gone)?;
            self.lagged = false;
        }
        self.queue.send(event).await.map_err(|_| Gone)
    }

    /// Tells an owner that was too slow so as soon as there is room, and returns when the owner has dropped its handle.
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
