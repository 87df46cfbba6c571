//! A transaction.

use sqlx::{Postgres, SqlSafeStr, Sqlite, Transaction};

use super::{Db, Dialect, Error, Params, Record, Result};

/// A transaction that writes. Dropped without [`commit`](Self::commit), nothing of it happened. After a statement that failed it
/// refuses every further one ([`Error::TransactionFailed`]).
#[derive(Debug)]
pub struct Tx {
    db: Db,
    on: On,
    /// A statement failed or was not awaited. PostgreSQL then refuses what follows. SQLite rolls back by itself when its disk is
    /// full, and would store what follows statement by statement.
    failed: bool,
}

#[derive(Debug)]
pub(super) enum On {
    /// The one connection that writes.
    Sqlite(Transaction<'static, Sqlite>),
    /// Any connection.
    Postgres(Transaction<'static, Postgres>),
}

impl Tx {
    pub(super) fn new(db: Db, on: On) -> Self {
        Self { db, on, failed: false }
    }

    /// All rows of a statement; `RETURNING` is welcome.
    ///
    /// # Errors
    /// What the database says.
    pub async fn fetch_all<T: Record>(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<Vec<T>> {
        let values = params.into_values();
        self.begin_statement()?;
        let rows = match &mut self.on {
            On::Sqlite(tx) => sqlx::query_as_with(sql, values).fetch_all(&mut **tx).await,
            On::Postgres(tx) => sqlx::query_as_with(sql, values).fetch_all(&mut **tx).await,
        };
        self.end_statement(rows)
    }

    /// The first row of a statement, if there is one.
    ///
    /// # Errors
    /// What the database says.
    pub async fn fetch_optional<T: Record>(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<Option<T>> {
        let values = params.into_values();
        self.begin_statement()?;
        let rows = match &mut self.on {
            On::Sqlite(tx) => sqlx::query_as_with(sql, values).fetch_optional(&mut **tx).await,
            On::Postgres(tx) => sqlx::query_as_with(sql, values).fetch_optional(&mut **tx).await,
        };
        self.end_statement(rows)
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
        self.begin_statement()?;
        let touched = match &mut self.on {
            On::Sqlite(tx) => sqlx::query_with(sql, values).execute(&mut **tx).await.map(|done| done.rows_affected()),
            On::Postgres(tx) => sqlx::query_with(sql, values).execute(&mut **tx).await.map(|done| done.rows_affected()),
        };
        self.end_statement(touched)
    }

    /// Which SQL this database speaks.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.on {
            On::Sqlite(_) => Dialect::Sqlite,
            On::Postgres(_) => Dialect::Postgres,
        }
    }

    /// What a `select` ends with that holds its rows until the end of the transaction; SQLite has one writer at a time and
    /// needs nothing.
    #[must_use]
    pub fn for_update(&self) -> &'static str {
        match self.on {
            On::Sqlite(_) => "",
            On::Postgres(_) => " for update",
        }
    }

    /// The same for rows that nobody else holds; the others are passed over.
    #[must_use]
    pub fn for_update_of_free(&self) -> &'static str {
        match self.on {
            On::Sqlite(_) => "",
            On::Postgres(_) => " for update skip locked",
        }
    }

    /// Makes it so.
    ///
    /// # Errors
    /// What the database says, or that a statement failed; then nothing of it happened.
    pub async fn commit(mut self) -> Result<()> {
        self.begin_statement()?;
        self.db.checked(match self.on {
            On::Sqlite(tx) => tx.commit().await,
            On::Postgres(tx) => tx.commit().await,
        })
    }

    /// The transaction counts as failed until the statement has succeeded.
    fn begin_statement(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.failed, true) { Err(Error::TransactionFailed) } else { Ok(()) }
    }

    fn end_statement<T>(&mut self, result: sqlx::Result<T>) -> Result<T> {
        self.failed = result.is_err();
        self.db.checked(result)
    }
}
