//! Which errors of the drivers say that the database itself is to blame, and their place in the log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::Error;
use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;
use tokio::time::Instant;

use super::Db;

/// The classes of PostgreSQL's SQLSTATE for a lost connection, for resources that are used up (disk, memory, connections),
/// for a server that shuts down or starts, and for errors of its operating system.
const POSTGRES: [&str; 4] = ["08", "53", "57P", "58"];
/// SQLite's primary codes BUSY, IOERR, FULL and CANTOPEN.
const SQLITE: [u32; 4] = [5, 10, 13, 14];

/// Between two log lines about one database and cause: while it is not available, every request fails.
const LOG_EVERY: Duration = Duration::from_secs(60);
/// When each database was last logged with each cause, an error code; without one the connection is lost.
static LOGGED: Mutex<BTreeMap<(String, Option<String>), Instant>> = Mutex::new(BTreeMap::new());

/// Logs that the database is not available, if the error says so, at most once a minute for each cause.
pub(super) fn log(db: &Db, error: &Error) {
    // A node that stops has closed its pool.
    if !is_lost(error) || matches!(error, Error::PoolClosed) {
        return;
    }
    let code = error.as_database_error().and_then(DatabaseError::code).map(Into::into);
    let (subject, now) = ((db.name(), code), Instant::now());
    let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    if logged.get(&subject).is_none_or(|last| now.duration_since(*last) >= LOG_EVERY) {
        tracing::error!(database = subject.0, %error, "the database is not available (--database)");
        logged.insert(subject, now);
    }
}

/// Whether the same statement may succeed later.
pub(super) fn is_lost(error: &Error) -> bool {
    match error {
        Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed | Error::Io(_) | Error::Tls(_) => true,
        Error::Database(error) => is_code_of_loss(&**error),
        _ => false,
    }
}

fn is_code_of_loss(error: &dyn DatabaseError) -> bool {
    let code = error.code().unwrap_or_default();
    if error.try_downcast_ref::<PgDatabaseError>().is_some() {
        return POSTGRES.iter().any(|class| code.starts_with(class));
    }
    // The driver gives the extended code, whose low byte is the primary one.
    code.parse::<u32>().is_ok_and(|code| SQLITE.contains(&(code & 0xff)))
}
