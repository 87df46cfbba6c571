//! How far a transfer has come, stored in the target. No node starts there while this table exists (`db::schema`).

use sqlx::PgConnection;

use super::rows::Batch;
use super::{Error, Result};

/// How far a table was copied.
#[derive(Debug, sqlx_macros::FromRow)]
pub(super) struct Position {
    /// The key of the last row in the source; `None` before the first row.
    pub(super) key: Option<Vec<String>>,
    pub(super) rows: i64,
    /// All rows are stored.
    pub(super) stored: bool,
}

impl Position {
    pub(super) fn advance(&mut self, batch: &Batch) {
        if batch.rows > 0 {
            self.key = Some(batch.key.clone());
            self.rows += batch.rows as i64;
        }
    }
}

/// Creates the table in an empty database.
///
/// # Errors
/// [`Error::TargetNotEmpty`] if there are other tables without it.
pub(super) async fn begin(target: &mut PgConnection) -> Result<()> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select relname::text from pg_class
         where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')",
    )
    .fetch_all(&mut *target)
    .await?;
    if tables.iter().any(|name| name == "store_transfer") {
        return Ok(());
    }
    if !tables.is_empty() {
        return Err(Error::TargetNotEmpty);
    }
    let create = "create table store_transfer (
        name text primary key, key text[], rows bigint not null default 0, stored boolean not null default false
    )";
    sqlx::query(create).execute(target).await?;
    Ok(())
}

/// Whether the target has its schema and no rows but those of the transfer.
pub(super) async fn is_prepared(target: &mut PgConnection) -> Result<bool> {
    Ok(sqlx::query("select from store_transfer limit 1").fetch_optional(target).await?.is_some())
}

pub(super) async fn prepare(tx: &mut PgConnection, tables: impl Iterator<Item = &str>) -> Result<()> {
    let tables: Vec<&str> = tables.collect();
    sqlx::query("insert into store_transfer (name) select unnest($1::text[])").bind(tables).execute(tx).await?;
    Ok(())
}

pub(super) async fn load(target: &mut PgConnection, table: &str) -> Result<Position> {
    let select = sqlx::query_as("select key, rows, stored from store_transfer where name = $1").bind(table);
    Ok(select.fetch_one(target).await?)
}

pub(super) async fn store(tx: &mut PgConnection, table: &str, position: &Position) -> Result<()> {
    sqlx::query("update store_transfer set key = $2, rows = $3, stored = $4 where name = $1")
        .bind(table)
        .bind(&position.key)
        .bind(position.rows)
        .bind(position.stored)
        .execute(tx)
        .await?;
    Ok(())
}

/// Drops the table: the transfer is complete.
pub(super) async fn end(target: &mut PgConnection) -> Result<()> {
    sqlx::query("drop table store_transfer").execute(target).await?;
    Ok(())
}
