//! The one row about the passes: who asked for one, and how far they came. Any node may ask; one node runs them.

use jiff::Timestamp;
use platform::clock::from_micros;
use platform::db::{Db, Result, params};
use platform::lease::{self, Lease};

/// The lease of the node that runs the passes.
pub(crate) const LEASE: &str = "index";

/// How the passes stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SyncState {
    /// The number of the last wish.
    pub(crate) requested: i64,
    /// Up to which number they are fulfilled.
    pub(crate) completed: i64,
    /// Nothing that happened before is missing from the index; `None` until it has been filled.
    pub(crate) as_of: Option<Timestamp>,
}

/// Asks for a pass that begins after this; answers the number of the wish.
pub(crate) async fn request_pass(db: &Db) -> Result<i64> {
    let mut tx = db.begin().await?;
    let (requested,) =
        tx.fetch_one("UPDATE idx_sync SET wanted = wanted + 1 WHERE id = 1 RETURNING wanted", params![]).await?;
    tx.commit().await?;
    Ok(requested)
}

/// How the passes stand now.
pub(crate) async fn sync_state(db: &Db) -> Result<SyncState> {
    let sql = "SELECT wanted, served, as_of FROM idx_sync WHERE id = 1";
    let (requested, completed, as_of): (i64, i64, Option<i64>) = db.fetch_one(sql, params![]).await?;
    Ok(SyncState { requested, completed, as_of: as_of.map(from_micros) })
}

/// Nothing that happened before this is missing from the index. `None` until it has been filled once.
pub(crate) async fn as_of(db: &Db) -> Result<Option<Timestamp>> {
    Ok(sync_state(db).await?.as_of)
}

/// A pass that began at `began`, when `wanted` was the last wish, is complete. Answers false when the lease was taken away:
/// what the pass wrote may have been dropped since.
pub(super) async fn complete(db: &Db, lease: &Lease, began: Timestamp, requested: i64) -> Result<bool> {
    let mut tx = db.begin().await?;
    if !lease.confirm(&mut tx).await? {
        return Ok(false);
    }
    tx.execute(
        "UPDATE idx_sync SET as_of = CASE WHEN as_of > $1 THEN as_of ELSE $1 END, \
         served = CASE WHEN served > $2 THEN served ELSE $2 END WHERE id = 1",
        params![began, requested],
    )
    .await?;
    tx.commit().await?;
    Ok(true)
}

/// Nobody who came before this is missing from the index of people. `None` until it has been filled once.
pub(crate) async fn people_as_of(db: &Db) -> Result<Option<Timestamp>> {
    let sql = "SELECT users_as_of FROM idx_sync WHERE id = 1";
    let (as_of,): (Option<i64>,) = db.fetch_one(sql, params![]).await?;
    Ok(as_of.map(from_micros))
}

/// A pass over people that began at `began` is complete. Answers false when the lease was taken away, as [`complete`].
pub(crate) async fn complete_people(db: &Db, lease: &Lease, began: Timestamp) -> Result<bool> {
    let mut tx = db.begin().await?;
    if !lease.confirm(&mut tx).await? {
        return Ok(false);
    }
    tx.execute("UPDATE idx_sync SET users_as_of = $1 WHERE id = 1", params![began]).await?;
    tx.commit().await?;
    Ok(true)
}

/// Drops what the index holds and asks for a pass. One that is running does not count: it would leave out what it had
/// filled before.
pub(crate) async fn drop_index(db: &Db) -> Result<()> {
    let mut tx = db.begin().await?;
    lease::revoke(&mut tx, LEASE).await?;
    // In the order in which everybody takes these tables, or two could wait for each other.
    tx.execute("DELETE FROM idx_device_state", params![]).await?;
    tx.execute("DELETE FROM idx_devices", params![]).await?;
    tx.execute("DELETE FROM idx_users", params![]).await?;
    let sql = "UPDATE idx_sync SET wanted = wanted + 1, as_of = NULL, users_as_of = NULL WHERE id = 1";
    tx.execute(sql, params![]).await?;
    tx.commit().await
}
