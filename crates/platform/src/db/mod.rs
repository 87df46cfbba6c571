//! SQLite or PostgreSQL, chosen by URL at run time; one SQL text for both.
//!
//! Statements use `$1`, `$2`, … and the types that both support: `BIGINT`, `BOOLEAN`, `TEXT`, `DOUBLE PRECISION`. Instants are
//! microseconds since 1970 ([`crate::run::clock::to_micros`]), UUIDs are text. Rows derive [`sqlx_macros::FromRow`].

mod availability;
mod conflict;
mod connect;
mod connections;
mod copy;
mod migration;
#[cfg(feature = "testing")]
mod next_build;
mod params;
pub mod rows;
mod schema;
mod server;
mod turns;
mod tx;
mod write;

use std::sync::Arc;
use std::time::Duration;

use sea_query::{PostgresQueryBuilder, SelectStatement, SqliteQueryBuilder};
use sea_query_sqlx::{SqlxBinder, SqlxValues};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, FromRow, SqlSafeStr, SqlStr, SqlitePool};

#[doc(inline)]
pub use crate::params;
pub use migration::Migration;
pub use params::{Param, Params};
pub use schema::{Migrations, OtherProgram};
pub use server::Server;
pub use turns::{WriteTurns, Writer};
use tx::On;
pub use tx::Tx;

/// A pool of connections to one database. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Db {
    /// A SQLite file. SQLite has one writer at a time, so writers take turns with one connection while reads continue.
    Sqlite {
        /// Read-only connections.
        read: SqlitePool,
        /// The only write connection.
        write: SqlitePool,
        /// Who may use it next.
        turns: WriteTurns,
    },
    /// A PostgreSQL server.
    Postgres(Server),
}

/// The SQL dialect of a [`Db`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite 3.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl Dialect {
    /// The placeholder of the `n`th value, counted from 1, for statements with many values. SQLite accepts `$n`, too, but its
    /// driver searches for each such name among all names; `?` has no name.
    #[must_use]
    pub fn placeholder(self, n: usize) -> String {
        match self {
            Self::Sqlite => "?".to_owned(),
            Self::Postgres => format!("${n}"),
        }
    }
}

/// A row type for both databases.
pub trait Record: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}
impl<T> Record for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}

/// A database error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL names neither SQLite nor PostgreSQL. The error omits the URL, which may contain a password.
    #[error("a database URL must start with sqlite: or postgres:")]
    UnknownScheme,
    /// The file of a SQLite database could not be opened.
    #[error("cannot open the database {path}: {source}")]
    Open {
        /// The path of the file.
        path: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The URL of a PostgreSQL database cannot be read. The error omits the URL.
    #[error(
        "the database URL cannot be read ({0}): in user and password, write special characters as percent codes, such as %2F for /, \
         %40 for @, %3A for :, %23 for # and %3F for ?"
    )]
    Url(#[source] sqlx::Error),
    /// The PostgreSQL server cannot be reached, or refuses the connection.
    #[error("cannot connect to PostgreSQL at {server}: {}", connect::reason(source))]
    Connect {
        /// Host and port.
        server: String,
        /// The cause.
        source: sqlx::Error,
    },
    /// An error of the driver or the server.
    #[error("database: {0}")]
    Sqlx(#[from] sqlx::Error),
    /// The database belongs to [another program](OtherProgram).
    #[error("this is the database of the {0}")]
    Foreign(&'static str),
    /// The database is PostgreSQL, and the operation needs SQLite.
    #[error("this is possible with SQLite databases only")]
    NotSqlite,
    /// The file of a SQLite database is damaged.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// Migrations are pending.
    #[error("the schema of this database is older than this program")]
    OldSchema,
    /// Migrations are pending, and the role may not apply them.
    #[error(
        "the schema of this database is older than this program, and this role may not change it: run the command `migrate` with the \
         role that owns it"
    )]
    MigrationDenied,
    /// The database was migrated by a later version of the program.
    #[error("the schema of this database is newer than this program")]
    NewSchema,
    /// The database was migrated by a build before the first release, whose migrations no longer exist.
    #[error("this database was made by an earlier build of Sillage, before 0.1.0: remove it or name another one")]
    EarlierBuild,
    /// A transfer into this database (`platform::transfer`) is not complete.
    #[error("a transfer into this database is not complete: finish it with `sillage migrate-store`")]
    UnfinishedTransfer,
    /// The database has no schema.
    #[error("this database is empty")]
    NoSchema,
    /// A migration failed.
    #[error("database schema: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// An earlier statement of the transaction failed.
    #[error("an earlier statement of this transaction failed")]
    TransactionFailed,
    /// The error of a transaction that several callers share, given to each of them.
    #[error("{0}")]
    Shared(Arc<Error>),
}

