//! Statements that PostgreSQL cancelled in favour of another transaction.

use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;

/// SQLSTATE of a serialization failure and of a deadlock.
const CODES: [&str; 2] = ["40001", "40P01"];

/// Whether the error ended a transaction or a statement in favour of another transaction.
pub(super) fn is_conflict(error: &sqlx::Error) -> bool {
    let Some(error) = error.as_database_error() else { return false };
    error.try_downcast_ref::<PgDatabaseError>().is_some()
        && DatabaseError::code(error).is_some_and(|code| CODES.contains(&&*code))
}
