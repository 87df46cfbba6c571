//! Properties by the names that history gives them.

use platform::db::rows::{all, rows_of_placeholders, runs};
use platform::db::{Db, Result};
use sqlx::AssertSqlSafe;

/// A device's property and what it takes.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct NamedProperty {
    pub(crate) dsn: String,
    pub(crate) name: String,
    pub(crate) property_id: i64,
    pub(crate) base_type: String,
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
}

/// The manufacturer's properties with these names: dsn, property. Those that it does not have are left out.
pub(crate) async fn properties(db: &Db, oem_id: i64, names: &[(&str, &str)]) -> Result<Vec<NamedProperty>> {
    let mut properties = Vec::with_capacity(names.len());
    for run in runs(names) {
        let sql = format!(
            "select d.dsn, t.name, p.id as property_id, t.base_type, t.minimum, t.maximum
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
