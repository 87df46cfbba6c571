//! Creates the partitions of the history before they are needed, and moves the history of an earlier version to partitions.

use std::time::Duration;

use jiff::Timestamp;
use platform::clock::Clock;
use platform::db::{Db, Result};
use tokio_util::sync::CancellationToken;

use super::run_periodically;
use crate::store::partitions::{self, MoveStep};

const EVERY: Duration = Duration::from_secs(600);
/// How many datapoints one transaction copies.
const BATCH: i64 = 5_000;
/// The number of datapoints after which the progress is logged again.
const LOG_EVERY: i64 = 100 * BATCH;

pub(crate) async fn run(db: Db, clock: Clock, stop: CancellationToken) {
    let failure = "the partitions of the history could not be maintained";
    run_periodically(EVERY, stop, failure, || maintain(&db, clock.now(), BATCH)).await;
}

/// Creates partitions, and copies at most `batch` datapoints of a history that has none. Returns whether there may be more: 1, or 0.
///
/// # Errors
/// A database error; the next run repeats it.
pub(crate) async fn maintain(db: &Db, now: Timestamp, batch: i64) -> Result<usize> {
    let step = async {
        partitions::create_ahead(db, now).await?;
        partitions::move_step(db, batch).await
    };
    match step.await {
        Ok(None) => Ok(0),
        Ok(Some(MoveStep::Copied { rows, total, of })) => {
            if total == rows || total / LOG_EVERY != (total - rows) / LOG_EVERY {
                tracing::info!(copied = total, of, "the history is being moved to partitions");
            }
            Ok(1)
        }
        Ok(Some(MoveStep::Finished { total })) => {
            tracing::info!(copied = total, "the history was moved to partitions");
            Ok(0)
        }
        Err(error) if error.is_lock_timeout() => {
            tracing::info!("the history is in use by a long transaction: its partitions are changed later");
            Ok(0)
        }
        Err(error) => Err(error),
    }
}
