//! Statements that PostgreSQL cancelled in favour of another transaction, or because of their `lock_timeout`.

use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;

/// SQLSTATE of a serialization failure and of a deadlock.
const CODES: [&str; 2] = ["40001", "40P01"];

/// SQLSTATE of a lock that was not free within `lock_timeout`.
const LOCK_TIMEOUT: &str = "55P03";

/// Whether the error ended a transaction or a statement in favour of another transaction.
pub(super) fn is_conflict(error: &sqlx::Error) -> bool {
    has_code(error, &CODES)
}

/// Whether a statement waited too long for a lock.
pub(super) fn is_lock_timeout(error: &sqlx::Error) -> bool {
    has_code(error, &[LOCK_TIMEOUT])
}

fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    let Some(error) = error.as_database_error() else { return false };
    error.try_downcast_ref::<PgDatabaseError>().is_some()
        && DatabaseError::code(error).is_some_and(|code| codes.contains(&&*code))
}
