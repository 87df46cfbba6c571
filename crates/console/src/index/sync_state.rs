//! The state of the passes, stored in one row. Any node may request a pass; the node with the lease runs it.

use jiff::{SignedDuration, Timestamp};
use platform::clock::from_micros;
use platform::db::{Db, Result, params};
use platform::lease::{self, Lease};

/// Name of the lease of the node that runs the passes.
pub(crate) const LEASE: &str = "index";

/// The longest time between a change in the cloud and its event at the console. A late event may replace a newer value
/// that a pass has read, until the next event restores it. Therefore no time later than this before the present is
/// recorded as the time of the index.
pub(crate) const MAX_STREAM_DELAY: SignedDuration = SignedDuration::from_secs(10);

/// Requested and completed passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SyncState {
    /// Number of the last request.
    pub(crate) requested: i64,
    /// Number of the last completed request.
    pub(crate) completed: i64,
    /// See [`as_of`].
    pub(crate) as_of: Option<Timestamp>,
}

/// Requests a pass that begins after this call and returns the request's number.
pub(crate) async fn request_pass(db: &Db) -> Result<i64> {
    let mut tx = db.begin().await?;
    let (requested,) =
        tx.fetch_one("UPDATE idx_sync SET wanted = wanted + 1 WHERE id = 1 RETURNING wanted", params![]).await?;
    tx.commit().await?;
    Ok(requested)
}

/// Reads the state of the passes.
pub(crate) async fn sync_state(db: &Db) -> Result<SyncState> {
    let sql = "SELECT wanted, served, as_of FROM idx_sync WHERE id = 1";
    let (requested, completed, as_of): (i64, i64, Option<i64>) = db.fetch_one(sql, params![]).await?;
    Ok(SyncState { requested, completed, as_of: as_of.map(from_micros) })
}

/// All earlier changes that the stream reports (connections, values, acknowledgements) are in the index, and all other
/// earlier changes up to the start of the last complete pass. `None` until the index has been filled.
pub(crate) async fn as_of(db: &Db) -> Result<Option<Timestamp>> {
    Ok(sync_state(db).await?.as_of)
}

/// Records that a pass, begun at `began` for all requests up to `requested`, is complete at `now`. Returns false if the
/// lease was revoked: the pass's writes may have been dropped since.
pub(super) async fn complete(
    db: &Db,
    lease: &Lease,
    (began, now): (Timestamp, Timestamp),
    requested: i64,
) -> Result<bool> {
    let as_of = began.min(now - MAX_STREAM_DELAY);
    let mut tx = db.begin().await?;
    if !lease.confirm(&mut tx).await? {
        return Ok(false);
    }
    tx.execute(
        "UPDATE idx_sync SET as_of = CASE WHEN as_of > $1 THEN as_of ELSE $1 END, \
         served = CASE WHEN served > $2 THEN served ELSE $2 END WHERE id = 1",
        params![as_of, requested],
    )
    .await?;
    tx.commit().await?;
    Ok(true)
}

/// Records that the stream has been complete since before a complete pass, up to `as_of`. Returns false if the lease was
/// revoked.
pub(crate) async fn advance(db: &Db, lease: &Lease, as_of: Timestamp) -> Result<bool> {
    let mut tx = db.begin().await?;
    if !lease.confirm(&mut tx).await? {
        return Ok(false);
    }
    tx.execute("UPDATE idx_sync SET as_of = $1 WHERE id = 1 AND as_of < $1", params![as_of]).await?;
    tx.commit().await?;
    Ok(true)
}

/// All users who existed before this time are in the index. `None` until it has been filled.
pub(crate) async fn people_as_of(db: &Db) -> Result<Option<Timestamp>> {
    let sql = "SELECT users_as_of FROM idx_sync WHERE id = 1";
    let (as_of,): (Option<i64>,) = db.fetch_one(sql, params![]).await?;
    Ok(as_of.map(from_micros))
}

/// Records that a pass over users, begun at `began`, is complete. Returns false if the lease was revoked, as
/// [`complete`].
pub(crate) async fn complete_people(db: &Db, lease: &Lease, began: Timestamp) -> Result<bool> {
    let mut tx = db.begin().await?;
    if !lease.confirm(&mut tx).await? {
        return Ok(false);
    }
    tx.execute("UPDATE idx_sync SET users_as_of = $1 WHERE id = 1", params![began]).await?;
    tx.commit().await?;
    Ok(true)
}

/// Clears the index and requests a pass. A running pass does not count, because it skips what it has already written.
pub(crate) async fn drop_index(db: &Db) -> Result<()> {
    let mut tx = db.begin().await?;
    lease::revoke(&mut tx, LEASE).await?;
    // All writers lock these tables in this order, to prevent deadlocks.
    tx.execute("DELETE FROM idx_device_state", params![]).await?;
    tx.execute("DELETE FROM idx_devices", params![]).await?;
    tx.execute("DELETE FROM idx_users", params![]).await?;
    let sql = "UPDATE idx_sync SET wanted = wanted + 1, as_of = NULL, users_as_of = NULL WHERE id = 1";
    tx.execute(sql, params![]).await?;
    tx.commit().await
}
