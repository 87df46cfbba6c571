//! Items of attention in the console's database.

use platform::db::{Db, params};

/// Adds open items of high severity for these devices.
pub(crate) async fn open_items(database: &str, items: &[(&str, &str)]) {
    let db = Db::connect(database).await.unwrap();
    for (id, dsn) in items {
        insert(&db, id, dsn, "no_use", 3).await;
    }
    db.close().await;
}

async fn insert(db: &Db, id: &str, dsn: &str, kind: &str, severity: i64) {
    db.execute(
        "INSERT INTO attention_items (id, kind, severity, dsn, csp, since, opened_at, occurrences, cause, evidence) \
         VALUES ($1, $2, $3, $4, '', 1, 2, 1, 'clogged', '{\"usedHours\":0.5}')",
        params![id, kind, severity, dsn],
    )
    .await
    .unwrap();
}