/// The result of a database operation.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Whether the statement violated a unique key.
    #[must_use]
    pub fn is_unique_violation(&self) -> bool {
        matches!(self, Self::Sqlx(sqlx::Error::Database(e)) if e.is_unique_violation())
    }

    /// Whether a statement waited for a lock for longer than the `lock_timeout` of its transaction.
    #[must_use]
    pub fn is_lock_timeout(&self) -> bool {
        matches!(self, Self::Sqlx(error) if conflict::is_lock_timeout(error))
    }

    /// Whether the transaction or the statement was cancelled in favour of another transaction.
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Sqlx(error) if conflict::is_conflict(error))
    }

    /// Whether the database is unavailable, so that the same call may succeed later: it is unreachable, is shutting down, has
    /// no free connection, has no space left, or cancelled a statement that took too long.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Sqlx(error) | Self::Connect { source: error, .. } => availability::is_lost(error),
            Self::Shared(error) => error.is_unavailable(),
            Self::UnknownScheme
            | Self::Url(_)
            | Self::Open { .. }
            | Self::Foreign(_)
            | Self::NotSqlite
            | Self::Damaged(_)
            | Self::OldSchema
            | Self::MigrationDenied
            | Self::NewSchema
            | Self::EarlierBuild
            | Self::UnfinishedTransfer
            | Self::NoSchema
            | Self::Migrate(_)
            | Self::TransactionFailed => false,
        }
    }
}

impl Db {
    /// Opens `sqlite:PATH` (a missing file is created) or `postgres://…`.
    ///
    /// # Errors
    /// [`Error::UnknownScheme`], or an error of the driver.
    pub async fn connect(url: &str) -> Result<Self> {
        connect::connect(url, true, None).await
    }

    /// Like [`connect_existing`](Self::connect_existing), but PostgreSQL cancels a statement that takes longer than
    /// `statement_timeout`, and ends a session that executes no statement of its transaction for so long. The errors
    /// [are unavailable](Error::is_unavailable). Migrations are not limited.
    ///
    /// SQLite's statements are not limited. Its progress handler belongs to a connection and does not know when a statement
    /// began; setting it for each statement would cost each read a round trip to the driver's thread.
    ///
    /// # Errors
    /// As [`connect_existing`](Self::connect_existing).
    pub async fn connect_with(url: &str, statement_timeout: Duration) -> Result<Self> {
        connect::connect(url, false, Some(statement_timeout)).await
    }

    /// Like [`connect`](Self::connect), but a missing file is an error.
    ///
    /// # Errors
    /// As [`connect`](Self::connect), and [`Error::Open`] without a file.
    pub async fn connect_existing(url: &str) -> Result<Self> {
        connect::connect(url, false, None).await
    }

    /// Opens a SQLite file that must exist, without ever writing to it.
    ///
    /// # Errors
    /// [`Error::UnknownScheme`] for any other database, or [`Error::Open`].
    pub async fn connect_read_only(url: &str) -> Result<Self> {
        connect::connect_read_only(url).await
    }

    /// The same database through a few connections of its own, for short statements that must not wait until longer ones have
    /// released theirs. SQLite's write connection is shared.
    ///
    /// # Errors
    /// An error of the driver.
    pub async fn for_short_statements(&self) -> Result<Self> {
        connect::for_short_statements(self).await
    }

    /// The SQL dialect of this database.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite { .. } => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    /// A database error.
    pub async fn ping(&self) -> Result<()> {
        let (_,): (i64,) = self.fetch_one("select cast(1 as bigint)", Params::default()).await?;
        Ok(())
    }

