//! How each database is opened.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};

use super::{Db, Error, Result};

/// Readers of one SQLite file. More than the cores of a small machine only adds memory.
const SQLITE_READERS: u32 = 4;
/// Rows that wait between SQLite's thread and ours.
const SQLITE_ROWS: usize = 1024;
const POSTGRES_CONNECTIONS: u32 = 16;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn connect(url: &str) -> Result<Db> {
    match url.split_once(':') {
        // The path is taken as it stands: a folder may have any name.
        Some(("sqlite", path)) => sqlite(path.strip_prefix("//").unwrap_or(path)).await,
        Some(("postgres" | "postgresql", _)) => postgres(url).await,
        _ => Err(Error::UnknownScheme),
    }
}

async fn postgres(url: &str) -> Result<Db> {
    // What runs slowly is for the metrics to tell: a statement may be as long as its batch.
    let options = PgConnectOptions::from_str(url)?
        .disable_statement_logging()
        // What we acknowledged is still there after a power cut, whatever the role's or the database's default says.
        .options([("synchronous_commit", "on")])
        // Our statements take milliseconds: compiling one would take longer than running it, now and then a second. And what
        // they collect to count or sort, a part of a million devices, is to stay in memory.
        .options([("jit", "off"), ("work_mem", "32MB")]);
    // A pool would try until its time is over, and then tell of that instead of what is wrong.
    options.connect().await?.close().await?;
    let pool = PgPoolOptions::new().max_connections(POSTGRES_CONNECTIONS).acquire_timeout(ACQUIRE_TIMEOUT);
    Ok(Db::Postgres(pool.connect_with(options).await?))
}

async fn sqlite(path: &str) -> Result<Db> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .disable_statement_logging()
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: what we acknowledged is still there after a power cut.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // A statement's rows come from a thread of the driver: the fewer times it has to wait for us, the better.
        .row_buffer_size(SQLITE_ROWS)
        .busy_timeout(Duration::from_secs(5));
    let write = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(options.clone())
        .await
        .map_err(|source| Error::Open { path: path.to_owned(), source })?;
    let read = SqlitePoolOptions::new()
        .max_connections(SQLITE_READERS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(options.create_if_missing(false).read_only(true))
        .await?;
    Ok(Db::Sqlite { read, write })
}
