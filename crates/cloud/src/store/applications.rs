//! Manufacturers (OEMs) and applications.

use jiff::Timestamp;
use platform::db::{Db, Result, params};

/// A manufacturer.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct OemRow {
    pub(crate) id: i64,
    /// Eight hexadecimal digits, `oem` in the protocol.
    pub(crate) code: String,
}

/// An application of a manufacturer.
#[derive(Clone, sqlx::FromRow)]
pub(crate) struct ApplicationRow {
    pub(crate) id: i64,
    pub(crate) oem_id: i64,
    pub(crate) secret_hash: String,
}

/// A manufacturer and its name.
#[derive(sqlx::FromRow)]
pub(crate) struct NamedOemRow {
    pub(crate) id: i64,
    pub(crate) code: String,
    pub(crate) name: String,
}

/// Every manufacturer.
pub(crate) async fn oems(db: &Db) -> Result<Vec<NamedOemRow>> {
    db.fetch_all("select id, code, name from oem order by id", params![]).await
}

/// The ids and names of the manufacturer's applications.
pub(crate) async fn listed(db: &Db, oem_id: i64) -> Result<Vec<(String, String)>> {
    db.fetch_all("select app_id, name from application where oem_id = $1 order by id", params![oem_id]).await
}

/// Replaces the secret of an application. Returns whether the manufacturer has the application.
pub(crate) async fn set_secret(db: &Db, oem_id: i64, app_id: &str, secret_hash: &str) -> Result<bool> {
    let sql = "update application set secret_hash = $3 where oem_id = $1 and app_id = $2";
    Ok(db.execute(sql, params![oem_id, app_id, secret_hash]).await? == 1)
}

pub(crate) async fn find(db: &Db, app_id: &str) -> Result<Option<ApplicationRow>> {
    db.fetch_optional("select id, oem_id, secret_hash from application where app_id = $1", params![app_id]).await
}

/// The manufacturer of this name; created with `code` if new.
pub(crate) async fn ensure_oem(db: &Db, name: &str, code: &str, now: Timestamp) -> Result<OemRow> {
    db.execute(
        "insert into oem (code, name, created_at) values ($1, $2, $3) on conflict (name) do nothing",
        params![code, name, now],
    )
    .await?;
    db.fetch_one("select id, code from oem where name = $1", params![name]).await
}

/// Creates the application, or replaces its name and secret.
pub(crate) async fn ensure(
    db: &Db,
    oem_id: i64,
    app_id: &str,
    name: &str,
    secret_hash: &str,
    now: Timestamp,
) -> Result<()> {
    db.execute(
        "insert into application (oem_id, app_id, name, secret_hash, created_at) values ($1, $2, $3, $4, $5)
         on conflict (app_id) do update set name = excluded.name, secret_hash = excluded.secret_hash",
        params![oem_id, app_id, name, secret_hash, now],
    )
    .await?;
    Ok(())
}

/// The code of a manufacturer.
pub(crate) async fn oem_code(db: &Db, oem_id: i64) -> Result<String> {
    let (code,): (String,) = db.fetch_one("select code from oem where id = $1", params![oem_id]).await?;
    Ok(code)
}
