//! Query plans, for tests.

use platform::db::{Db, Dialect, params};
use sea_query::{PostgresQueryBuilder, SelectStatement, SqliteQueryBuilder};
use sqlx::AssertSqlSafe;

/// The plan without sorting, if there is one. By default PostgreSQL sorts small numbers of rows.
pub(crate) async fn explain_unsorted(db: &Db, statement: &SelectStatement) -> String {
    let mut tx = db.begin().await.unwrap();
    let lines: Vec<String> = match db.dialect() {
        Dialect::Sqlite => {
            let sql = format!("explain query plan {}", statement.to_string(SqliteQueryBuilder));
            let rows: Vec<(i64, i64, i64, String)> = tx.fetch_all(AssertSqlSafe(sql), params![]).await.unwrap();
            rows.into_iter().map(|row| row.3).collect()
        }
        Dialect::Postgres => {
            // Small tables are scanned by default; this shows the plan for large ones.
            for sql in ["ANALYZE", "set local enable_seqscan = off", "set local enable_sort = off"] {
                tx.execute(sql, params![]).await.unwrap();
            }
            let sql = format!("explain {}", statement.to_string(PostgresQueryBuilder));
            let rows: Vec<(String,)> = tx.fetch_all(AssertSqlSafe(sql), params![]).await.unwrap();
            rows.into_iter().map(|row| row.0).collect()
        }
    };
    lines.join("\n")
}

/// Whether the plan sorts rows.
pub(crate) fn sorts(plan: &str) -> bool {
    plan.contains("TEMP B-TREE") || plan.contains("Sort")
}
