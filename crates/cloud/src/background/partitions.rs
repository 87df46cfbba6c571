//! Creates the partitions of the history before they are needed.

use std::time::Duration;

use jiff::Timestamp;
use platform::db::{Db, Result};
use platform::nodes::clock_reading::database_time;
use platform::nodes::retention::check_database;
use platform::run::clock::Clock;
use tokio_util::sync::CancellationToken;

use super::run_periodically;
use crate::store::partitions;

const EVERY: Duration = Duration::from_secs(600);

pub(crate) async fn run(db: Db, clock: Clock, stop: CancellationToken) {
    let failure = "the partitions of the history could not be maintained";
    run_periodically(EVERY, stop, failure, || async { maintain_if_trusted(&db, clock.now()).await.map(|()| 0) }).await;
}

/// Creates partitions unless the clock is ahead of the database's. Until it is set back, datapoints are stored without.
///
/// # Errors
/// A database error; the next run repeats it.
pub(crate) async fn maintain_if_trusted(db: &Db, now: Timestamp) -> Result<()> {
    match check_database(database_time(db).await?, now) {
        Ok(()) => maintain(db, now).await,
        Err(doubt) => {
            tracing::error!(%now, %doubt, "no partition of the history is created");
            Ok(())
        }
    }
}

/// Creates partitions, unless a long transaction uses the history.
///
/// # Errors
/// A database error; the next run repeats it.
pub(crate) async fn maintain(db: &Db, now: Timestamp) -> Result<()> {
    match partitions::create_ahead(db, now).await {
        Err(error) if error.is_lock_timeout() => {
            tracing::info!("the history is in use by a long transaction: its partitions are changed later");
            Ok(())
        }
        created => created,
    }
}
