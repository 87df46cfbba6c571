//! Setup codes of devices, and whether their template requires them.

use platform::db::{Db, Result, Tx, params};

/// Returns whether the manufacturer has this template.
pub(crate) async fn set_required(db: &Db, oem_id: i64, template: &str, required: bool) -> Result<bool> {
    let sql = "update template set setup_code_required = $3 where oem_id = $1 and name = $2";
    Ok(db.execute(sql, params![oem_id, template, required]).await? == 1)
}

/// The serial number and the digest of the code of a device that is registered with a code only.
pub(crate) async fn required(tx: &mut Tx, device_id: i64) -> Result<Option<(String, Option<String>)>> {
    let sql = "select d.dsn, d.setup_code_hash from device d join template t on t.id = d.template_id
               where d.id = $1 and t.setup_code_required";
    tx.fetch_optional(sql, params![device_id]).await
}

/// The serial numbers of devices in stock that have no code.
pub(crate) async fn missing(db: &Db, oem_id: i64) -> Result<Vec<String>> {
    let sql = "select dsn from device where oem_id = $1 and not registered and setup_code_hash is null order by dsn";
    let rows: Vec<(String,)> = db.fetch_all(sql, params![oem_id]).await?;
    Ok(rows.into_iter().map(|(dsn,)| dsn).collect())
}

/// Stores the digest of a first code. Returns whether the manufacturer has this device and it had none.
pub(crate) async fn insert(tx: &mut Tx, oem_id: i64, dsn: &str, hash: &str) -> Result<bool> {
    let sql = "update device set setup_code_hash = $3 where oem_id = $1 and dsn = $2 and setup_code_hash is null";
    Ok(tx.execute(sql, params![oem_id, dsn, hash]).await? == 1)
}

/// Replaces the digest. Returns whether the manufacturer has this device.
pub(crate) async fn update(db: &Db, oem_id: i64, dsn: &str, hash: &str) -> Result<bool> {
    let sql = "update device set setup_code_hash = $3 where oem_id = $1 and dsn = $2";
    Ok(db.execute(sql, params![oem_id, dsn, hash]).await? == 1)
}
