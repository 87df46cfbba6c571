//! Publishes change notifications within a process.
//!
//! An event has a subject (`device.SC0001`) and a payload. The database is the source of truth; an event only says that
//! something changed. A subscriber that lags behind gets [`Resync`](Delivery::Resync).

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// How many events a subscriber may lag behind before it must resync.
const CAPACITY: usize = 4096;

/// A bus within this process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bus {
    sender: broadcast::Sender<Message>,
}

#[derive(Clone, Debug)]
struct Message {
    subject: Arc<str>,
    payload: Bytes,
}

/// An item of a [`Subscription`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// An event was published with a subject that starts with the subscription's prefix.
    Message {
        /// The full subject.
        subject: Arc<str>,
        /// The payload of the event.
        payload: Bytes,
    },
    /// Events may have been missed; reload everything that depends on them.
    Resync,
}

/// A subscription to events by subject prefix.
#[derive(Debug)]
pub struct Subscription {
    prefix: String,
    receiver: broadcast::Receiver<Message>,
}

impl Bus {
    /// Creates a bus within this process.
    #[must_use]
    pub fn in_process() -> Self {
        Self { sender: broadcast::channel(CAPACITY).0 }
    }

    /// Publishes an event. It is not an error if nobody subscribes.
    pub fn publish(&self, subject: impl Into<Arc<str>>, payload: impl Into<Bytes>) {
        let _ = self.sender.send(Message { subject: subject.into(), payload: payload.into() });
    }

    /// Subscribes to all future events whose subject starts with `prefix`.
    #[must_use]
    pub fn subscribe(&self, prefix: &str) -> Subscription {
        Subscription { prefix: prefix.to_owned(), receiver: self.sender.subscribe() }
    }
}

impl Subscription {
    /// The next item, or `None` once every sender is dropped. Cancel safe.
    pub async fn next(&mut self) -> Option<Delivery> {
        loop {
            match self.receiver.recv().await {
                Ok(Message { subject, payload }) if subject.starts_with(&self.prefix) => {
                    return Some(Delivery::Message { subject, payload });
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return Some(Delivery::Resync),
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(subject: &str, payload: &'static str) -> Option<Delivery> {
        Some(Delivery::Message { subject: subject.into(), payload: Bytes::from_static(payload.as_bytes()) })
    }

    #[tokio::test]
    async fn subscriber_gets_events_of_its_prefix_in_order() {
        let bus = Bus::in_process();
        let mut devices = bus.subscribe("device.");
        bus.publish("device.A", "1");
        bus.publish("session.X", "2");
        bus.publish("device.B", "3");
        assert_eq!(devices.next().await, message("device.A", "1"));
        assert_eq!(devices.next().await, message("device.B", "3"));
    }

    #[tokio::test]
    async fn lagging_subscriber_gets_resync_and_continues() {
        let bus = Bus::in_process();
        let mut slow = bus.subscribe("");
        for _ in 0..=CAPACITY {
            bus.publish("device.A", "old");
        }
        assert_eq!(slow.next().await, Some(Delivery::Resync));
        assert_eq!(slow.next().await, message("device.A", "old"));
    }

    #[tokio::test]
    async fn subscription_ends_when_the_bus_is_dropped() {
        let bus = Bus::in_process();
        let mut listener = bus.subscribe("");
        drop(bus);
        assert_eq!(listener.next().await, None);
    }
}
