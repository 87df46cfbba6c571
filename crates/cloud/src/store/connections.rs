//! The connection status of devices. Each connection of a device has a generation; only the newest can set the device
//! Offline.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use crate::domain::replacements::Replacements;
use crate::records::device::DeviceInfo;

/// `connection_status` of the wire.
pub(crate) const ONLINE: &str = "Online";
/// `connection_status` of the wire.
pub(crate) const OFFLINE: &str = "Offline";

/// A device and the digest of its link key.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct LinkKeyRow {
    pub(crate) id: i64,
    pub(crate) link_key_hash: String,
    pub(crate) is_blocked: bool,
    /// Number of revocations of its connections.
    pub(crate) revocation: i64,
    /// Whether its template is strict.
    pub(crate) is_strict: bool,
    /// In seconds.
    pub(crate) max_keep_alive: i64,
    pub(crate) status: String,
    /// When newer connections last had replaced too many of its connections.
    pub(crate) shared_identity_at: Option<i64>,
}

/// A device whose connections were revoked.
#[derive(Clone, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub(crate) struct RevokedRow {
    pub(crate) dsn: String,
    pub(crate) revocation: i64,
}

/// `None` for an unknown device.
pub(crate) async fn link_key(db: &Db, dsn: &str) -> Result<Option<LinkKeyRow>> {
    db.fetch_optional(
        "select d.id, d.link_key_hash, d.blocked_at is not null as is_blocked, s.revocation, t.strict_reports as is_strict,
                t.max_keep_alive, s.status, s.shared_identity_at
         from device d join device_state s on s.device_id = d.id join template t on t.id = d.template_id
         where d.dsn = $1",
        params![dsn],
    )
    .await
}

/// Revokes the device's connections and sign-ins: nodes close them and do not set such a sign-in Online.
pub(crate) async fn revoke(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<()> {
    let sql = "update device_state set revocation = revocation + 1, revoked_at = $2 where device_id = $1";
    tx.execute(sql, params![device_id, now]).await?;
    Ok(())
}

/// Stores why a connection or a packet of the device was refused last.
pub(crate) async fn record_refusal(tx: &mut Tx, device_id: i64, reason: &str, now: Timestamp) -> Result<()> {
    let sql = "update device_state set refused_at = $2, refusal = $3 where device_id = $1";
    tx.execute(sql, params![device_id, now, reason]).await?;
    Ok(())
}

/// The devices whose connections were revoked after `since`.
pub(crate) async fn revoked(db: &Db, since: Timestamp) -> Result<Vec<RevokedRow>> {
    db.fetch_all(
        "select d.dsn, s.revocation from device_state s join device d on d.id = s.device_id where s.revoked_at > $1",
        params![since],
    )
    .await
}

/// The device's time zone, a name of the tz database.
pub(crate) async fn time_zone(db: &Db, device_id: i64) -> Result<Option<String>> {
    let row = db.fetch_optional("select tz_id from device where id = $1", params![device_id]).await?;
    Ok(row.and_then(|(tz_id,)| tz_id))
}

/// The newest connection of a device.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct HolderRow {
    pub(crate) device_id: i64,
    /// The node that has it.
    pub(crate) cloud_node_id: Option<String>,
}

