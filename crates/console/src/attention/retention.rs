//! Deletes old items.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};
use platform::nodes::retention::batches;

use super::items;

/// How long closed items are kept.
const RETENTION: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Maximum number of closed items that are deleted at once.
const BATCH: i64 = 500;

/// Deletes the items that closed long ago, with their comments.
pub(crate) async fn delete_old_items(db: &Db, now: Timestamp) -> Result<()> {
    batches(|| items::delete_closed(db, now - RETENTION, BATCH)).await
}
