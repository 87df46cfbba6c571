//! Durability: the settings of the cloud's own connections.

use platform::db::{Db, params};
use platform::testing::TestDb;

/// Opens the database as the cloud does.
async fn opened(test: &TestDb) -> Db {
    Db::connect(&test.url).await.unwrap()
}

async fn setting<T>(db: &Db, sql: &'static str) -> T
where
    (T,): platform::db::Record,
{
    // On the connection that writes.
    let mut tx = db.begin().await.unwrap();
    tx.fetch_one::<(T,)>(sql, params![]).await.unwrap().0
}

#[tokio::test]
async fn sqlite_syncs_every_commit() {
    let test = TestDb::sqlite().await;
    let db = opened(&test).await;
    assert_eq!(setting::<i64>(&db, "pragma synchronous").await, 2, "FULL");
    assert_eq!(setting::<String>(&db, "pragma journal_mode").await, "wal");
    assert_eq!(setting::<i64>(&db, "pragma foreign_keys").await, 1);
    assert!(db.survives_power_cuts().await.unwrap());
}

#[tokio::test]
async fn postgres_syncs_commits_regardless_of_its_defaults() {
    let test = TestDb::postgres().await;
    let name: String = setting(&test.db, "select current_database()::text").await;
    let weaken = format!("alter database {name} set synchronous_commit = off");
    test.db.execute(sqlx::AssertSqlSafe(weaken), params![]).await.unwrap();
    let db = opened(&test).await;
    assert_eq!(setting::<String>(&db, "select current_setting('synchronous_commit')").await, "on");
    // No connection can set this. The private server of a test run has fsync off, and the cloud reports it.
    let fsync: String = setting(&db, "select current_setting('fsync')").await;
    assert_eq!(db.survives_power_cuts().await.unwrap(), fsync == "on");
}
