//! Devices, as the machine's operator lists, blocks and removes them.

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

/// A device.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct InventoryRow {
    pub(crate) id: i64,
    pub(crate) dsn: String,
    pub(crate) template: String,
    pub(crate) product_name: String,
    pub(crate) created_at: i64,
    pub(crate) registered: bool,
    pub(crate) registered_at: Option<i64>,
    pub(crate) status: String,
    pub(crate) connected_at: Option<i64>,
    pub(crate) blocked_at: Option<i64>,
    pub(crate) sw_version: Option<String>,
    pub(crate) lan_ip: Option<String>,
    pub(crate) refused_at: Option<i64>,
    pub(crate) refusal: Option<String>,
}

const SELECT: &str =
    "select d.id, d.dsn, t.name as template, d.product_name, d.created_at, d.registered, d.registered_at,
           s.status, s.connected_at, d.blocked_at, d.sw_version, d.lan_ip, s.refused_at, s.refusal
    from device d join template t on t.id = d.template_id join device_state s on s.device_id = d.id";

/// The manufacturer's devices, by dsn.
pub(crate) async fn listed(db: &Db, oem_id: i64) -> Result<Vec<InventoryRow>> {
    let sql = format!("{SELECT} where d.oem_id = $1 order by d.dsn");
    db.fetch_all(AssertSqlSafe(sql), params![oem_id]).await
}

pub(crate) async fn find(db: &Db, oem_id: i64, dsn: &str) -> Result<Option<InventoryRow>> {
    let sql = format!("{SELECT} where d.oem_id = $1 and d.dsn = $2");
    db.fetch_optional(AssertSqlSafe(sql), params![oem_id, dsn]).await
}

/// The distinct values of a device's role labels.
pub(crate) async fn label_values(db: &Db, device_id: i64) -> Result<Vec<String>> {
    let sql = "select distinct label_value from device_label where device_id = $1 order by label_value";
    let rows: Vec<(String,)> = db.fetch_all(sql, params![device_id]).await?;
    Ok(rows.into_iter().map(|(value,)| value).collect())
}

/// An existing device of any manufacturer.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct ExistingRow {
    pub(crate) dsn: String,
    pub(crate) oem_id: i64,
    pub(crate) template: String,
    pub(crate) link_key_hash: String,
}

/// The existing devices among these serial numbers.
pub(crate) async fn existing(db: &Db, dsns: &[&str]) -> Result<Vec<ExistingRow>> {
    let mut existing = Vec::new();
    for run in key_runs(dsns) {
        let sql = format!(
            "select d.dsn, d.oem_id, t.name as template, d.link_key_hash
             from device d join template t on t.id = d.template_id where d.dsn in ({})",
            placeholders(db.dialect(), run.len())
        );
        let values = run.into_iter().fold(Params::default(), Params::with);
        existing.extend(db.fetch_all::<ExistingRow>(AssertSqlSafe(sql), values).await?);
    }
    Ok(existing)
}

/// The state that decides whether a device can be blocked or removed.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct LockedRow {
    pub(crate) id: i64,
    pub(crate) registered: bool,
    pub(crate) status: String,
    pub(crate) blocked_at: Option<i64>,
}

/// Locks a device and its connection state.
pub(crate) async fn lock_rows(tx: &mut Tx, oem_id: i64, dsn: &str) -> Result<Option<LockedRow>> {
    let sql = format!(
        "select d.id, d.registered, s.status, d.blocked_at from device d join device_state s on s.device_id = d.id
         where d.oem_id = $1 and d.dsn = $2{}",
        tx.for_update()
    );
    tx.fetch_optional(AssertSqlSafe(sql), params![oem_id, dsn]).await
}

pub(crate) async fn set_blocked(tx: &mut Tx, device_id: i64, at: Option<Timestamp>) -> Result<()> {
    tx.execute("update device set blocked_at = $2 where id = $1", params![device_id, at]).await?;
    Ok(())
}

pub(crate) async fn set_link_key(tx: &mut Tx, device_id: i64, link_key_hash: &str) -> Result<()> {
    tx.execute("update device set link_key_hash = $2 where id = $1", params![device_id, link_key_hash]).await?;
    Ok(())
}

/// Deletes a device with its records. Its datapoints become unreachable and are deleted by the retention job.
pub(crate) async fn delete(tx: &mut Tx, device_id: i64) -> Result<()> {
    tx.execute("delete from device where id = $1", params![device_id]).await?;
    Ok(())
}
