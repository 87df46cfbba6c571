//! The data (keys with texts) of devices.

use jiff::Timestamp;
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

/// The device's datum of this key.
pub(crate) async fn find(db: &Db, device_id: i64, key: &str) -> Result<Option<DatumRow>> {
    let sql =
        "select device_id, key, value, created_at, updated_at from device_datum where device_id = $1 and key = $2";
    db.fetch_optional(sql, params![device_id, key]).await
}

/// Makes a datum; `None` when the device has one of this key.
pub(crate) async fn insert(
    db: &Db,
    device_id: i64,
    key: &str,
    value: &str,
    now: Timestamp,
) -> Result<Option<DatumRow>> {
    let inserted = db
        .execute(
            "insert into device_datum (device_id, key, value, created_at, updated_at) values ($1, $2, $3, $4, $4)
             on conflict (device_id, key) do nothing",
            params![device_id, key, value, now],
        )
        .await?;
    if inserted == 1 { find(db, device_id, key).await } else { Ok(None) }
}

/// Gives a datum another value; `None` when the device has none of this key.
pub(crate) async fn update(
    db: &Db,
    device_id: i64,
    key: &str,
    value: &str,
    now: Timestamp,
) -> Result<Option<DatumRow>> {
    let sql = "update device_datum set value = $3, updated_at = $4 where device_id = $1 and key = $2";
    let updated = db.execute(sql, params![device_id, key, value, now]).await?;
    if updated == 1 { find(db, device_id, key).await } else { Ok(None) }
}

/// Answers whether there was such a datum.
pub(crate) async fn delete(db: &Db, device_id: i64, key: &str) -> Result<bool> {
    let sql = "delete from device_datum where device_id = $1 and key = $2";
    Ok(db.execute(sql, params![device_id, key]).await? == 1)
}

/// Whether the device has a datum of this key that says something.
pub(crate) async fn is_set(tx: &mut Tx, device_id: i64, key: &str) -> Result<bool> {
    let sql = "select device_id from device_datum where device_id = $1 and key = $2 and value <> ''";
    let row: Option<(i64,)> = tx.fetch_optional(sql, params![device_id, key]).await?;
    Ok(row.is_some())
}
