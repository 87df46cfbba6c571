//! Counts the devices of the index for the history of the fleet.

use platform::db::{Db, Params, Result};
use sqlx::AssertSqlSafe;

use super::fleet_days::{Dimension, GroupSample, LEVELS};

/// Value, CSP, devices, those online, and those of each class of levels.
type Row = (String, String, i64, i64, i64, i64, i64, i64);

/// Counts all devices by CSP and by the values of a dimension. Reads each device once.
pub(crate) async fn fleet_samples(db: &Db, dimension: Dimension) -> Result<Vec<GroupSample>> {
    let (value, join) = match dimension {
        Dimension::All => ("''", ""),
        Dimension::Customer => ("d.customer", "join idx_devices d on d.dsn = s.dsn"),
        Dimension::Fragrance => ("d.fragrance", "join idx_devices d on d.dsn = s.dsn"),
    };
    let sql = format!(
        "select {value}, s.csp, count(*), sum(case when s.connection_status = 'Online' then 1 else 0 end), \
         sum(case when s.fragrance_remaining <= 0 then 1 else 0 end), \
         sum(case when s.fragrance_remaining between 1 and 20 then 1 else 0 end), \
         sum(case when s.fragrance_remaining between 21 and 50 then 1 else 0 end), \
         sum(case when s.fragrance_remaining > 50 then 1 else 0 end) \
         from idx_device_state s {join} group by 1, s.csp"
    );
    let rows: Vec<Row> = db.fetch_all(AssertSqlSafe(sql), Params::default()).await?;
    let sample = |(value, csp, devices, online, empty, low, medium, high)| {
        let levels: [i64; LEVELS] = [empty, low, medium, high];
        GroupSample { dimension, value, csp, devices, online, levels }
    };
    Ok(rows.into_iter().map(sample).collect())
}
