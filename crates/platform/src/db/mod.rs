//! SQLite or PostgreSQL, chosen by URL at run time; one SQL text for both.
//!
//! Statements use `$1`, `$2`, … and the types that both know: `BIGINT`, `BOOLEAN`, `TEXT`, `DOUBLE PRECISION`. Instants are
//! microseconds since 1970 ([`crate::clock::to_micros`]), UUIDs are text. Rows derive [`sqlx::FromRow`].

mod availability;
mod connect;
mod params;
pub mod rows;
mod server;
mod tx;

use std::sync::Arc;

use sea_query::{PostgresQueryBuilder, SelectStatement, SqliteQueryBuilder};
use sea_query_sqlx::{SqlxBinder, SqlxValues};
use sqlx::migrate::Migrator;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, FromRow, SqlSafeStr, SqlitePool};

#[doc(inline)]
pub use crate::params;
pub use params::{Param, Params};
pub use server::Server;
use tx::On;
pub use tx::Tx;

/// A pool of connections to one database. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Db {
    /// A file. SQLite has one writer at a time, so writes queue for one connection while readers go on.
    Sqlite {
        /// Read-only connections.
        read: SqlitePool,
        /// The one connection that writes.
        write: SqlitePool,
    },
    /// A server.
    Postgres(Server),
}

/// Which SQL a [`Db`] speaks, where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite 3.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl Dialect {
    /// The placeholder of the `n`th value, counted from 1, for statements of many values. SQLite, too, takes `$n`, but its
    /// driver searches for each such name among all of them; this one has none.
    #[must_use]
    pub fn placeholder(self, n: usize) -> String {
        match self {
            Self::Sqlite => "?".to_owned(),
            Self::Postgres => format!("${n}"),
        }
    }
}

/// One schema, written for each dialect.
#[derive(Clone, Copy, Debug)]
pub struct Migrations {
    /// The folder for SQLite.
    pub sqlite: &'static Migrator,
    /// The folder for PostgreSQL.
    pub postgres: &'static Migrator,
    /// The other program whose database must not be taken for ours.
    pub other: OtherProgram,
}

/// A program that keeps its data in a database of its own, and how that is recognised.
#[derive(Clone, Copy, Debug)]
pub struct OtherProgram {
    /// What it is called in an error text, such as `device cloud`.
    pub name: &'static str,
    /// A table that only its database has.
    pub table: &'static str,
}

/// A row type that either database can fill.
pub trait Record: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}
impl<T> Record for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}

/// What can go wrong between us and the database.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL names neither SQLite nor PostgreSQL. It is not repeated here: it may hold a password.
    #[error("a database URL begins with sqlite: or postgres:")]
    UnknownScheme,
    /// The file of a SQLite database could not be opened.
    #[error("cannot open the database {path}: {source}")]
    Open {
        /// Where it was looked for.
        path: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The driver or the server refused.
    #[error("database: {0}")]
    Sqlx(#[from] sqlx::Error),
    /// The database belongs to the [other program](OtherProgram).
    #[error("this is the database of the {0}")]
    Foreign(&'static str),
    /// The schema could not be brought up to date.
    #[error("database schema: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// A statement of the transaction failed before.
    #[error("an earlier statement of this transaction failed")]
    TransactionFailed,
    /// What happened to a transaction in which several had a part: each of them is told.
    #[error("{0}")]
    Shared(Arc<Error>),
}

/// A result of the database.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Whether a row with the same unique key was there already.
    #[must_use]
    pub fn is_unique_violation(&self) -> bool {
        matches!(self, Self::Sqlx(sqlx::Error::Database(e)) if e.is_unique_violation())
    }

    /// Whether the database itself is to blame, so that the same call may succeed later: it cannot be reached, is shutting
    /// down, has no connection left in time, or has no space left.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Sqlx(error) => availability::is_lost(error),
            Self::Shared(error) => error.is_unavailable(),
            Self::UnknownScheme | Self::Open { .. } | Self::Foreign(_) | Self::Migrate(_) | Self::TransactionFailed => {
                false
            }
        }
    }
}

impl Db {
    /// Opens `sqlite:PATH` (the file is made when it is missing) or `postgres://…`.
    ///
    /// # Errors
    /// [`Error::UnknownScheme`], or what the driver says.
    pub async fn connect(url: &str) -> Result<Self> {
        connect::connect(url).await
    }

    /// Which SQL this database speaks.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite { .. } => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Brings the schema up to date.
    ///
    /// # Errors
    /// A migration that fails, or one that was applied earlier with another text; [`Error::Foreign`] for a database of the
    /// other program, which is left as it is.
    pub async fn migrate(&self, migrations: &Migrations) -> Result<()> {
        if self.has_table(migrations.other.table).await? {
            return Err(Error::Foreign(migrations.other.name));
        }
        match self {
            Self::Sqlite { write, .. } => migrations.sqlite.run(write).await?,
            Self::Postgres(server) => migrations.postgres.run(server.pool()).await?,
        }
        Ok(())
    }

    async fn has_table(&self, name: &str) -> Result<bool> {
        let sql = match self {
            Self::Sqlite { .. } => "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = $1",
            Self::Postgres(_) => "SELECT count(to_regclass($1))",
        };
        let (count,): (i64,) = self.fetch_one(sql, params![name]).await?;
        Ok(count > 0)
    }

