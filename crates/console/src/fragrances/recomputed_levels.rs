//! The table `recomputed_levels`: devices whose level a change of the catalogue has changed, until it is stored at the cloud.

use platform::db::rows::{all, key_runs, rows_of_placeholders};
use platform::db::{Db, Result, params};
use sqlx::AssertSqlSafe;

/// Adds these devices.
pub(crate) async fn add_recomputed(db: &Db, dsns: &[&str]) -> Result<()> {
    for run in key_runs(dsns) {
        let places = rows_of_placeholders(db.dialect(), run.len(), 1);
        let sql = format!("insert into recomputed_levels (dsn) values {places} on conflict (dsn) do nothing");
        db.execute(AssertSqlSafe(sql), all(&run, |params, dsn| params.with(*dsn))).await?;
    }
    Ok(())
}

/// Whether the level of this device follows from a change of the catalogue.
pub(crate) async fn is_recomputed(db: &Db, dsn: &str) -> Result<bool> {
    let found: Option<(String,)> =
        db.fetch_optional("select dsn from recomputed_levels where dsn = $1", params![dsn]).await?;
    Ok(found.is_some())
}

/// Removes a device whose level is stored.
pub(crate) async fn remove_recomputed(db: &Db, dsn: &str) -> Result<()> {
    db.execute("delete from recomputed_levels where dsn = $1", params![dsn]).await?;
    Ok(())
}
