//! Devices and properties by the names used in imported history.

use std::collections::HashMap;

use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result};
use sqlx::AssertSqlSafe;

use super::templates::LimitColumns;

/// A property with its type and limits.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct NamedProperty {
    pub(crate) dsn: String,
    pub(crate) name: String,
    pub(crate) property_id: i64,
    pub(crate) base_type: String,
    #[sqlx(flatten)]
    pub(crate) limits: LimitColumns,
}

/// The ids of the manufacturer's devices with these serial numbers; unknown ones are omitted.
pub(crate) async fn devices(db: &Db, oem_id: i64, dsns: &[&str]) -> Result<HashMap<String, i64>> {
    let mut devices = HashMap::with_capacity(dsns.len());
    for run in key_runs(dsns) {
        let sql = format!(
            "select dsn, id from device where dsn in ({}) and oem_id = {}",
            placeholders(db.dialect(), run.len()),
            db.dialect().placeholder(run.len() + 1)
        );
        let values = run.into_iter().fold(Params::default(), Params::with).with(oem_id);
        devices.extend(db.fetch_all::<(String, i64)>(AssertSqlSafe(sql), values).await?);
    }
    Ok(devices)
}

/// The manufacturer's properties with these names (dsn, property); unknown ones are omitted.
pub(crate) async fn properties(db: &Db, oem_id: i64, names: &[(&str, &str)]) -> Result<Vec<NamedProperty>> {
    let mut properties = Vec::with_capacity(names.len());
    for run in runs(names) {
        let sql = format!(
            "select d.dsn, t.name, p.id as property_id, t.base_type, t.minimum, t.maximum, t.pattern
             from (values {}) as named
             join device d on d.dsn = named.column1
             join template_property t on t.template_id = d.template_id and t.name = named.column2
             join property p on p.device_id = d.id and p.template_property_id = t.id
             where d.oem_id = {}",
            rows_of_placeholders(db.dialect(), run.len(), 2),
            db.dialect().placeholder(2 * run.len() + 1)
        );
        let values = all(run, |values, (dsn, property)| values.with(*dsn).with(*property)).with(oem_id);
        properties.extend(db.fetch_all::<NamedProperty>(AssertSqlSafe(sql), values).await?);
    }
    Ok(properties)
}
