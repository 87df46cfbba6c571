//! Write transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sea_query::{PostgresQueryBuilder, SelectStatement, SqliteQueryBuilder};
use sea_query_sqlx::{SqlxBinder, SqlxValues};
use sqlx::{AssertSqlSafe, Postgres, SqlSafeStr, Sqlite, Transaction};

use super::turns::WriteTurn;
use super::{Db, Dialect, Error, Params, Record, Result, conflict};

/// A write transaction, rolled back if dropped without [`commit`](Self::commit). After a failed statement it rejects all
/// further ones with [`Error::TransactionFailed`].
#[derive(Debug)]
pub struct Tx {
    db: Db,
    on: On,
    /// A statement failed or was not awaited. PostgreSQL then rejects further statements. SQLite rolls back by itself if its
    /// disk is full, and would commit further statements one by one.
    failed: bool,
    had_conflict: Arc<AtomicBool>,
}

#[derive(Debug)]
pub(super) enum On {
    /// The only write connection, and the turn that it is used in.
    Sqlite(Transaction<'static, Sqlite>, WriteTurn),
    /// Any connection.
    Postgres(Transaction<'static, Postgres>),
}

impl Tx {
    pub(super) fn new(db: Db, on: On) -> Self {
        Self { db, on, failed: false, had_conflict: Arc::default() }
    }

    /// Fetches all rows of a statement, which may use `RETURNING`.
    ///
    /// # Errors
    /// A database error.
    pub async fn fetch_all<T: Record>(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<Vec<T>> {
        let values = params.into_values();
        self.begin_statement()?;
        let rows = match &mut self.on {
            On::Sqlite(tx, _) => sqlx::query_as_with(sql, values).fetch_all(&mut **tx).await,
            On::Postgres(tx) => sqlx::query_as_with(sql, values).fetch_all(&mut **tx).await,
        };
        self.end_statement(rows)
    }

    /// Fetches the first row of a statement, if any.
    ///
    /// # Errors
    /// A database error.
    pub async fn fetch_optional<T: Record>(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<Option<T>> {
        let values = params.into_values();
        self.begin_statement()?;
        let rows = match &mut self.on {
            On::Sqlite(tx, _) => sqlx::query_as_with(sql, values).fetch_optional(&mut **tx).await,
            On::Postgres(tx) => sqlx::query_as_with(sql, values).fetch_optional(&mut **tx).await,
        };
        self.end_statement(rows)
    }

    /// Fetches the only row of a statement.
    ///
    /// # Errors
    /// A database error, also if there is no row.
    pub async fn fetch_one<T: Record>(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<T> {
        self.fetch_optional(sql, params).await?.ok_or_else(|| sqlx::Error::RowNotFound.into())
    }

    /// Fetches all rows of a sea-query statement.
    ///
    /// # Errors
    /// A database error.
    pub async fn select<T: Record>(&mut self, statement: &SelectStatement) -> Result<Vec<T>> {
        self.begin_statement()?;
        let rows = match &mut self.on {
            On::Sqlite(tx, _) => {
                let (sql, values): (String, SqlxValues) = statement.build_sqlx(SqliteQueryBuilder);
                sqlx::query_as_with(AssertSqlSafe(sql), values).fetch_all(&mut **tx).await
            }
            On::Postgres(tx) => {
                let (sql, values): (String, SqlxValues) = statement.build_sqlx(PostgresQueryBuilder);
                sqlx::query_as_with(AssertSqlSafe(sql), values).fetch_all(&mut **tx).await
            }
        };
        self.end_statement(rows)
    }

    /// Executes a statement and returns the number of affected rows.
    ///
    /// # Errors
    /// A database error.
    pub async fn execute(&mut self, sql: impl SqlSafeStr, params: Params) -> Result<u64> {
        let values = params.into_values();
        self.begin_statement()?;
        let touched = match &mut self.on {
            On::Sqlite(tx, _) => {
                sqlx::query_with(sql, values).execute(&mut **tx).await.map(|done| done.rows_affected())
            }
            On::Postgres(tx) => sqlx::query_with(sql, values).execute(&mut **tx).await.map(|done| done.rows_affected()),
        };
        self.end_statement(touched)
    }

    /// The SQL dialect of this database.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.on {
            On::Sqlite(..) => Dialect::Sqlite,
            On::Postgres(_) => Dialect::Postgres,
        }
    }

    /// The end of a `select` that locks its rows until the end of the transaction. Other transactions can still insert rows
    /// that refer to them: a stronger lock would make such inserts wait, and deadlock. Empty for SQLite, which has one writer
    /// at a time.
    #[must_use]
    pub fn for_update(&self) -> &'static str {
        match self.on {
            On::Sqlite(..) => "",
            On::Postgres(_) => " for no key update",
        }
    }

    /// Like [`for_update`](Self::for_update), but skips rows that are locked.
    #[must_use]
    pub fn for_update_of_free(&self) -> &'static str {
        match self.on {
            On::Sqlite(..) => "",
            On::Postgres(_) => " for no key update skip locked",
        }
    }

    /// Appended to a `SELECT`: locks its rows against deletion and [`for_deletion_of_free`](Self::for_deletion_of_free), but not against updates.
    #[must_use]
    pub fn for_key_share(&self) -> &'static str {
        match self.on {
            On::Sqlite(..) => "",
            On::Postgres(_) => " for key share",
        }
    }

    /// Appended to a `SELECT`: locks its rows as a deletion does, and skips rows that are locked.
    #[must_use]
    pub fn for_deletion_of_free(&self) -> &'static str {
        match self.on {
            On::Sqlite(..) => "",
            On::Postgres(_) => " for update skip locked",
        }
    }

    /// Commits the transaction.
    ///
    /// # Errors
    /// A database error, or a failed earlier statement. The transaction is then rolled back.
    pub async fn commit(mut self) -> Result<()> {
        self.begin_statement()?;
        let committed = match self.on {
            On::Sqlite(tx, _turn) => tx.commit().await,
            On::Postgres(tx) => tx.commit().await,
        };
        note_conflict(&self.had_conflict, &committed);
        self.db.checked(committed)
    }

    /// Set when a statement or the commit is cancelled in favour of another transaction. Outlives the transaction.
    pub(super) fn conflict_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.had_conflict)
    }

    /// Marks the transaction as failed until the statement has succeeded.
    fn begin_statement(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.failed, true) { Err(Error::TransactionFailed) } else { Ok(()) }
    }

    fn end_statement<T>(&mut self, result: sqlx::Result<T>) -> Result<T> {
        self.failed = result.is_err();
        note_conflict(&self.had_conflict, &result);
        self.db.checked(result)
    }
}

fn note_conflict<T>(flag: &AtomicBool, result: &sqlx::Result<T>) {
    if result.as_ref().is_err_and(conflict::is_conflict) {
        flag.store(true, Ordering::Relaxed);
    }
}
