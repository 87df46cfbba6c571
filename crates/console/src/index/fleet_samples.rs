//! Counts the devices of the index for the history of the fleet.

use platform::db::{Db, Params, Result};
use sqlx::AssertSqlSafe;

use crate::fleet_days::{Dimension, GroupSample, LEVELS};

/// Value, CSP, devices, those online, and those of each class of levels.
type Row = (String, String, i64, i64, i64, i64, i64, i64);

/// Counts all devices by CSP and by the values of a dimension. Reads each device once.
pub(crate) async fn fleet_samples(db: &Db, dimension: Dimension) -> Result<Vec<GroupSample>> {
    let (value, join) = match dimension {
        Dimension::All => ("''", ""),
        Dimension::Customer => ("d.customer", "JOIN idx_devices d ON d.dsn = s.dsn"),
        Dimension::Fragrance => ("d.fragrance", "JOIN idx_devices d ON d.dsn = s.dsn"),
    };
    let sql = format!(
        "SELECT {value}, s.csp, COUNT(*), SUM(CASE WHEN s.connection_status = 'Online' THEN 1 ELSE 0 END), \
         SUM(CASE WHEN s.fragrance_remaining <= 0 THEN 1 ELSE 0 END), \
         SUM(CASE WHEN s.fragrance_remaining BETWEEN 1 AND 20 THEN 1 ELSE 0 END), \
         SUM(CASE WHEN s.fragrance_remaining BETWEEN 21 AND 50 THEN 1 ELSE 0 END), \
         SUM(CASE WHEN s.fragrance_remaining > 50 THEN 1 ELSE 0 END) \
         FROM idx_device_state s {join} GROUP BY 1, s.csp"
    );
    let rows: Vec<Row> = db.fetch_all(AssertSqlSafe(sql), Params::default()).await?;
    let sample = |(value, csp, devices, online, empty, low, medium, high)| {
        let levels: [i64; LEVELS] = [empty, low, medium, high];
        GroupSample { dimension, value, csp, devices, online, levels }
    };
    Ok(rows.into_iter().map(sample).collect())
}
