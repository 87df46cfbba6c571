//! Opens database connections.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::str::FromStr;
use std::time::Duration;

use log::LevelFilter;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqlitePool};

use super::{Db, Error, Result, Server, WriteTurns};

/// Read connections per SQLite file. More than the cores of a small machine would only cost memory.
const SQLITE_READERS: u32 = 4;
/// Rows buffered between SQLite's thread and the reader.
const SQLITE_ROWS: usize = 1024;
const POSTGRES_CONNECTIONS: u32 = 16;
/// Connections of a [`Db`] for short statements.
const SHORT_CONNECTIONS: u32 = 4;
/// How long a connection to PostgreSQL may have been idle to be used without a test. Shorter than a restart of the server, and
/// longer than the pauses between the statements of a busy node: a test costs as much as a short statement.
const TRUSTED_IDLE: Duration = Duration::from_millis(100);
/// How long a statement waits for a connection when all are busy.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn connect(url: &str, create: bool, statement_timeout: Option<Duration>) -> Result<Db> {
    match url.split_once(':') {
        // The path is not parsed as a URL, because a folder may have any name.
        Some(("sqlite", path)) => sqlite(path.strip_prefix("//").unwrap_or(path), create).await,
        Some(("postgres" | "postgresql", _)) => postgres(url, statement_timeout).await,
        _ => Err(Error::UnknownScheme),
    }
}

async fn postgres(url: &str, statement_timeout: Option<Duration>) -> Result<Db> {
    let options = log_statements(PgConnectOptions::from_str(url).map_err(Error::Url)?)
        // Acknowledged writes must survive a power cut, whatever the defaults of the role and the database are.
        .options([("synchronous_commit", "on")])
        // Statements take milliseconds, so JIT compilation would take longer than running them. Sorting and counting among a
        // million devices must fit into memory.
        .options([("jit", "off"), ("work_mem", "32MB")]);
    let options = match statement_timeout {
        // A client that hangs within a transaction, or whose network is gone, must not keep its locks.
        Some(timeout) => options.options([
            ("statement_timeout", timeout.as_millis()),
            ("idle_in_transaction_session_timeout", timeout.as_millis()),
        ]),
        None => options,
    };
    // Connect once first: a pool would retry until its timeout and hide the actual error.
    let connected = async { options.connect().await?.close().await };
    connected.await.map_err(|source| Error::Connect {
        server: format!("{}:{}", options.get_host(), options.get_port()),
        source,
    })?;
    Ok(Db::Postgres(Server::new(postgres_pool(POSTGRES_CONNECTIONS).connect_with(options).await?)))
}

async fn sqlite(path: &str, create: bool) -> Result<Db> {
    open_private(path, create).map_err(|source| Error::Open { path: path.to_owned(), source: source.into() })?;
    let options = log_statements(SqliteConnectOptions::new().filename(path))
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: acknowledged writes survive a power cut.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // A driver thread produces the rows. A larger buffer makes it wait less often.
        .row_buffer_size(SQLITE_ROWS)
        .busy_timeout(Duration::from_secs(5));
    let write = sqlite_pool(1)
        .after_release(|connection, _| Box::pin(has_no_transaction(connection)))
        .connect_with(options.clone())
        .await
        .map_err(|source| Error::Open { path: path.to_owned(), source: source.into() })?;
    let read = sqlite_readers(options, SQLITE_READERS).await?;
    Ok(Db::Sqlite { read, write, turns: WriteTurns::new(ACQUIRE_TIMEOUT) })
}

/// Why a connection failed, without the driver's words around it.
pub(super) fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        // The driver's error says in other words that it is one of input or output.
        sqlx::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    }
}

pub(super) async fn connect_read_only(url: &str) -> Result<Db> {
    let Some(path) = url.strip_prefix("sqlite:") else { return Err(Error::UnknownScheme) };
    let path = path.strip_prefix("//").unwrap_or(path);
    let options = log_statements(SqliteConnectOptions::new().filename(path)).row_buffer_size(SQLITE_ROWS);
    let read = sqlite_readers(options, SQLITE_READERS).await;
    let read = read.map_err(|source| Error::Open { path: path.to_owned(), source: source.into() })?;
    Ok(Db::Sqlite { write: read.clone(), read, turns: WriteTurns::new(ACQUIRE_TIMEOUT) })
}

