//! The state of the passes, stored in one row. Any node may request a pass; the node with the lease runs it.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, params};
use platform::nodes::lease::{self, Lease};
use platform::run::clock::from_micros;

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
    /// `None` until the index has been filled.
    pub(crate) times: Option<IndexTimes>,
}

/// The times of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexTimes {
    /// All earlier changes are in the index. Only passes see all of them.
    pub(crate) as_of: Timestamp,
    /// All earlier changes of [states](crate::records::DeviceState), which the stream reports, are in the index. Not before
    /// `as_of`.
    pub(crate) states_as_of: Timestamp,
}

/// Requests a pass that begins after this call and returns the request's number.
pub(crate) async fn request_pass(db: &Db) -> Result<i64> {
    let mut tx = db.begin().await?;
    let (requested,) =
        tx.fetch_one("update idx_sync set wanted = wanted + 1 where id = 1 returning wanted", params![]).await?;
    tx.commit().await?;
    Ok(requested)
}

/// Reads the state of the passes.
pub(crate) async fn sync_state(db: &Db) -> Result<SyncState> {
    let sql = "select wanted, served, as_of, states_as_of from idx_sync where id = 1";
    let (requested, completed, as_of, states): (i64, i64, Option<i64>, Option<i64>) =
        db.fetch_one(sql, params![]).await?;
    let times = as_of.map(|as_of| IndexTimes {
        as_of: from_micros(as_of),
        states_as_of: from_micros(states.map_or(as_of, |states| states.max(as_of))),
    });
    Ok(SyncState { requested, completed, times })
}

/// The times of the index. `None` until it has been filled.
pub(crate) async fn times(db: &Db) -> Result<Option<IndexTimes>> {
    Ok(sync_state(db).await?.times)
}

/// Records that a pass for all requests up to `requested` is complete. All changes before `as_of` are in the index; `None` if
/// the pass left a device to the next one. Returns false if the lease was revoked: the pass's writes may have been dropped
/// since.
pub(super) async fn complete(db: &Db, lease: &Lease, as_of: Option<Timestamp>, requested: i64) -> Result<bool> {
    let mut tx = db.begin().await?;
    if !lease.confirm(&mut tx).await? {
        return Ok(false);
    }
    tx.execute(
        "update idx_sync set as_of = case when $1 < as_of then as_of else coalesce($1, as_of) end, \
         served = case when served > $2 then served else $2 end where id = 1",
        params![as_of, requested],
    )
    .await?;
    tx.commit().await?;
    Ok(true)
}

/// Records that the stream has been complete since before a complete pass, up to `states_as_of`. Returns false if the lease was
/// revoked.
pub(crate) async fn advance(db: &Db, lease: &Lease, states_as_of: Timestamp) -> Result<bool> {
    let mut tx = db.begin().await?;
    if !lease.confirm(&mut tx).await? {
        return Ok(false);
    }
    tx.execute(ADVANCE, params![states_as_of]).await?;
    tx.commit().await?;
    Ok(true)
}

/// Advances the time of the states, unless the index is empty.
pub(super) const ADVANCE: &str = "update idx_sync set states_as_of = $1 \
                                  where id = 1 and as_of is not null and (states_as_of is null or states_as_of < $1)";

/// All users who existed before this time are in the index. `None` until it has been filled.
pub(crate) async fn people_as_of(db: &Db) -> Result<Option<Timestamp>> {
    let sql = "select users_as_of from idx_sync where id = 1";
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
    tx.execute("update idx_sync set users_as_of = $1 where id = 1", params![began]).await?;
    tx.commit().await?;
    Ok(true)
}

/// Clears the index and requests a pass. A running pass does not count, because it skips what it has already written.
pub(crate) async fn drop_index(db: &Db) -> Result<()> {
    let mut tx = db.begin().await?;
    lease::revoke(&mut tx, LEASE).await?;
    // All writers lock these tables in this order, to prevent deadlocks.
    tx.execute("delete from idx_device_state", params![]).await?;
    tx.execute("delete from idx_devices", params![]).await?;
    tx.execute("delete from idx_users", params![]).await?;
    tx.execute("delete from idx_forecasts", params![]).await?;
    let sql = "update idx_sync set wanted = wanted + 1, as_of = null, states_as_of = null, users_as_of = null \
               where id = 1";
    tx.execute(sql, params![]).await?;
    tx.commit().await
}
