//! Deletes old keys.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};
use platform::nodes::retention::batches;

use super::store;

/// How long a key is kept.
pub(super) const RETENTION: SignedDuration = SignedDuration::from_hours(24);
/// Rows per statement, which bounds how long concurrent writers wait.
const BATCH: u32 = 1000;

/// Deletes old keys.
pub(crate) async fn delete_old_keys(db: &Db, now: Timestamp) -> Result<()> {
    delete_until(db, now - RETENTION, BATCH).await
}

async fn delete_until(db: &Db, until: Timestamp, batch: u32) -> Result<()> {
    batches(|| async { Ok(store::delete_until(db, until, batch.into()).await? == u64::from(batch)) }).await
}
