//! For tests: how a database goes to an answer.

use platform::db::{Db, Dialect, params};
use sea_query::{PostgresQueryBuilder, SelectStatement, SqliteQueryBuilder};
use sqlx::AssertSqlSafe;

/// The plan of a statement, in the words of the database.
pub(crate) async fn explain(db: &Db, statement: &SelectStatement) -> String {
    explain_with(db, statement, &[]).await
}

/// The plan that needs no sorting, if there is one: PostgreSQL would rather sort a handful of rows.
pub(crate) async fn explain_unsorted(db: &Db, statement: &SelectStatement) -> String {
    explain_with(db, statement, &["SET LOCAL enable_sort = off"]).await
}

async fn explain_with(db: &Db, statement: &SelectStatement, postgres: &[&'static str]) -> String {
    let mut tx = db.begin().await.unwrap();
    let lines: Vec<String> = match db.dialect() {
        Dialect::Sqlite => {
            let sql = format!("EXPLAIN QUERY PLAN {}", statement.to_string(SqliteQueryBuilder));
            let rows: Vec<(i64, i64, i64, String)> = tx.fetch_all(AssertSqlSafe(sql), params![]).await.unwrap();
            rows.into_iter().map(|row| row.3).collect()
        }
        Dialect::Postgres => {
            // So few rows are soonest read all; the question is what can be done with many.
            let always =
                ["ANALYZE", "SET LOCAL enable_seqscan = off", "SELECT gin_clean_pending_list('idx_devices_text')"];
            for sql in always.iter().chain(postgres) {
                tx.execute(*sql, params![]).await.unwrap();
            }
            let sql = format!("EXPLAIN {}", statement.to_string(PostgresQueryBuilder));
            let rows: Vec<(String,)> = tx.fetch_all(AssertSqlSafe(sql), params![]).await.unwrap();
            rows.into_iter().map(|row| row.0).collect()
        }
    };
    lines.join("\n")
}

/// Whether the plan puts rows into an order that no index has.
pub(crate) fn sorts(plan: &str) -> bool {
    plan.contains("TEMP B-TREE") || plan.contains("Sort")
}
