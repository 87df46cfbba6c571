//! The nodes of the cloud on one database.
//!
//! Each node has a row with its heartbeats, and the connection of a device names its node. A node whose heartbeats stop is declared dead
//! by the others, which set its devices Offline. A dead node can connect no device: [`store::nodes::is_alive`] locks its row in the
//! transaction that sets a device Online. A node that was declared dead but still runs gets a new identity; the connections of its
//! former one end.

mod observations;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::SignedDuration;
use platform::bus::{Bus, Neighbors};
use platform::db::{Db, Result, Tx};
use platform::run::clock::Clock;
use platform::run::random::Random;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::observations::Observations;
use crate::reactions::{Occurrence, OccurrenceKind, Reactions};
use crate::store;
use crate::store::connections::OFFLINE;
use crate::store::nodes::BATCH;
use crate::stream::event;

/// Maximum duration of an attempt to deliver a message.
pub(crate) const LONGEST_ATTEMPT: SignedDuration = SignedDuration::from_mins(1);

/// This node among the nodes of the cloud. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    db: Db,
    clock: Clock,
    random: Random,
    bus: Bus,
    reactions: Reactions,
    own: Arc<Mutex<Identity>>,
    observations: Arc<Mutex<Observations>>,
    neighbors: Neighbors,
}

/// An identity of a node. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    id: Arc<str>,
    ended: CancellationToken,
}

impl Identity {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// A new name of a claim of this node; the claims of a dead node are [released](Nodes::sweep).
    pub(crate) fn claim(&self, random: &Random) -> String {
        format!("{}.{}", self.id, random.hex(16))
    }

    /// Resolves when other nodes have declared this node dead. Its connections must end.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }
}