    /// Reads nothing, to learn whether the database answers.
    ///
    /// # Errors
    /// What the database says.
    pub async fn ping(&self) -> Result<()> {
        let (_,): (i64,) = self.fetch_one("SELECT CAST(1 AS BIGINT)", Params::default()).await?;
        Ok(())
    }

    /// Begins a transaction that writes (`BEGIN IMMEDIATE` on SQLite). Dropped without [`Tx::commit`], it is rolled back.
    ///
    /// # Errors
    /// No connection to be had in time.
    pub async fn begin(&self) -> Result<Tx> {
        let begun = match self {
            Self::Sqlite { write, .. } => write.begin_with("BEGIN IMMEDIATE").await.map(On::Sqlite),
            Self::Postgres(server) => server.begin().await.map(On::Postgres),
        };
        Ok(Tx::new(self.clone(), self.checked(begun)?))
    }

    /// All rows that a reading statement gives.
    ///
    /// # Errors
    /// What the database says.
    pub async fn fetch_all<T: Record>(&self, sql: impl SqlSafeStr, params: Params) -> Result<Vec<T>> {
        let values = params.into_values();
        self.checked(match self {
            Self::Sqlite { read, .. } => sqlx::query_as_with(sql, values).fetch_all(read).await,
            Self::Postgres(server) => {
                async { sqlx::query_as_with(sql, values).fetch_all(&mut *server.acquire().await?).await }.await
            }
        })
    }

    /// The first row that a reading statement gives, if there is one.
    ///
    /// # Errors
    /// What the database says.
    pub async fn fetch_optional<T: Record>(&self, sql: impl SqlSafeStr, params: Params) -> Result<Option<T>> {
        let values = params.into_values();
        self.checked(match self {
            Self::Sqlite { read, .. } => sqlx::query_as_with(sql, values).fetch_optional(read).await,
            Self::Postgres(server) => {
                async { sqlx::query_as_with(sql, values).fetch_optional(&mut *server.acquire().await?).await }.await
            }
        })
    }

    /// The one row that a reading statement gives.
    ///
    /// # Errors
    /// What the database says; also when there is no row.
    pub async fn fetch_one<T: Record>(&self, sql: impl SqlSafeStr, params: Params) -> Result<T> {
        self.fetch_optional(sql, params).await?.ok_or_else(|| sqlx::Error::RowNotFound.into())
    }

    /// Runs one writing statement on its own; answers how many rows it touched. Statements with `RETURNING` belong in a
    /// [transaction](Self::begin): the readers of SQLite cannot write.
    ///
    /// # Errors
    /// What the database says.
    pub async fn execute(&self, sql: impl SqlSafeStr, params: Params) -> Result<u64> {
        let values = params.into_values();
        self.checked(match self {
            Self::Sqlite { write, .. } => {
                sqlx::query_with(sql, values).execute(write).await.map(|done| done.rows_affected())
            }
            Self::Postgres(server) => {
                let done = async { sqlx::query_with(sql, values).execute(&mut *server.acquire().await?).await }.await;
                done.map(|done| done.rows_affected())
            }
        })
    }

    /// All rows of a statement built with sea-query: for the lists whose filters and order the caller chooses.
    ///
    /// # Errors
    /// What the database says.
    pub async fn select<T: Record>(&self, statement: &SelectStatement) -> Result<Vec<T>> {
        self.checked(match self {
            Self::Sqlite { read, .. } => {
                let (sql, values): (String, SqlxValues) = statement.build_sqlx(SqliteQueryBuilder);
                sqlx::query_as_with(AssertSqlSafe(sql), values).fetch_all(read).await
            }
            Self::Postgres(server) => {
                let (sql, values): (String, SqlxValues) = statement.build_sqlx(PostgresQueryBuilder);
                let statement = sqlx::query_as_with(AssertSqlSafe(sql), values);
                async { statement.fetch_all(&mut *server.acquire().await?).await }.await
            }
        })
    }

    /// Whether the server itself keeps what is committed through a power cut. What a connection can choose we choose; only
    /// PostgreSQL's `fsync` is the server's alone.
    ///
    /// # Errors
    /// What the database says.
    pub async fn survives_power_cuts(&self) -> Result<bool> {
        match self {
            Self::Sqlite { .. } => Ok(true),
            Self::Postgres(_) => {
                let (fsync,): (String,) = self.fetch_one("select current_setting('fsync')", Params::default()).await?;
                Ok(fsync == "on")
            }
        }
    }

    /// Logs a result from which it follows that the database is not available.
    fn checked<T>(&self, result: sqlx::Result<T>) -> Result<T> {
        result.map_err(|error| {
            availability::log(self, &error);
            error.into()
        })
    }

    /// What the log calls the database: without user and password.
    fn name(&self) -> String {
        match self {
            Self::Sqlite { write, .. } => format!("sqlite:{}", write.connect_options().get_filename().display()),
            Self::Postgres(server) => {
                let options = server.pool().connect_options();
                let database = options.get_database().unwrap_or_else(|| options.get_username());
                format!("postgres://{}:{}/{database}", options.get_host(), options.get_port())
            }
        }
    }

    /// Closes every connection; what was committed is on disk.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
            Self::Postgres(server) => server.pool().close().await,
        }
    }
}
