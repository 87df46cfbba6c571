//! Deletes old jobs.

use std::time::Duration;

use jiff::SignedDuration;

use super::{store, writes};
use crate::base::Base;

const CLEANUP_INTERVAL: Duration = Duration::from_secs(3600);
/// How long an ended job can be read and retried.
const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Deletes old jobs, and what older ones wrote, forever. Cancel-safe.
pub(crate) async fn delete_old_jobs_forever(base: &Base) {
    loop {
        let now = base.clock.now();
        if let Err(error) = store::delete_ended_before(&base.db, now - RETENTION).await {
            tracing::warn!(%error, "old jobs could not be deleted");
        }
        if let Err(error) = writes::delete_ended_before(&base.db, now - writes::UNDO_PERIOD).await {
            tracing::warn!(%error, "what old jobs wrote could not be deleted");
        }
        tokio::time::sleep(CLEANUP_INTERVAL).await;
    }
}
