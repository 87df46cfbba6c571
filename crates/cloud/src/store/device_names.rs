//! The names and time zones of devices, for messages.

use std::collections::HashMap;

use platform::db::rows::{key_runs, placeholders};
use platform::db::{Params, Result, Tx};
use sqlx::AssertSqlSafe;

/// The name and the time zone of a device.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct NameRow {
    id: i64,
    pub(crate) oem_id: i64,
    pub(crate) dsn: String,
    pub(crate) product_name: String,
    /// A name of the tz database.
    pub(crate) tz_id: Option<String>,
}

/// The names and time zones of these devices.
pub(crate) async fn of(tx: &mut Tx, devices: &[i64]) -> Result<HashMap<i64, NameRow>> {
    let mut names = HashMap::with_capacity(devices.len());
    for run in key_runs(devices) {
        let sql = format!(
            "select id, oem_id, dsn, product_name, tz_id from device where id in ({})",
            placeholders(tx.dialect(), run.len())
        );
        let rows: Vec<NameRow> =
            tx.fetch_all(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
        names.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(names)
}

#[cfg(test)]
impl NameRow {
    pub(crate) fn named(dsn: &str, product_name: &str, tz_id: Option<&str>) -> Self {
        let (dsn, product_name) = (dsn.to_owned(), product_name.to_owned());
        Self { id: 1, oem_id: 1, dsn, product_name, tz_id: tz_id.map(str::to_owned) }
    }
}
