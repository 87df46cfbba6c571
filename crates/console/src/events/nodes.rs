//! The consoles on one PostgreSQL database, which must share a bus. Each counts its heartbeats in the database and sends them by the bus,
//! so that the others notice one that they do not hear.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::bus::Neighbors;
use platform::db::{Db, Result, params};

use crate::base::Base;

const INTERVAL: Duration = Duration::from_secs(2);
/// The rows of nodes that were killed are kept for so long.
const KEPT: SignedDuration = SignedDuration::from_hours(1);

/// This console among those on its database.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    base: Base,
    id: String,
    neighbors: Neighbors,
}

impl Nodes {
    pub(crate) fn new(base: &Base) -> Self {
        Self { base: base.clone(), id: base.random.hex(8), neighbors: Neighbors::new(base.bus.clone()) }
    }

    /// Never returns.
    pub(crate) async fn run(&self) {
        let beating = async {
            loop {
                tokio::time::sleep(INTERVAL).await;
                match self.beat_and_check().await {
                    // The database logs its own unavailability.
                    Err(error) if error.is_unavailable() => {}
                    Err(error) => tracing::error!(%error, "the heartbeats of consoles could not be stored or read"),
                    Ok(()) => {}
                }
            }
        };
        tokio::join!(self.neighbors.listen(), beating);
    }

    /// Removes this console from the database.
    pub(crate) async fn leave(&self) {
        if let Err(error) =
            self.base.db.execute("delete from console_nodes where id = $1", params![self.id.as_str()]).await
        {
            tracing::warn!(%error, "this console could not sign off");
        }
    }

    async fn beat_and_check(&self) -> Result<()> {
        let (db, now) = (&self.base.db, self.base.clock.now());
        let sql = "insert into console_nodes (id, beats, beat_at) values ($1, 1, $2)
                   on conflict (id) do update set beats = console_nodes.beats + 1, beat_at = excluded.beat_at";
        db.execute(sql, params![self.id.as_str(), now]).await?;
        self.neighbors.beat(&self.id);
        let sql = "select id, beats from console_nodes where id <> $1";
        let others: Vec<(String, i64)> = db.fetch_all(sql, params![self.id.as_str()]).await?;
        for node in self.neighbors.check(others.iter().map(|(id, beats)| (id.as_str(), *beats))) {
            tracing::error!(
                node,
                "a console on this database is not on the bus of this one (--bus): changes arrive late"
            );
        }
        Ok(())
    }
}

/// Deletes the rows of nodes that were killed.
///
/// # Errors
/// A database error.
pub(crate) async fn delete_dead(db: &Db, now: Timestamp) -> Result<()> {
    db.execute("delete from console_nodes where beat_at < $1", params![now - KEPT]).await?;
    Ok(())
}
