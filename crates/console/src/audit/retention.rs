//! What is old enough is forgotten.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};

use super::store;
use crate::base::Base;

const EVERY: Duration = Duration::from_secs(3600);
const HOURS_PER_DAY: i64 = 24;
/// Deleted at once: whoever writes meanwhile waits for no more.
const BATCH: u32 = 1000;

/// Deletes changes that are older than so many days, for ever. Dropped at any time, it goes on the next time.
pub(crate) async fn run_retention(base: &Base, days: u32) {
    loop {
        let until = base.clock.now().checked_sub(SignedDuration::from_hours(i64::from(days) * HOURS_PER_DAY));
        // What is longer ago than time itself is kept.
        if let Ok(until) = until
            && let Err(error) = delete_before(&base.db, until, BATCH).await
        {
            tracing::warn!(%error, "old entries of the audit could not be deleted");
        }
        tokio::time::sleep(EVERY).await;
    }
}

pub(super) async fn delete_before(db: &Db, until: Timestamp, batch: u32) -> Result<()> {
    while store::delete_before(db, until, batch.into()).await? == u64::from(batch) {}
    Ok(())
}
