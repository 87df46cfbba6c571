//! Finds out whether the clock of this node can be trusted, and corrects what a clock ahead has stored.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;
use platform::db::{Db, Result};
use tokio_util::sync::CancellationToken;

use super::run_periodically;
use crate::store::clock::{self, Lifetimes, Reading, SKEW};

const EVERY: Duration = Duration::from_secs(60);
/// How far the clock may be ahead of PostgreSQL's for partitions and deletions.
const DATABASE_SKEW: SignedDuration = SignedDuration::from_hours(1);
/// How long after its last run retention believes the clock.
const LONGEST_STOP: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Why nothing is deleted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Doubt {
    #[error("the clock is ahead of PostgreSQL's, which reads {0}")]
    Database(Timestamp),
    #[error(
        "the clock is more than a week ahead of {0}, when data was last deleted or another node was seen; if the clock is right, \
         start with --clock-confirmed and the current time"
    )]
    LastRun(Timestamp),
}

/// The times with which retention compares the clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct References {
    /// PostgreSQL's clock.
    pub(crate) database: Option<Timestamp>,
    /// The newest heartbeat of another node.
    pub(crate) heartbeat: Option<Timestamp>,
    /// The last run of retention, or the first start.
    pub(crate) last_run: Option<Timestamp>,
    /// The time that an operator confirmed.
    pub(crate) confirmed: Option<Timestamp>,
}

impl References {
    /// # Errors
    /// A database error.
    pub(crate) async fn load(db: &Db, own_node: &str, confirmed: Option<Timestamp>) -> Result<Self> {
        Ok(Self {
            database: clock::database_time(db).await?,
            heartbeat: clock::newest_heartbeat(db, own_node).await?,
            last_run: clock::reading(db).await?.map(|reading| reading.trusted_at),
            confirmed,
        })
    }

    /// # Errors
    /// [`Doubt`], and nothing may be deleted.
    pub(crate) fn check(self, now: Timestamp) -> std::result::Result<(), Doubt> {
        check_database(self.database, now)?;
        match self.last_run.max(self.heartbeat).max(self.confirmed) {
            Some(newest) if now.duration_since(newest) > LONGEST_STOP => Err(Doubt::LastRun(newest)),
            _ => Ok(()),
        }
    }
}

/// # Errors
/// [`Doubt::Database`].
pub(super) fn check_database(database: Option<Timestamp>, now: Timestamp) -> std::result::Result<(), Doubt> {
    match database {
        Some(database) if now.duration_since(database) > DATABASE_SKEW => Err(Doubt::Database(database)),
        _ => Ok(()),
    }
}

pub(crate) async fn run(db: Db, clock: Clock, lifetimes: Lifetimes, stop: CancellationToken) {
    let failure = "stored times in the future could not be corrected";
    run_periodically(EVERY, stop, failure, || async { observe(&db, lifetimes, clock.now()).await.map(|()| 0) }).await;
}

/// Records the time. If a node has seen a later one, its clock was ahead: corrects the times that it stored. If PostgreSQL has seen
/// that time, too, this clock is behind, and nothing is corrected.
///
/// # Errors
/// A database error; the next call repeats it.
pub(crate) async fn observe(db: &Db, lifetimes: Lifetimes, now: Timestamp) -> Result<()> {
    match clock::reading(db).await? {
        Some(Reading { seen_at, .. }) if seen_at > now + SKEW => {
            if clock::database_time(db).await?.is_some_and(|database| database + SKEW >= seen_at) {
                tracing::error!(%seen_at, %now, "the clock is behind those of other nodes and of PostgreSQL");
                return Ok(());
            }
            tracing::error!(%seen_at, "the clock was ahead and was set back: stored times in the future now count as now");
            clock::correct(db, lifetimes, now).await
        }
        _ => clock::record(db, now).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_trusted_only_if_all_references_agree() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let ago = |hours| Some(now - SignedDuration::from_hours(hours));
        let years = 2 * 365 * 24;
        let none = References::default();
        let database = |hours| Doubt::Database(ago(hours).unwrap());
        let last_run = |hours| Doubt::LastRun(ago(hours).unwrap());
        for (references, expected) in [
            (none, Ok(())),
            (References { last_run: ago(168), ..none }, Ok(())),
            (References { last_run: ago(169), ..none }, Err(last_run(169))),
            (References { last_run: ago(years), database: ago(years), ..none }, Err(database(years))),
            (References { last_run: ago(0), database: ago(2), ..none }, Err(database(2))),
            (References { last_run: ago(years), database: ago(0), ..none }, Err(last_run(years))),
            (References { last_run: ago(years), heartbeat: ago(0), database: ago(0), ..none }, Ok(())),
            (References { last_run: ago(years), heartbeat: ago(years - 1), ..none }, Err(last_run(years - 1))),
            (References { last_run: ago(years), confirmed: ago(1), ..none }, Ok(())),
            (References { confirmed: ago(1), database: ago(years), ..none }, Err(database(years))),
        ] {
            assert_eq!(references.check(now), expected, "{references:?}");
        }
    }
}
