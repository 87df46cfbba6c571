//! Publishes change notifications to all nodes on one database.
//!
//! An event has a subject (`device.SC0001`) and a payload. The part of the subject before its first dot is its purpose. Every
//! purpose has its own queues, so that a burst of one kind does not affect listeners of another. Purposes are a few constants.
//!
//! The database is the source of truth; an event only says that something changed. Publishing never waits and never fails.
//! Whenever events may have been lost, the subscriptions concerned get [`Resync`](Delivery::Resync). A [`Bus`] has three forms,
//! chosen by its [`BusAddress`]: within a process, by PostgreSQL's `LISTEN` and `NOTIFY`, and by NATS. A node hears its own
//! events at once, in every form.

mod address;
mod channels;
mod link;
mod nats;
mod neighbors;
mod postgres;
mod session;

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{broadcast, watch};

use self::channels::{Channels, Item};
use self::link::Remote;
use self::session::LinkError;
pub use address::{AddressError, BusAddress, NatsAddress};
pub use link::BusLink;
pub(crate) use link::losses;
pub use neighbors::Neighbors;

use crate::db::{self, Db};
use crate::run::random::Random;

/// Payloads up to this many bytes reach other nodes in every form of the bus. A larger one may reach them as
/// [`Resync`](Delivery::Resync), because PostgreSQL notifies of at most 8,000 bytes, in which bytes that are no text take a third more.
pub const SAFE_PAYLOAD: usize = 5_500;

/// A bus. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bus {
    channels: Arc<Channels>,
    /// The way to other nodes, if there is one.
    remote: Option<Remote>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Why a bus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// PostgreSQL's `NOTIFY` reaches only clients of one database.
    #[error("the bus `postgres` needs a PostgreSQL database")]
    NeedsPostgres,
    /// The installation's name on NATS cannot be read or stored.
    #[error(transparent)]
    Database(#[from] db::Error),
    /// A file of the NATS address cannot be used.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The server does not answer, or refuses this program.
    #[error("the server of the bus cannot be used: {0}")]
    Unreachable(LinkError),
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
    receiver: broadcast::Receiver<Item>,
}

impl Bus {
    /// Creates a bus within this process.
    #[must_use]
    pub fn in_process() -> Self {
        Self { channels: Arc::default(), remote: None }
    }

    /// Creates a bus that reaches the other nodes on this database, and tries to connect for a few seconds. The link must be
    /// [run](BusLink::run); it connects again whenever the connection is lost. A bus within the process has no link.
    ///
    /// # Errors
    /// [`BusError`]. An unreachable server is not an error.
    pub async fn connect(address: &BusAddress, db: &Db, random: &Random) -> Result<(Self, Option<BusLink>), BusError> {
        let channels = Arc::new(Channels::default());
        let Some(connector) = link::Connector::new(address, db, random).await? else {
            return Ok((Self { channels, remote: None }, None));
        };
        let (remote, link) = BusLink::connect(connector, Arc::clone(&channels), random.clone()).await;
        Ok((Self { channels, remote: Some(remote) }, Some(link)))
    }

    /// Checks that the server of a bus lets this program subscribe. Stores nothing, and no node hears of it.
    ///
    /// # Errors
    /// [`BusError`].
    pub async fn probe(address: &BusAddress, db: &Db, random: &Random) -> Result<(), BusError> {
        link::probe(address, db, random).await
    }

    /// Publishes an event. It is not an error if nobody subscribes. Events of one publisher arrive in their order.
    pub fn publish(&self, subject: impl Into<Arc<str>>, payload: impl Into<Bytes>) {
        let message = Message { subject: subject.into(), payload: payload.into() };
        debug_assert!(!message.purpose().is_empty(), "an event has a purpose");
        if let Some(remote) = &self.remote {
            remote.send(message.clone());
        }
        self.channels.deliver(message);
    }

    /// Subscribes to all future events whose subject starts with `prefix`, which must begin with a whole purpose: `events`,
    /// `device.` or `device.SC`.
    ///
    /// The first subscription for a purpose gets [`Resync`](Delivery::Resync) when this node begins to hear the purpose from
    /// other nodes.
    #[must_use]
    pub fn subscribe(&self, prefix: &str) -> Subscription {
        debug_assert!(!purpose_of(prefix).is_empty(), "a subscription has a purpose");
        Subscription { prefix: prefix.to_owned(), receiver: self.channels.subscribe(purpose_of(prefix)) }
    }

    /// Whether the bus works now. Always true within a process.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.remote.as_ref().is_none_or(Remote::is_connected)
    }

    /// Whether this node hears other nodes now. Never true within a process.
    #[must_use]
    pub fn hears_others(&self) -> bool {
        self.remote.as_ref().is_some_and(Remote::is_connected)
    }

    /// Changes when the connection to other nodes is lost or returns. `None` within a process.
    #[must_use]
    pub fn connection(&self) -> Option<watch::Receiver<bool>> {
        self.remote.as_ref().map(Remote::connection)
    }
}

impl Subscription {
    /// The next item, or `None` once every sender is dropped. Cancel safe.
    pub async fn next(&mut self) -> Option<Delivery> {
        use broadcast::error::RecvError;
        loop {
            match self.receiver.recv().await {
                Ok(Item::Message(Message { subject, payload })) if subject.starts_with(&self.prefix) => {
                    return Some(Delivery::Message { subject, payload });
                }
                Ok(Item::Message(_)) => {}
                Ok(Item::Resync) | Err(RecvError::Lagged(_)) => {
                    metrics::counter!("sillage_bus_resyncs_total").increment(1);
                    return Some(Delivery::Resync);
                }
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
}
