//! Recognises and logs errors that mean that the database itself is unavailable.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::Error;
use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;
use tokio::time::Instant;

use super::Db;

/// SQLSTATE classes for a lost connection, exhausted resources (disk, memory, connections), a server that is starting or
/// shutting down, and operating system errors; and the codes of a statement and a transaction that were ended by their timeouts.
const POSTGRES: [&str; 6] = ["08", "53", "57P", "58", "57014", "25P03"];
/// SQLite's primary codes BUSY, IOERR, FULL and CANTOPEN.
const SQLITE: [u32; 4] = [5, 10, 13, 14];

/// The minimum time between two log lines for one database and cause, because every request fails meanwhile.
const LOG_EVERY: Duration = Duration::from_secs(60);
/// When each database and cause was last logged. The cause is an error code, or `None` for a lost connection.
static LOGGED: Mutex<BTreeMap<(String, Option<String>), Instant>> = Mutex::new(BTreeMap::new());

/// Logs that the database is unavailable if the error says so, at most once a minute for each cause.
pub(super) fn log(db: &Db, error: &Error) {
    // The pool was closed by a shutdown.
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

/// Whether the same statement may succeed when it is repeated later.
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
    // The driver returns the extended code, whose low byte is the primary code.
    code.parse::<u32>().is_ok_and(|code| SQLITE.contains(&(code & 0xff)))
}
