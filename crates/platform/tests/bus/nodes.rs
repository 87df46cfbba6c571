//! Nodes that share a bus.

use bytes::Bytes;
use platform::bus::{Bus, BusAddress, Delivery, Subscription};
use platform::db::{Db, params};
use platform::run::random::Random;
use platform::testing::{NatsServer, TestDb};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::soon;

/// The forms of a bus that reach other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Memory,
    Postgres,
    Nats,
}

/// A database, and the server of its bus.
pub(crate) struct Installation {
    pub(crate) db: TestDb,
    pub(crate) address: BusAddress,
    pub(crate) server: Option<NatsServer>,
    in_process: Bus,
}

impl Installation {
    pub(crate) async fn new(form: Form) -> Self {
        match form {
            Form::Memory => Self::with(TestDb::sqlite().await, "memory", None).await,
            Form::Postgres => Self::with(TestDb::postgres().await, "postgres", None).await,
            Form::Nats => {
                let server = NatsServer::start();
                Self::with(TestDb::sqlite().await, &server.url(), Some(server)).await
            }
        }
    }

    pub(crate) async fn with(db: TestDb, address: &str, server: Option<NatsServer>) -> Self {
        let table = "create table bus_scope (id bigint not null primary key, scope text not null)";
        db.execute(table, params![]).await.unwrap();
        Self { db, address: address.parse().unwrap(), server, in_process: Bus::in_process() }
    }

    pub(crate) async fn node(&self) -> Node {
        self.node_at(&self.address, &self.db.db).await
    }

    /// A node that reaches the server of the bus at another address.
    pub(crate) async fn node_at(&self, address: &BusAddress, db: &Db) -> Node {
        let (bus, link) = Bus::connect(address, db, &Random::system()).await.unwrap();
        let stop = CancellationToken::new();
        match link {
            Some(link) => _ = tokio::spawn(link.run(stop.clone())),
            None => return Node { bus: self.in_process.clone(), stop: stop.drop_guard() },
        }
        Node { bus, stop: stop.drop_guard() }
    }
}

/// A node; stopped on drop.
pub(crate) struct Node {
    pub(crate) bus: Bus,
    pub(crate) stop: DropGuard,
}

impl Node {
    /// Subscribes, and waits until the node hears the purpose from others. For the node's first subscription for a purpose.
    pub(crate) async fn listen(&self, prefix: &str) -> Subscription {
        let mut subscription = self.bus.subscribe(prefix);
        if self.bus.connection().is_some() {
            assert_eq!(next(&mut subscription).await, Delivery::Resync);
        }
        subscription
    }

    /// Waits until the bus is connected, or disconnected.
    pub(crate) async fn until_connected(&self, connected: bool) {
        let mut connection = self.bus.connection().unwrap();
        soon(connection.wait_for(|now| *now == connected)).await.unwrap();
        assert_eq!(self.bus.is_connected(), connected);
    }
}

pub(crate) async fn next(subscription: &mut Subscription) -> Delivery {
    soon(subscription.next()).await.expect("the bus is open")
}

pub(crate) fn event(subject: &str, payload: impl Into<Bytes>) -> Delivery {
    Delivery::Message { subject: subject.into(), payload: payload.into() }
}
