//! Key-value data of devices and users.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use sea_query::{Expr, ExprTrait, Order, Query};
use sqlx::AssertSqlSafe;

use super::KEYS_PER_STATEMENT;

/// A key and its value.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct DatumRow {
    pub(crate) owner_id: i64,
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// The size of an owner's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub(crate) struct DataSize {
    pub(crate) entries: i64,
    /// The bytes of the keys and values in UTF-8.
    pub(crate) bytes: i64,
}

/// The owner of data.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner {
    Device(i64),
    User(i64),
}

impl Owner {
    fn id(self) -> i64 {
        match self {
            Self::Device(id) | Self::User(id) => id,
        }
    }

    /// The statement with the `{table}` and `{owner}` column of this kind of owner.
    fn sql(self, statement: &str) -> AssertSqlSafe<String> {
        let (table, column) = match self {
            Self::Device(_) => ("device_datum", "device_id"),
            Self::User(_) => ("user_datum", "user_id"),
        };
        AssertSqlSafe(statement.replace("{table}", table).replace("{owner}", column))
    }
}

/// The data of these devices, by key.
pub(crate) async fn of_devices(db: &Db, devices: &[i64]) -> Result<Vec<DatumRow>> {
    let mut data = Vec::new();
    for keys in devices.chunks(KEYS_PER_STATEMENT) {
        let mut statement = Query::select();
        statement
            .expr_as(Expr::col("device_id"), "owner_id")
            .columns(["key", "value", "created_at", "updated_at"])
            .from("device_datum")
            .and_where(Expr::col("device_id").is_in(keys.iter().copied()))
            .order_by("key", Order::Asc);
        data.extend(db.select::<DatumRow>(&statement).await?);
    }
    Ok(data)
}

/// The owner's data, by key.
pub(crate) async fn all(db: &Db, owner: Owner) -> Result<Vec<DatumRow>> {
    let sql =
        "select {owner} as owner_id, key, value, created_at, updated_at from {table} where {owner} = $1 order by key";
    db.fetch_all(owner.sql(sql), params![owner.id()]).await
}

/// Locks the owner's row, so that the size of its data stays valid.
pub(crate) async fn lock_owner(tx: &mut Tx, owner: Owner) -> Result<()> {
    let table = match owner {
        Owner::Device(_) => "device",
        Owner::User(_) => "users",
    };
    let sql = format!("select id from {table} where id = $1{}", tx.for_update());
    tx.fetch_optional::<(i64,)>(AssertSqlSafe(sql), params![owner.id()]).await?;
    Ok(())
}

const SIZE: &str = "select count(*) as entries, coalesce(sum(octet_length(key) + octet_length(value)), 0) as bytes
    from {table} where {owner} = $1";

/// The size of the owner's data.
pub(crate) async fn size(db: &Db, owner: Owner) -> Result<DataSize> {
    db.fetch_one(owner.sql(SIZE), params![owner.id()]).await
}

/// The size of the data of an owner that the transaction has locked.
pub(crate) async fn size_of_locked(tx: &mut Tx, owner: Owner) -> Result<DataSize> {
    tx.fetch_one(owner.sql(SIZE), params![owner.id()]).await
}

/// The owner's value of this key.
pub(crate) async fn find(db: &Db, owner: Owner, key: &str) -> Result<Option<DatumRow>> {
    let sql =
        "select {owner} as owner_id, key, value, created_at, updated_at from {table} where {owner} = $1 and key = $2";
    db.fetch_optional(owner.sql(sql), params![owner.id(), key]).await
}

/// Inserts a key; `None` if it exists.
pub(crate) async fn insert(
    tx: &mut Tx,
    owner: Owner,
    key: &str,
    value: &str,
    now: Timestamp,
) -> Result<Option<DatumRow>> {
    let sql = "insert into {table} ({owner}, key, value, created_at, updated_at) values ($1, $2, $3, $4, $4)
               on conflict ({owner}, key) do nothing
               returning {owner} as owner_id, key, value, created_at, updated_at";
    tx.fetch_optional(owner.sql(sql), params![owner.id(), key, value, now]).await
}

/// Updates a key; `None` if it does not exist.
pub(crate) async fn update(
    tx: &mut Tx,
    owner: Owner,
    key: &str,
    value: &str,
    now: Timestamp,
) -> Result<Option<DatumRow>> {
    let sql = "update {table} set value = $3, updated_at = $4 where {owner} = $1 and key = $2
               returning {owner} as owner_id, key, value, created_at, updated_at";
    tx.fetch_optional(owner.sql(sql), params![owner.id(), key, value, now]).await
}

/// Returns whether the key existed.
pub(crate) async fn delete(db: &Db, owner: Owner, key: &str) -> Result<bool> {
    let sql = "delete from {table} where {owner} = $1 and key = $2";
    Ok(db.execute(owner.sql(sql), params![owner.id(), key]).await? == 1)
}

/// Whether the device has a non-empty value for this key.
pub(crate) async fn is_set(tx: &mut Tx, device_id: i64, key: &str) -> Result<bool> {
    let sql = "select device_id from device_datum where device_id = $1 and key = $2 and value <> ''";
    let row: Option<(i64,)> = tx.fetch_optional(sql, params![device_id, key]).await?;
    Ok(row.is_some())
}
