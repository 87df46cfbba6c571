//! Publishes change notifications within a process.
//!
//! An event has a subject (`device.SC0001`) and a payload. The part of the subject before its first dot is its purpose. Every
//! purpose has its own queue, so that a burst of one kind does not affect listeners of another. Purposes are a few constants.
//!
//! The database is the source of truth; an event only says that something changed. A subscriber that lags behind gets
//! [`Resync`](Delivery::Resync).

mod channels;

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::broadcast;

use self::channels::Channels;

/// A bus within this process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bus {
    channels: Arc<Channels>,
}

#[derive(Clone, Debug)]
struct Message {
    subject: Arc<str>,
    payload: Bytes,
}

impl Message {
    fn purpose(&self) -> &str {
        purpose_of(&self.subject)
    }
}

/// The part of a subject or a prefix before its first dot.
fn purpose_of(subject: &str) -> &str {
    subject.split_once('.').map_or(subject, |(purpose, _)| purpose)
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
        Self { channels: Arc::default() }
    }

    /// Publishes an event. It is not an error if nobody subscribes.
    pub fn publish(&self, subject: impl Into<Arc<str>>, payload: impl Into<Bytes>) {
        let message = Message { subject: subject.into(), payload: payload.into() };
        debug_assert!(!message.purpose().is_empty(), "an event has a purpose");
        self.channels.deliver(message);
    }

    /// Subscribes to all future events whose subject starts with `prefix`, which must begin with a whole purpose: `events`,
    /// `device.` or `device.SC`.
    #[must_use]
    pub fn subscribe(&self, prefix: &str) -> Subscription {
        debug_assert!(!purpose_of(prefix).is_empty(), "a subscription has a purpose");
        Subscription { prefix: prefix.to_owned(), receiver: self.channels.subscribe(purpose_of(prefix)) }
    }
}

impl Subscription {
    /// The next item, or `None` once every sender is dropped. Cancel safe.
    pub async fn next(&mut self) -> Option<Delivery> {
        use broadcast::error::RecvError;
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

    #[test]
    fn purpose_ends_at_the_first_dot() {
        for (subject, purpose) in [("events", "events"), ("link.SC.1", "link"), ("link.", "link"), ("", ""), (".x", "")]
        {
            assert_eq!(purpose_of(subject), purpose, "{subject}");
        }
    }

    #[tokio::test]
    async fn subscription_ends_when_the_bus_is_dropped() {
        let bus = Bus::in_process();
        let mut listener = bus.subscribe("device.");
        drop(bus);
        assert_eq!(listener.next().await, None);
    }

    #[tokio::test]
    async fn lagging_subscriber_gets_resync_and_one_of_another_purpose_does_not() {
        let bus = Bus::in_process();
        let (mut slow, mut other) = (bus.subscribe("device."), bus.subscribe("session."));
        for _ in 0..5000 {
            bus.publish("device.A", "old");
        }
        bus.publish("session.X", "");
        assert_eq!(slow.next().await, Some(Delivery::Resync));
        let event = Delivery::Message { subject: "session.X".into(), payload: Bytes::new() };
        assert_eq!(other.next().await, Some(event));
    }
}
