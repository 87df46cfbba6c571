//! Whether devices are connected. Each connection of a device has a generation; only the newest may say Offline.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};

use super::connection_history;

/// `connection_status` of the wire.
pub(crate) const ONLINE: &str = "Online";
/// `connection_status` of the wire.
pub(crate) const OFFLINE: &str = "Offline";

/// A device and the digest of its link key.
#[derive(Clone, sqlx::FromRow)]
pub(crate) struct LinkKeyRow {
    pub(crate) id: i64,
    pub(crate) link_key_hash: String,
}

pub(crate) async fn link_key(db: &Db, dsn: &str) -> Result<Option<LinkKeyRow>> {
    db.fetch_optional("select id, link_key_hash from device where dsn = $1", params![dsn]).await
}

/// The device's time zone, a name of the tz database.
pub(crate) async fn time_zone(db: &Db, device_id: i64) -> Result<Option<String>> {
    let row = db.fetch_optional("select tz_id from device where id = $1", params![device_id]).await?;
    Ok(row.and_then(|(tz_id,)| tz_id))
}

/// Sets the device Online; answers the generation of this connection.
pub(crate) async fn open(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<i64> {
    let (generation,): (i64,) = tx
        .fetch_one(
            "update device_state set status = $2, connected_at = $3, generation = generation + 1
             where device_id = $1 returning generation",
            params![device_id, ONLINE, now],
        )
        .await?;
    tx.execute("update device set activated_at = $2 where id = $1 and activated_at is null", params![device_id, now])
        .await?;
    Ok(generation)
}

/// Sets the device Offline, unless a newer connection has taken over. Answers whether it did.
pub(crate) async fn close(tx: &mut Tx, device_id: i64, generation: i64) -> Result<bool> {
    let closed = tx
        .execute(
            "update device_state set status = $3 where device_id = $1 and generation = $2 and status <> $3",
            params![device_id, generation, OFFLINE],
        )
        .await?;
    Ok(closed == 1)
}

/// Sets every device Offline: at start nobody is connected. When each of them went nobody knows, so it counts as now.
/// Answers which were not Offline.
pub(crate) async fn sweep(tx: &mut Tx, now: Timestamp) -> Result<Vec<i64>> {
    let sql = "update device_state set status = $1 where status <> $1 returning device_id";
    let swept: Vec<(i64,)> = tx.fetch_all(sql, params![OFFLINE]).await?;
    let devices: Vec<i64> = swept.into_iter().map(|(device_id,)| device_id).collect();
    connection_history::note(tx, &devices, OFFLINE, now).await?;
    Ok(devices)
}
