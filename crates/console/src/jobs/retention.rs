//! Deletes old jobs.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};

use super::{store, writes};

/// How long an ended job can be read and retried.
const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Deletes old jobs, and what older ones wrote.
pub(crate) async fn delete_old_jobs(db: &Db, now: Timestamp) -> Result<()> {
    store::delete_ended_before(db, now - RETENTION).await?;
    writes::delete_ended_before(db, now - writes::UNDO_PERIOD).await?;
    Ok(())
}
