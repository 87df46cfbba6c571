//! Manufacturers (OEMs) and applications.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use platform::run::clock::from_micros;

use crate::domain::secret;

/// A manufacturer.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct OemRow {
    pub(crate) id: i64,
    /// Eight hexadecimal digits, `oem` in the protocol.
    pub(crate) code: String,
}

/// An application of a manufacturer.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct ApplicationRow {
    pub(crate) id: i64,
    pub(crate) oem_id: i64,
    secret_hash: String,
    /// The secret before the last rotation, valid until that time.
    earlier_secret_hash: Option<String>,
    earlier_secret_until: Option<i64>,
}

impl ApplicationRow {
    /// Whether this is the secret of the application now, or its earlier one that is still valid.
    pub(crate) fn has_secret(&self, text: &str, now: Timestamp) -> bool {
        let is_earlier = |hash: &str| secret::matches(text, hash);
        let overlaps = self.earlier_secret_until.is_some_and(|until| now < from_micros(until));
        secret::matches(text, &self.secret_hash)
            || (overlaps && self.earlier_secret_hash.as_deref().is_some_and(is_earlier))
    }
}

/// An application of a list.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct ListedApplicationRow {
    pub(crate) app_id: String,
    pub(crate) name: String,
    pub(crate) earlier_secret_until: Option<i64>,
}

/// A manufacturer and its name.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct NamedOemRow {
    pub(crate) id: i64,
    pub(crate) code: String,
    pub(crate) name: String,
}

/// Every manufacturer.
pub(crate) async fn oems(db: &Db) -> Result<Vec<NamedOemRow>> {
    db.fetch_all("select id, code, name from oem order by id", params![]).await
}

/// The manufacturer's applications.
pub(crate) async fn listed(db: &Db, oem_id: i64) -> Result<Vec<ListedApplicationRow>> {
    let sql = "select app_id, name, earlier_secret_until from application where oem_id = $1 order by id";
    db.fetch_all(sql, params![oem_id]).await
}

/// Replaces the secret of an application; the present one stays valid until `earlier_until`. Returns whether the manufacturer has the
/// application.
pub(crate) async fn rotate_secret(
    db: &Db,
    oem_id: i64,
    app_id: &str,
    secret_hash: &str,
    earlier_until: Option<Timestamp>,
) -> Result<bool> {
    let sql = "update application set secret_hash = $3, earlier_secret_until = $4,
                   earlier_secret_hash = case when $4 is null then null else secret_hash end
               where oem_id = $1 and app_id = $2";
    Ok(db.execute(sql, params![oem_id, app_id, secret_hash, earlier_until]).await? == 1)
}

/// Ends the earlier secret of an application. Returns whether the manufacturer has the application.
pub(crate) async fn end_earlier_secret(db: &Db, oem_id: i64, app_id: &str) -> Result<bool> {
    let sql = "update application set earlier_secret_hash = null, earlier_secret_until = null
               where oem_id = $1 and app_id = $2";
    Ok(db.execute(sql, params![oem_id, app_id]).await? == 1)
}

pub(crate) async fn find(db: &Db, app_id: &str) -> Result<Option<ApplicationRow>> {
    let sql =
        "select id, oem_id, secret_hash, earlier_secret_hash, earlier_secret_until from application where app_id = $1";
    db.fetch_optional(sql, params![app_id]).await
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

/// Creates the application, or replaces its name and all its secrets.
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
         on conflict (app_id) do update set name = excluded.name, secret_hash = excluded.secret_hash,
             earlier_secret_hash = null, earlier_secret_until = null",
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
