//! Deletes old keys.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};

use super::store;
use crate::base::Base;

/// How long a key is kept.
pub(super) const RETENTION: SignedDuration = SignedDuration::from_hours(24);
const CLEANUP_INTERVAL: Duration = Duration::from_secs(3600);
/// Rows per statement, which bounds how long concurrent writers wait.
const BATCH: u32 = 1000;

/// Deletes old keys, forever. Cancel-safe.
pub(crate) async fn delete_old_keys_forever(base: &Base) {
    loop {
        if let Err(error) = delete_until(&base.db, base.clock.now() - RETENTION, BATCH).await {
            tracing::warn!(%error, "old idempotency keys could not be deleted");
        }
        tokio::time::sleep(CLEANUP_INTERVAL).await;
    }
}

async fn delete_until(db: &Db, until: Timestamp, batch: u32) -> Result<()> {
    while store::delete_until(db, until, batch.into()).await? == u64::from(batch) {}
    Ok(())
}
