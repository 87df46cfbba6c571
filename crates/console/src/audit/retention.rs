//! Deletes old changes.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};
use platform::nodes::retention::batches;

use super::store;

const HOURS_PER_DAY: i64 = 24;
/// Rows per statement, which bounds how long concurrent writers wait.
const BATCH: u32 = 1000;

/// Deletes changes older than `days`.
pub(crate) async fn delete_old_changes(db: &Db, now: Timestamp, days: u32) -> Result<()> {
    match now.checked_sub(SignedDuration::from_hours(i64::from(days) * HOURS_PER_DAY)) {
        Ok(until) => delete_before(db, until, BATCH).await,
        // A retention beyond the range of timestamps deletes nothing.
        Err(_) => Ok(()),
    }
}

pub(super) async fn delete_before(db: &Db, until: Timestamp, batch: u32) -> Result<()> {
    batches(|| async { Ok(store::delete_before(db, until, batch.into()).await? == u64::from(batch)) }).await
}