    /// Begins a write transaction (`BEGIN IMMEDIATE` on SQLite). It is rolled back if dropped without [`Tx::commit`]. A
    /// conflict with another transaction is an error: use [`write`](Self::write) for work that can be repeated.
    ///
    /// # Errors
    /// Fails if no connection is free in time.
    pub async fn begin(&self) -> Result<Tx> {
        let begun = match self {
            Self::Sqlite { write, turns, .. } => {
                async {
                    let turn = turns.take().await?;
                    Ok(On::Sqlite(write.begin_with("BEGIN IMMEDIATE").await?, turn))
                }
                .await
            }
            Self::Postgres(server) => server.begin().await.map(On::Postgres),
        };
        Ok(Tx::new(self.clone(), self.checked(begun)?))
    }

    /// Fetches all rows of a read-only statement.
    ///
    /// # Errors
    /// A database error.
    pub async fn fetch_all<T: Record>(&self, sql: impl SqlSafeStr, params: Params) -> Result<Vec<T>> {
        let values = params.into_values();
        self.checked(match self {
            Self::Sqlite { read, .. } => sqlx::query_as_with(sql, values).fetch_all(read).await,
            Self::Postgres(server) => {
                async { sqlx::query_as_with(sql, values).fetch_all(&mut *server.acquire().await?).await }.await
            }
        })
    }

    /// Fetches the first row of a read-only statement, if any.
    ///
    /// # Errors
    /// A database error.
    pub async fn fetch_optional<T: Record>(&self, sql: impl SqlSafeStr, params: Params) -> Result<Option<T>> {
        let values = params.into_values();
        self.checked(match self {
            Self::Sqlite { read, .. } => sqlx::query_as_with(sql, values).fetch_optional(read).await,
            Self::Postgres(server) => {
                async { sqlx::query_as_with(sql, values).fetch_optional(&mut *server.acquire().await?).await }.await
            }
        })
    }

    /// Fetches the only row of a read-only statement.
    ///
    /// # Errors
    /// A database error, also if there is no row.
    pub async fn fetch_one<T: Record>(&self, sql: impl SqlSafeStr, params: Params) -> Result<T> {
        self.fetch_optional(sql, params).await?.ok_or_else(|| sqlx::Error::RowNotFound.into())
    }

    async fn execute_once(&self, sql: SqlStr, params: Params) -> Result<u64> {
        let values = params.into_values();
        self.checked(match self {
            Self::Sqlite { write, turns, .. } => {
                let done = async {
                    let _turn = turns.take().await?;
                    sqlx::query_with(sql, values).execute(write).await
                };
                done.await.map(|done| done.rows_affected())
            }
            Self::Postgres(server) => {
                let done = async { sqlx::query_with(sql, values).execute(&mut *server.acquire().await?).await }.await;
                done.map(|done| done.rows_affected())
            }
        })
    }

    /// Fetches all rows of a sea-query statement, for lists with dynamic filters and sort orders.
    ///
    /// # Errors
    /// A database error.
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

    /// Whether commits survive a power cut. Everything that a connection can set is set; only PostgreSQL's `fsync` is a server
    /// setting.
    ///
    /// # Errors
    /// A database error.
    pub async fn survives_power_cuts(&self) -> Result<bool> {
        match self {
            Self::Sqlite { .. } => Ok(true),
            Self::Postgres(_) => {
                let (fsync,): (String,) = self.fetch_one("select current_setting('fsync')", Params::default()).await?;
                Ok(fsync == "on")
            }
        }
    }

    /// Logs an error that means that the database is unavailable.
    fn checked<T>(&self, result: sqlx::Result<T>) -> Result<T> {
        result.map_err(|error| {
            availability::log(self, &error);
            error.into()
        })
    }

    /// The database's name in logs and output, without user and password.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Sqlite { write, .. } => format!("sqlite:{}", write.connect_options().get_filename().display()),
            Self::Postgres(server) => {
                let options = server.pool().connect_options();
                let database = options.get_database().unwrap_or_else(|| options.get_username());
                format!("postgres://{}:{}/{database}", options.get_host(), options.get_port())
            }
        }
    }

    /// Closes every connection. All commits are on disk.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { read, write, .. } => {
                read.close().await;
                write.close().await;
            }
            Self::Postgres(server) => server.pool().close().await,
        }
    }
}
