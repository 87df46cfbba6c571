//! The data (keys with texts) of devices.

use platform::db::{Db, Result, Tx, params};
use sea_query::{Expr, ExprTrait, Order, Query};

use super::KEYS_PER_STATEMENT;

/// A datum of a device.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct DatumRow {
    pub(crate) device_id: i64,
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// The data of these devices, by key.
pub(crate) async fn of_devices(db: &Db, devices: &[i64]) -> Result<Vec<DatumRow>> {
    let mut data = Vec::new();
    for keys in devices.chunks(KEYS_PER_STATEMENT) {
        let mut statement = Query::select();
        statement
            .columns(["device_id", "key", "value", "created_at", "updated_at"])
            .from("device_datum")
            .and_where(Expr::col("device_id").is_in(keys.iter().copied()))
            .order_by("key", Order::Asc);
        data.extend(db.select::<DatumRow>(&statement).await?);
    }
    Ok(data)
}

/// Whether the device has a datum of this key that says something.
pub(crate) async fn is_set(tx: &mut Tx, device_id: i64, key: &str) -> Result<bool> {
    let sql = "select device_id from device_datum where device_id = $1 and key = $2 and value <> ''";
    let row: Option<(i64,)> = tx.fetch_optional(sql, params![device_id, key]).await?;
    Ok(row.is_some())
}
