//! A transaction.

use sqlx::{Postgres, SqlSafeStr, Sqlite, Transaction};

use super::{Dialect, Params, Record, Result};

/// A transaction that writes. Dropped without [`commit`](Self::commit), nothing of it happened.
#[derive(Debug)]
pub enum Tx {
    /// On the one connection that writes.
    Sqlite(Transaction<'static, Sqlite>),
    /// On any connection.
    Postgres(Transaction<'static, Postgres>),
}

impl Tx {
    /// All rows of a statement; `RETURNING` is welcome.
    ///
    /// # Errors
    /// What the database says.
    pub async fn fetch_all<T: Record>(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<Vec<T>> {
        let values = params.into_values();
        Ok(match self {
            Self::Sqlite(tx) => sqlx::query_as_with(sql, values).fetch_all(&mut **tx).await?,
            Self::Postgres(tx) => sqlx::query_as_with(sql, values).fetch_all(&mut **tx).await?,
        })
    }

    /// The first row of a statement, if there is one.
    ///
    /// # Errors
    /// What the database says.
    pub async fn fetch_optional<T: Record>(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<Option<T>> {
        let values = params.into_values();
        Ok(match self {
            Self::Sqlite(tx) => sqlx::query_as_with(sql, values).fetch_optional(&mut **tx).await?,
            Self::Postgres(tx) => sqlx::query_as_with(sql, values).fetch_optional(&mut **tx).await?,
        })
    }

    /// The one row of a statement.
    ///
    /// # Errors
    /// What the database says; also when there is no row.
    pub async fn fetch_one<T: Record>(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<T> {
        self.fetch_optional(sql, params).await?.ok_or_else(|| sqlx::Error::RowNotFound.into())
    }

    /// Runs one statement; answers how many rows it touched.
    ///
    /// # Errors
    /// What the database says.
    pub async fn execute(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<u64> {
        let values = params.into_values();
        Ok(match self {
            Self::Sqlite(tx) => sqlx::query_with(sql, values).execute(&mut **tx).await?.rows_affected(),
            Self::Postgres(tx) => sqlx::query_with(sql, values).execute(&mut **tx).await?.rows_affected(),
        })
    }

    /// Which SQL this database speaks.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// What a `select` ends with that holds its rows until the end of the transaction; SQLite has one writer at a time and
    /// needs nothing.
    #[must_use]
    pub fn for_update(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " for update",
        }
    }

    /// The same for rows that nobody else holds; the others are passed over.
    #[must_use]
    pub fn for_update_of_free(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " for update skip locked",
        }
    }

    /// Makes it so.
    ///
    /// # Errors
    /// What the database says; then nothing of it happened.
    pub async fn commit(self) -> Result<()> {
        match self {
            Self::Sqlite(tx) => tx.commit().await?,
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }
}
