//! How each database is opened.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use super::{Db, Error, Result, Server};

/// Readers of one SQLite file. More than the cores of a small machine only adds memory.
const SQLITE_READERS: u32 = 4;
/// Rows that wait between SQLite's thread and ours.
const SQLITE_ROWS: usize = 1024;
const POSTGRES_CONNECTIONS: u32 = 16;
/// How long a statement waits for a connection when all are busy.
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
    Ok(Db::Postgres(Server::new(pool.connect_with(options).await?)))
}

async fn sqlite(path: &str) -> Result<Db> {
    create_private(path).map_err(|source| Error::Open { path: path.to_owned(), source: source.into() })?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .disable_statement_logging()
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
        .after_release(|connection, _| Box::pin(has_no_transaction(connection)))
        .connect_with(options.clone())
        .await
        .map_err(|source| Error::Open { path: path.to_owned(), source: source.into() })?;
    let read = SqlitePoolOptions::new()
        .max_connections(SQLITE_READERS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(options.read_only(true))
        .await?;
    Ok(Db::Sqlite { read, write })
}

/// Whether the pool may keep the connection. When the disk is full or fails, SQLite ends a transaction by itself; the driver's
/// rollback then fails, and leaves its count of open transactions above zero, so that no further one can begin.
async fn has_no_transaction(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    if !connection.is_in_transaction() {
        return Ok(true);
    }
    // The rollback of a dropped transaction may still be under way.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Creates a missing file that only its owner can read, whatever the umask; SQLite gives its companion files the same mode.
fn create_private(path: &str) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path).map(drop)
}