/// Locks the states of these devices in id order. Returns the connections of those that are Online.
pub(crate) async fn lock_holders(tx: &mut Tx, devices: &[i64]) -> Result<Vec<HolderRow>> {
    let mut holders = Vec::with_capacity(devices.len());
    for run in key_runs(devices) {
        let sql = format!(
            "select device_id, cloud_node_id from device_state where device_id in ({}) and status = '{ONLINE}'
             order by device_id{}",
            placeholders(tx.dialect(), run.len()),
            tx.for_update()
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        holders.extend(tx.fetch_all::<HolderRow>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(holders)
}

/// The generations of the newest connections of these devices.
pub(crate) async fn generations(tx: &mut Tx, devices: &[i64]) -> Result<HashMap<i64, i64>> {
    let mut generations = HashMap::with_capacity(devices.len());
    for run in key_runs(devices) {
        let names = placeholders(tx.dialect(), run.len());
        let sql = format!("select device_id, generation from device_state where device_id in ({names})");
        let keys = run.into_iter().fold(Params::default(), Params::with);
        generations.extend(tx.fetch_all::<(i64, i64)>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(generations)
}

/// The same by dsn.
pub(crate) async fn generations_of(db: &Db, dsns: &[&str]) -> Result<HashMap<String, i64>> {
    let mut generations = HashMap::with_capacity(dsns.len());
    for run in key_runs(dsns) {
        let names = placeholders(db.dialect(), run.len());
        let sql = format!(
            "select d.dsn, s.generation from device d join device_state s on s.device_id = d.id where d.dsn in ({names})"
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        generations.extend(db.fetch_all::<(String, i64)>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(generations)
}

/// Sets the device Online at a node. Returns the generation of the connection, or `None` if the device was removed or revoked
/// since it signed in under `revocation`.
pub(crate) async fn open(
    tx: &mut Tx,
    device_id: i64,
    revocation: i64,
    node: &str,
    now: Timestamp,
) -> Result<Option<i64>> {
    let opened: Option<(i64,)> = tx
        .fetch_optional(
            "update device_state set status = $2, connected_at = $3, silent_since = null, cloud_node_id = $5,
                 generation = generation + 1
             where device_id = $1 and revocation = $4 returning generation",
            params![device_id, ONLINE, now, revocation, node],
        )
        .await?;
    let Some((generation,)) = opened else { return Ok(None) };
    tx.execute("update device set activated_at = $2 where id = $1 and activated_at is null", params![device_id, now])
        .await?;
    Ok(Some(generation))
}

/// Records that a newer connection replaced one of the device. Returns whether that happened too often.
pub(crate) async fn record_replaced(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<bool> {
    let sql = format!("select replacements from device_state where device_id = $1{}", tx.for_update());
    let Some((stored,)) = tx.fetch_optional::<(Option<String>,)>(AssertSqlSafe(sql), params![device_id]).await? else {
        return Ok(false);
    };
    let mut replacements: Replacements = stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let too_many = replacements.add(now);
    let text = serde_json::to_string(&replacements).expect("times can be written");
    tx.execute(
        "update device_state set replacements = $2, shared_identity_at = coalesce($3, shared_identity_at) where device_id = $1",
        params![device_id, text, too_many.then_some(now)],
    )
    .await?;
    Ok(too_many)
}

/// Stores since when the newest connection of the device has been silent, or that it no longer is.
pub(crate) async fn set_silent(tx: &mut Tx, device_id: i64, generation: i64, since: Option<Timestamp>) -> Result<()> {
    let sql = "update device_state set silent_since = $3 where device_id = $1 and generation = $2";
    tx.execute(sql, params![device_id, generation, since]).await?;
    Ok(())
}

/// Stores information that a device reports about itself, if it changed.
pub(crate) async fn describe(tx: &mut Tx, device_id: i64, info: &DeviceInfo) -> Result<()> {
    tx.execute(
        "update device set sw_version = coalesce($2, sw_version), lan_ip = coalesce($3, lan_ip)
         where id = $1 and (coalesce(sw_version, '') <> coalesce($2, sw_version, '')
                            or coalesce(lan_ip, '') <> coalesce($3, lan_ip, ''))",
        params![device_id, info.sw_version.as_deref(), info.lan_ip.map(|address| address.to_string())],
    )
    .await?;
    Ok(())
}

/// Sets the device Offline, unless a newer connection has replaced this one. Returns whether it did.
pub(crate) async fn close(tx: &mut Tx, device_id: i64, generation: i64) -> Result<bool> {
    let closed = tx
        .execute(
            "update device_state set status = $3 where device_id = $1 and generation = $2 and status <> $3",
            params![device_id, generation, OFFLINE],
        )
        .await?;
    Ok(closed == 1)
}
