//! Write transactions and statements, repeated after a conflict with another transaction.

use std::result::Result as StdResult;
use std::sync::atomic::Ordering;

use sqlx::SqlSafeStr;

use super::{Db, Error, Params, Result, Tx};

/// Each conflict lets another transaction proceed, so this many in a row mean that something else is wrong.
const MAX_ATTEMPTS: u32 = 5;

impl Db {
    /// Runs `work` with a write transaction, which `work` commits. If the transaction conflicts with another one (a deadlock
    /// or a serialization failure), `work` runs again with a new one, up to five times, so it must have no effects outside the
    /// transaction.
    ///
    /// # Errors
    /// The error of `work`, or a database error.
    pub async fn write<T, E: From<Error>, F>(&self, work: impl Fn(Tx) -> F) -> StdResult<T, E>
    where
        F: Future<Output = StdResult<T, E>>,
    {
        for _ in 1..MAX_ATTEMPTS {
            let tx = self.begin().await?;
            let had_conflict = tx.conflict_flag();
            let result = work(tx).await;
            if result.is_ok() || !had_conflict.load(Ordering::Relaxed) {
                return result;
            }
            tracing::debug!("a transaction conflicted with another one and is repeated");
        }
        work(self.begin().await?).await
    }

    /// Executes one write statement and returns the number of affected rows. Repeats it, like [`write`](Self::write), if it
    /// conflicts with a transaction. Statements with `RETURNING` need a transaction, because SQLite's read connections cannot
    /// write.
    ///
    /// # Errors
    /// A database error.
    pub async fn execute(&self, sql: impl SqlSafeStr, params: Params) -> Result<u64> {
        let sql = sql.into_sql_str();
        for _ in 1..MAX_ATTEMPTS {
            match self.execute_once(sql.clone(), params.clone()).await {
                Err(error) if error.is_conflict() => {}
                executed => return executed,
            }
        }
        self.execute_once(sql, params).await
    }
}
