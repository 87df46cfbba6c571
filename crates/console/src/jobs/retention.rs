//! What is old enough is forgotten.

use std::time::Duration;

use jiff::SignedDuration;

use super::store;
use crate::state::Base;

const EVERY: Duration = Duration::from_secs(3600);
/// So long after its end a job can be looked at and retried.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Deletes jobs that ended long ago, for ever. Dropped at any time, it goes on the next time.
pub(crate) async fn keep_tidy(base: &Base) {
    loop {
        if let Err(error) = store::clear(&base.db, base.clock.now() - KEPT).await {
            tracing::warn!(%error, "old jobs could not be deleted");
        }
        tokio::time::sleep(EVERY).await;
    }
}
