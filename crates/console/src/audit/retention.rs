//! Deletes old changes.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};

use super::store;
use crate::base::Base;

const INTERVAL: Duration = Duration::from_secs(3600);
const HOURS_PER_DAY: i64 = 24;
/// Rows per statement, which bounds how long concurrent writers wait.
const BATCH: u32 = 1000;

/// Deletes changes older than `days`, every hour. It may be cancelled at any time.
pub(crate) async fn run_retention(base: &Base, days: u32) {
    loop {
        let until = base.clock.now().checked_sub(SignedDuration::from_hours(i64::from(days) * HOURS_PER_DAY));
        // A retention beyond the range of timestamps deletes nothing.
        if let Ok(until) = until
            && let Err(error) = delete_before(&base.db, until, BATCH).await
        {
            tracing::warn!(%error, "old entries of the audit could not be deleted");
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

pub(super) async fn delete_before(db: &Db, until: Timestamp, batch: u32) -> Result<()> {
    while store::delete_before(db, until, batch.into()).await? == u64::from(batch) {}
    Ok(())
}
