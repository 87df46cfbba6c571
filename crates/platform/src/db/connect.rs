//! How each database is opened.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::{Db, Error, Result};

/// Readers of one SQLite file. More than the cores of a small machine only adds memory.
const SQLITE_READERS: u32 = 4;
const POSTGRES_CONNECTIONS: u32 = 16;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn connect(url: &str) -> Result<Db> {
    match url.split_once(':').map(|(scheme, _)| scheme) {
        Some("sqlite") => sqlite(url).await,
        Some("postgres" | "postgresql") => {
            let pool = PgPoolOptions::new()
                .max_connections(POSTGRES_CONNECTIONS)
                .acquire_timeout(ACQUIRE_TIMEOUT)
                .connect(url)
                .await?;
            Ok(Db::Postgres(pool))
        }
        _ => Err(Error::UnknownScheme),
    }
}

async fn sqlite(url: &str) -> Result<Db> {
    let options = SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: what we acknowledged is still there after a power cut.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5));
    let write = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(options.clone())
        .await?;
    let read = SqlitePoolOptions::new()
        .max_connections(SQLITE_READERS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(options.create_if_missing(false).read_only(true))
        .await?;
    Ok(Db::Sqlite { read, write })
}
