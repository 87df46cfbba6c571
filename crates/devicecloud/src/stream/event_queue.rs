use tokio::sync::mpsc;

use crate::stream::events::StreamEvent;

/// More than a read of the socket delivers at once, and a second of events of a large fleet.
const QUEUE: usize = 4096;

/// A bounded queue of events for the application. If it is full, events are dropped and replaced by one `Gap`, so that
/// a slow application cannot delay the socket's heartbeats.
pub(super) struct EventQueue {
    sender: mpsc::Sender<StreamEvent>,
    lagged: bool,
}

/// The application dropped its handle.
#[derive(Debug, PartialEq)]
pub(super) struct HandleDropped;

impl EventQueue {
    pub(super) fn new() -> (Self, mpsc::Receiver<StreamEvent>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self { sender, lagged: false }, receiver)
    }

    /// Queues an event, or drops it if the queue is full.
    pub(super) fn try_push(&mut self, event: StreamEvent) {
        self.lagged = self.lagged || self.sender.try_send(event).is_err();
    }

    /// Waits for room and queues an event that must not be lost.
    pub(super) async fn push(&mut self, event: StreamEvent) -> Result<(), HandleDropped> {
        if self.lagged {
            self.sender.send(StreamEvent::Gap).await.map_err(|_| HandleDropped)?;
            self.lagged = false;
        }
        self.sender.send(event).await.map_err(|_| HandleDropped)
    }

    /// Queues a pending `Gap` as soon as there is room, then waits until the handle is dropped.
    pub(super) async fn closed(&mut self) -> HandleDropped {
        if self.lagged {
            if self.sender.send(StreamEvent::Gap).await.is_err() {
                return HandleDropped;
            }
            self.lagged = false;
        }
        self.sender.closed().await;
        HandleDropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn full_queue_replaces_lost_events_with_one_gap() {
        let (mut queue, mut receiver) = EventQueue::new();
        for _ in 0..QUEUE + 5 {
            queue.try_push(StreamEvent::Disconnected);
        }
        for _ in 0..QUEUE {
            assert!(matches!(receiver.recv().await, Some(StreamEvent::Disconnected)));
        }
        tokio::select! {
            HandleDropped = queue.closed() => panic!("the handle was not dropped"),
            event = receiver.recv() => assert!(matches!(event, Some(StreamEvent::Gap))),
        }
        queue.try_push(StreamEvent::Connected);
        assert!(matches!(receiver.recv().await, Some(StreamEvent::Connected)));
    }

    #[tokio::test]
    async fn dropped_handle_is_detected() {
        let (mut queue, receiver) = EventQueue::new();
        drop(receiver);
        assert_eq!(queue.closed().await, HandleDropped);
        assert_eq!(queue.push(StreamEvent::Connected).await, Err(HandleDropped));
    }
}
