//! Tells whoever listens that something changed.
//!
//! A message is a subject (`device.SC0001`) and a payload. No acknowledged write depends on it: the database is the truth,
//! the bus only says that it is time to look. A listener that could not keep up is told to [`Resync`](Delivery::Resync).

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// How many messages a listener may lag behind before it has to resync.
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

/// What a [`Subscription`] brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Something was published under a subject that begins with the subscription's prefix.
    Message {
        /// The subject in full.
        subject: Arc<str>,
        /// What the publisher said.
        payload: Bytes,
    },
    /// Messages may have been missed: read again whatever depends on them.
    Resync,
}

/// One listener's end of the bus.
#[derive(Debug)]
pub struct Subscription {
    prefix: String,
    receiver: broadcast::Receiver<Message>,
}

impl Bus {
    /// A bus that connects the parts of this process.
    #[must_use]
    pub fn in_process() -> Self {
        Self { sender: broadcast::channel(CAPACITY).0 }
    }

    /// Publishes `payload` under `subject`. Nobody listening is no error.
    pub fn publish(&self, subject: impl Into<Arc<str>>, payload: impl Into<Bytes>) {
        let _ = self.sender.send(Message { subject: subject.into(), payload: payload.into() });
    }

    /// Listens to every subject that begins with `prefix`, from now on.
    #[must_use]
    pub fn subscribe(&self, prefix: &str) -> Subscription {
        Subscription { prefix: prefix.to_owned(), receiver: self.sender.subscribe() }
    }
}

impl Subscription {
    /// The next delivery; `None` once every sender is gone. Dropping the future loses nothing.
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
    async fn a_listener_gets_the_subjects_of_its_prefix_in_order() {
        let bus = Bus::in_process();
        let mut devices = bus.subscribe("device.");
        bus.publish("device.A", "1");
        bus.publish("session.X", "2");
        bus.publish("device.B", "3");
        assert_eq!(devices.next().await, message("device.A", "1"));
        assert_eq!(devices.next().await, message("device.B", "3"));
    }

    #[tokio::test]
    async fn a_listener_that_lagged_is_told_to_resync_and_goes_on() {
        let bus = Bus::in_process();
        let mut slow = bus.subscribe("");
        for _ in 0..=CAPACITY {
            bus.publish("device.A", "old");
        }
        assert_eq!(slow.next().await, Some(Delivery::Resync));
        assert_eq!(slow.next().await, message("device.A", "old"));
    }

    #[tokio::test]
    async fn a_listener_ends_when_the_bus_is_gone() {
        let bus = Bus::in_process();
        let mut listener = bus.subscribe("");
        drop(bus);
        assert_eq!(listener.next().await, None);
    }
}