impl Nodes {
    /// Registers a new identity, and sets the devices of dead nodes Offline. `is_alone`: no other node runs, so that all others
    /// are dead.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn join(
        db: Db,
        clock: Clock,
        random: Random,
        bus: Bus,
        reactions: Reactions,
        is_alone: bool,
    ) -> Result<Self> {
        let own = Arc::new(Mutex::new(register(&db, &clock, &random).await?));
        let neighbors = Neighbors::new(bus.clone());
        let nodes = Self { db, clock, random, bus, reactions, own, observations: Arc::default(), neighbors };
        if is_alone {
            for row in store::nodes::others(&nodes.db, nodes.identity().id()).await? {
                // Waits for transactions that the server still executes for a killed process.
                nodes.remove(&row.id).await?;
            }
        }
        nodes.sweep().await?;
        Ok(nodes)
    }

    /// The current identity of this node.
    pub(crate) fn identity(&self) -> Identity {
        self.own.lock().expect("no holder of this lock can panic").clone()
    }

    /// Sends heartbeats, observes those of other nodes, and takes over the work of dead ones, at this interval until `stop`.
    pub(crate) async fn run(self, every: Duration, stop: CancellationToken) {
        // Apart from heartbeats: setting thousands of devices Offline may take longer than a node may be without them.
        let beating = repeat(every, "the heartbeats of nodes could not be stored or read", || self.beat_and_observe());
        let sweeping = repeat(every, "the work of dead nodes could not be taken over", || self.sweep_dead());
        tokio::select! {
            () = stop.cancelled() => {}
            _ = async { tokio::join!(beating, sweeping, self.neighbors.listen()) } => {}
        }
    }

    /// A node that cannot write does not observe: the others may be unable to write, too.
    async fn beat_and_observe(&self) -> Result<()> {
        self.beat().await?;
        self.observe().await
    }

    async fn sweep_dead(&self) -> Result<()> {
        if store::nodes::dead(&self.db).await?.is_empty() { Ok(()) } else { self.sweep().await }
    }

    /// Stores a heartbeat. Takes a new identity if this node was declared dead.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn beat(&self) -> Result<()> {
        let own = self.identity();
        if store::nodes::beat(&self.db, own.id(), self.clock.now()).await? {
            self.neighbors.beat(own.id());
            return Ok(());
        }
        tracing::warn!(
            "other nodes declared this node dead, because its heartbeats were late; its devices must connect again"
        );
        let new = register(&self.db, &self.clock, &self.random).await?;
        *self.own.lock().expect("no holder of this lock can panic") = new;
        own.ended.cancel();
        Ok(())
    }

    /// Declares silent nodes dead.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn observe(&self) -> Result<()> {
        let rows = store::nodes::others(&self.db, self.identity().id()).await?;
        let now = self.clock.now();
        let silent = self.observations.lock().expect("no holder of this lock can panic").record(&rows, now);
        for row in silent {
            if store::nodes::declare_dead(&self.db, &row.id, row.beats, now).await? {
                tracing::warn!(node = row.id, "a node of the cloud sends no heartbeats; its devices are set Offline");
            }
        }
        let alive = rows.iter().filter(|row| !row.is_dead).map(|row| (row.id.as_str(), row.beats));
        for node in self.neighbors.check(alive) {
            tracing::error!(
                node,
                "a node of the cloud on this database is not on the bus of this one (--bus): changes arrive late"
            );
        }
        Ok(())
    }

    /// Sets the devices of dead nodes Offline, and releases the claims of these nodes. The time of the disconnections is unknown, so the
    /// present counts.
    ///
    /// # Errors
    /// A database error; the next call continues.
    pub(crate) async fn sweep(&self) -> Result<()> {
        let dead = store::nodes::dead(&self.db).await?;
        let mut after = Some(i64::MIN);
        while let Some(from) = after {
            after = self.sweep_batch(from).await?;
        }
        for id in dead {
            self.remove(&id).await?;
        }
        Ok(())
    }

    /// Releases the claims of a node and deletes its row.
    async fn remove(&self, id: &str) -> Result<()> {
        let now = self.clock.now();
        store::rule_events::release(&self.db, id, now).await?;
        // The node may still run, without a connection to the database, and send the messages that it has claimed.
        store::outbox::release(&self.db, id, now + LONGEST_ATTEMPT).await?;
        store::nodes::delete(&self.db, id).await
    }

    /// Sets the next devices Offline. Returns the last one if there may be more.
    async fn sweep_batch(&self, after: i64) -> Result<Option<i64>> {
        let now = self.clock.now();
        let sweep = async |mut tx: Tx| -> Result<_> {
            let orphaned = store::nodes::lock_orphaned(&mut tx, after).await?;
            let Some(last) = orphaned.last().copied() else { return Ok(None) };
            let devices = store::nodes::close_orphaned(&mut tx, after, last).await?;
            store::connection_history::record(&mut tx, &devices, OFFLINE, now).await?;
            let offline = |device_id: &i64| Occurrence {
                device_id: *device_id,
                kind: OccurrenceKind::Connectivity { online: false },
            };
            self.reactions.react(&mut tx, &devices.iter().map(offline).collect::<Vec<_>>(), now).await?;
            let origins = store::audience::origins(&mut tx, &devices).await?;
            tx.commit().await?;
            Ok(Some((origins, (orphaned.len() == BATCH).then_some(last))))
        };
        let Some((origins, last)) = self.db.write(sweep).await? else { return Ok(None) };
        let events: Vec<_> = origins.values().map(|origin| event::connectivity(origin, OFFLINE, now)).collect();
        event::publish(&self.bus, &events);
        Ok(last)
    }

    /// Ends this node's identity. `is_clean`: all devices of this node are Offline. Otherwise another node, or the next start, sets them
    /// Offline.
    pub(crate) async fn leave(&self, is_clean: bool) {
        let own = self.identity();
        let left = if is_clean {
            store::nodes::delete(&self.db, own.id()).await
        } else {
            store::nodes::resign(&self.db, own.id(), self.clock.now()).await
        };
        if let Err(error) = left {
            tracing::warn!(%error, "this node could not sign off; other nodes will notice that its heartbeats have stopped");
        }
    }
}

async fn register(db: &Db, clock: &Clock, random: &Random) -> Result<Identity> {
    let id: Arc<str> = random.hex(8).into();
    store::nodes::insert(db, &id, clock.now()).await?;
    Ok(Identity { id, ended: CancellationToken::new() })
}

async fn repeat<F: Future<Output = Result<()>>>(every: Duration, failure: &str, work: impl Fn() -> F) {
    loop {
        sleep(every).await;
        match work().await {
            // The database logs its own unavailability.
            Err(error) if error.is_unavailable() => {}
            Err(error) => tracing::error!(%error, "{failure}"),
            Ok(()) => {}
        }
    }
}