async fn sqlite_readers(options: SqliteConnectOptions, count: u32) -> Result<SqlitePool> {
    Ok(sqlite_pool(count).connect_with(options.read_only(true)).await?)
}

/// The connections of a file do not break while they are idle, so they are not tested before their use.
fn sqlite_pool(connections: u32) -> SqlitePoolOptions {
    let pool = SqlitePoolOptions::new().max_connections(connections).acquire_timeout(ACQUIRE_TIMEOUT);
    pool.test_before_acquire(false)
}

/// A connection is tested when it returns to the pool, and again before its use if the server could have restarted since.
fn postgres_pool(connections: u32) -> PgPoolOptions {
    tested_after(TRUSTED_IDLE, connections)
}

fn tested_after(idle: Duration, connections: u32) -> PgPoolOptions {
    let pool = PgPoolOptions::new().max_connections(connections).acquire_timeout(ACQUIRE_TIMEOUT);
    pool.test_before_acquire(false).before_acquire(move |connection, metadata| {
        Box::pin(async move { Ok(metadata.idle_for <= idle || connection.ping().await.is_ok()) })
    })
}

pub(super) async fn for_short_statements(db: &Db) -> Result<Db> {
    Ok(match db {
        Db::Sqlite { write, turns, .. } => {
            let read = sqlite_readers(write.connect_options().as_ref().clone(), SHORT_CONNECTIONS).await?;
            Db::Sqlite { read, write: write.clone(), turns: turns.clone() }
        }
        Db::Postgres(server) => {
            let options = server.pool().connect_options().as_ref().clone();
            Db::Postgres(Server::new(postgres_pool(SHORT_CONNECTIONS).connect_with(options).await?))
        }
    })
}

/// Logs statements, without their values, at `trace` only, however slow: a batch statement can be very long.
fn log_statements<O: ConnectOptions>(options: O) -> O {
    options.log_statements(LevelFilter::Trace).log_slow_statements(LevelFilter::Trace, Duration::MAX)
}

/// Whether the pool may keep the connection. If the disk is full or fails, SQLite ends a transaction by itself. The driver's
/// rollback then fails and its transaction count stays above zero, so that the connection can begin no new transaction.
async fn has_no_transaction(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    if !connection.is_in_transaction() {
        return Ok(true);
    }
    // The rollback of a dropped transaction may still be running.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Checks that the file can be written. A missing one is created if wanted, such that only its owner can read it, whatever the
/// umask. SQLite's companion files inherit the mode.
fn open_private(path: &str, create: bool) -> io::Result<()> {
    OpenOptions::new().append(true).create(create).mode(0o600).open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDb;

    #[tokio::test]
    async fn connections_that_broke_while_idle_are_replaced() {
        let test = TestDb::postgres().await;
        let Db::Postgres(server) = &test.db else { panic!("another database") };
        let options = server.pool().connect_options().as_ref().clone();
        let pool = tested_after(Duration::ZERO, 2).connect_with(options).await.unwrap();
        let backends = {
            let mut both = [pool.acquire().await.unwrap(), pool.acquire().await.unwrap()];
            let mut backends = Vec::new();
            for connection in &mut both {
                let backend: i32 =
                    sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut **connection).await.unwrap();
                backends.push(backend);
            }
            backends
        };
        let ended = "select count(*) from unnest($1::int[]) as backend where pg_terminate_backend(backend, 5000)";
        let ended: i64 = sqlx::query_scalar(ended).bind(backends).fetch_one(server.pool()).await.unwrap();
        assert_eq!(ended, 2);
        for _ in 0..2 {
            let one: i32 = sqlx::query_scalar("select 1").fetch_one(&pool).await.unwrap();
            assert_eq!(one, 1);
        }
    }
}
