//! Deletes old jobs.

use std::time::Duration;

use jiff::SignedDuration;

use super::store;
use crate::base::Base;

const CLEANUP_INTERVAL: Duration = Duration::from_secs(3600);
/// How long an ended job can be read and retried.
const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Deletes old jobs, forever. Cancel-safe.
pub(crate) async fn delete_old_jobs_forever(base: &Base) {
    loop {
        if let Err(error) = store::delete_ended_before(&base.db, base.clock.now() - RETENTION).await {
            tracing::warn!(%error, "old jobs could not be deleted");
        }
        tokio::time::sleep(CLEANUP_INTERVAL).await;
    }
}
