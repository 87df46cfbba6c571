//! Database operations on SQLite and PostgreSQL with the same SQL.

#![expect(clippy::unwrap_used, reason = "a failed statement fails the test")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::FutureExt;
use platform::db::{Db, Error, Migration, Migrations, OtherProgram, Tx, params};
use platform::store_suite;
use platform::testing::TestDb;

async fn schema(db: &Db) {
    db.execute(
        "create table thing (id bigint primary key, name text unique, ready boolean not null, weight double precision)",
        params![],
    )
    .await
    .unwrap();
}

type Thing = (i64, Option<String>, bool, Option<f64>);

async fn all_value_types_and_null_round_trip(db: Db) {
    let insert = "insert into thing values ($1, $2, $3, $4)";
    db.execute(insert, params![1_i64, "one", true, 1.5_f64]).await.unwrap();
    db.execute(insert, params![2_i64, None::<String>, false, None::<f64>]).await.unwrap();
    let things: Vec<Thing> = db.fetch_all("select * from thing order by id", params![]).await.unwrap();
    assert_eq!(things, [(1, Some("one".into()), true, Some(1.5)), (2, None, false, None)]);
}

async fn dropped_transaction_is_rolled_back(db: Db) {
    let mut tx = db.begin().await.unwrap();
    tx.execute("insert into thing values (1, 'gone', true, null)", params![]).await.unwrap();
    drop(tx);
    let mut tx = db.begin().await.unwrap();
    let (id,): (i64,) =
        tx.fetch_one("insert into thing values (2, 'kept', true, null) returning id", params![]).await.unwrap();
    tx.commit().await.unwrap();
    let names: Vec<(String,)> = db.fetch_all("select name from thing where ready = $1", params![true]).await.unwrap();
    assert_eq!((id, names), (2, vec![("kept".to_owned(),)]));
}

async fn unique_violation_is_recognised(db: Db) {
    let insert = "insert into thing values ($1, 'same', true, null)";
    db.execute(insert, params![1_i64]).await.unwrap();
    assert!(db.execute(insert, params![2_i64]).await.unwrap_err().is_unique_violation());
    assert!(!db.execute("insert into nothing values (1)", params![]).await.unwrap_err().is_unique_violation());
}

async fn missing_row_is_none_or_an_error(db: Db) {
    let sql = "select * from thing where id = $1";
    assert_eq!(db.fetch_optional::<Thing>(sql, params![9_i64]).await.unwrap(), None);
    assert!(matches!(db.fetch_one::<Thing>(sql, params![9_i64]).await, Err(Error::Sqlx(sqlx::Error::RowNotFound))));
}

async fn failed_transaction_rejects_further_statements(db: Db) {
    let insert = "insert into thing values ($1, 'same', true, null)";
    let mut tx = db.begin().await.unwrap();
    tx.execute(insert, params![1_i64]).await.unwrap();
    assert!(tx.execute(insert, params![2_i64]).await.unwrap_err().is_unique_violation());
    let refused = tx.execute("insert into thing values (3, 'other', true, null)", params![]).await;
    assert!(matches!(refused, Err(Error::TransactionFailed)), "{refused:?}");
    assert!(matches!(tx.commit().await, Err(Error::TransactionFailed)));
    assert_eq!(things(&db).await, 0);
}

/// Connections of the pool for statements that take longer; none is left.
async fn hold_all_connections(db: &Db) -> Vec<Box<dyn Send>> {
    let mut held: Vec<Box<dyn Send>> = Vec::new();
    match db {
        Db::Sqlite { read, .. } => {
            for _ in 0..read.options().get_max_connections() {
                held.push(Box::new(read.acquire().await.unwrap()));
            }
        }
        Db::Postgres(server) => {
            for _ in 0..server.pool().options().get_max_connections() {
                held.push(Box::new(server.pool().acquire().await.unwrap()));
            }
        }
    }
    held
}

async fn short_statements_do_not_wait_for_the_connections_of_others(db: Db) {
    let short = db.for_short_statements().await.unwrap();
    db.execute("insert into thing values (1, 'one', true, null)", params![]).await.unwrap();
    let held = hold_all_connections(&db).await;
    assert!(db.ping().now_or_never().is_none(), "no connection is left");
    assert_eq!(things(&short).await, 1);
    drop(held);
    short.execute("insert into thing values (2, 'two', true, null)", params![]).await.unwrap();
    assert_eq!(things(&db).await, 2);
    short.close().await;
}

async fn things(db: &Db) -> i64 {
    db.fetch_one::<(i64,)>("select count(*) from thing", params![]).await.unwrap().0
}

store_suite!(
    migrate = super::schema,
    tests = [
        all_value_types_and_null_round_trip,
        dropped_transaction_is_rolled_back,
        unique_violation_is_recognised,
        missing_row_is_none_or_an_error,
        failed_transaction_rejects_further_statements,
        short_statements_do_not_wait_for_the_connections_of_others,
    ]
);

/// Adds a thing in a transaction that conflicts with another one at its first `conflicts` attempts. Returns the result and
/// the number of attempts.
async fn add_in_conflict(test: &TestDb, conflicts: u32) -> (Result<(), Error>, u32) {
    test.execute("insert into thing values (1, 'one', true, 0)", params![]).await.unwrap();
    let attempts = AtomicU32::new(0);
    let add = async |mut tx: Tx| {
        let attempt = attempts.fetch_add(1, Ordering::Relaxed) + 1;
        tx.execute("set transaction isolation level repeatable read", params![]).await?;
        tx.fetch_one::<Thing>("select * from thing where id = 1", params![]).await?;
        if attempt <= conflicts {
            test.execute("update thing set weight = weight + 1 where id = 1", params![]).await?;
        }
        tx.execute("insert into thing values (2, 'two', true, null)", params![]).await?;
        tx.execute("update thing set ready = false where id = 1", params![]).await?;
        tx.commit().await
    };
    (test.write(add).await, attempts.into_inner())
}

#[tokio::test]
async fn conflicting_transaction_is_repeated() {
    let test = TestDb::postgres_with(schema).await;
    let (result, attempts) = add_in_conflict(&test, 4).await;
    result.unwrap();
    assert_eq!((attempts, things(&test).await), (5, 2));
}

#[tokio::test]
async fn transaction_that_always_conflicts_fails_after_five_attempts() {
    let test = TestDb::postgres_with(schema).await;
    let (result, attempts) = add_in_conflict(&test, u32::MAX).await;
    assert!(matches!(result, Err(Error::Sqlx(_))), "{result:?}");
    assert_eq!((attempts, things(&test).await), (5, 1));
}

#[tokio::test]
async fn transaction_with_another_error_is_not_repeated() {
    let test = TestDb::sqlite().await;
    schema(&test).await;
    let attempts = AtomicU32::new(0);
    let fail = async |mut tx: Tx| {
        attempts.fetch_add(1, Ordering::Relaxed);
        tx.execute("insert into nothing values (1)", params![]).await?;
        tx.commit().await
    };
    assert!(test.write(fail).await.is_err());
    assert_eq!(attempts.into_inner(), 1);
}

#[tokio::test]
async fn statement_that_takes_too_long_is_cancelled() {
    let test = TestDb::postgres().await;
    let db = Db::connect_with(&test.url, Duration::from_secs(1)).await.unwrap();
    let sleep = "select count(*) from (select pg_sleep(600)) as slept";
    for _ in 0..2 {
        let cancelled = db.fetch_all::<(i64,)>(sleep, params![]).await.unwrap_err();
        assert!(cancelled.is_unavailable() && cancelled.to_string().contains("statement timeout"), "{cancelled}");
    }
    let mut tx = db.begin().await.unwrap();
    assert!(tx.fetch_all::<(i64,)>(sleep, params![]).await.unwrap_err().is_unavailable());
    drop(tx);
    db.ping().await.unwrap();
}

#[tokio::test]
async fn transaction_of_a_hanging_client_ends_and_releases_its_locks() {
    let test = TestDb::postgres().await;
    schema(&test).await;
    test.execute("insert into thing values (1, 'one', true, null)", params![]).await.unwrap();
    let db = Db::connect_with(&test.url, Duration::from_secs(1)).await.unwrap();
    let mut tx = db.begin().await.unwrap();
    tx.execute("update thing set name = 'two' where id = 1", params![]).await.unwrap();
    // Waits for the lock.
    test.execute("update thing set name = 'three' where id = 1", params![]).await.unwrap();
    let error = tx.execute("update thing set name = 'four' where id = 1", params![]).await.unwrap_err();
    assert!(error.is_unavailable(), "{error}");
}

#[tokio::test]
async fn migrations_may_take_longer_than_other_statements() {
    let migrations = Migrations { all: &[Migration { name: "slow", text: "select pg_sleep(1);" }], other: OTHER };
    let test = TestDb::postgres().await;
    let db = Db::connect_with(&test.url, Duration::from_millis(500)).await.unwrap();
    assert_eq!(db.migrate(&migrations).await.unwrap(), 1);
    db.check_schema(&migrations).await.unwrap();
}

const OTHER: OtherProgram = OtherProgram { name: "other program", table: "none" };
/// Databases of other builds.
mod builds {
    use super::*;

    const FIRST: Migration = Migration { name: "first", text: "create table thing (id {id}, name {text} not null);" };
    const SECOND: Migration = Migration { name: "second", text: "alter table thing add column picture {bytes};" };

    async fn later_migration_is_applied_to_a_populated_database_and_keeps_its_rows(db: &TestDb) {
        let (before, after) =
            (Migrations { all: &[FIRST], other: OTHER }, Migrations { all: &[FIRST, SECOND], other: OTHER });
        assert!(matches!(db.check_schema(&after).await, Err(Error::NoSchema)));
        assert_eq!(db.migrate(&before).await.unwrap(), 1);
        let insert = "insert into thing (name) values ('b'), ('a'), ('B')";
        db.execute(insert, params![]).await.unwrap();
        assert!(matches!(db.check_schema(&after).await, Err(Error::OldSchema)));
        assert_eq!(db.migrate(&after).await.unwrap(), 1);
        db.check_schema(&after).await.unwrap();
        assert_eq!(db.migrate(&after).await.unwrap(), 0);
        let sql = "select id, name, picture from thing order by name";
        let things: Vec<(i64, String, Option<Vec<u8>>)> = db.fetch_all(sql, params![]).await.unwrap();
        let names = things.iter().map(|(id, name, _)| (*id, &**name)).collect::<Vec<_>>();
        assert_eq!(names, [(3, "B"), (2, "a"), (1, "b")]);
    }

    async fn database_of_an_earlier_build_is_refused(db: &TestDb) {
        const EARLIER: Migration = Migration { name: "things", text: "create table thing (id {id});" };
        let this = Migrations { all: &[FIRST], other: OTHER };
        db.migrate(&Migrations { all: &[EARLIER, SECOND], other: OTHER }).await.unwrap();
        for refused in [db.check_schema(&this).await, db.migrate(&this).await.map(|_| ())] {
            assert!(matches!(refused, Err(Error::EarlierBuild)), "{refused:?}");
        }
        assert_eq!(db.columns().await, ["thing.id", "thing.picture"]);
    }

    async fn database_of_a_newer_build_is_refused(db: &TestDb) {
        let this = Migrations { all: &[FIRST], other: OTHER };
        db.migrate(&Migrations { all: &[FIRST, SECOND], other: OTHER }).await.unwrap();
        for refused in [db.check_schema(&this).await, db.migrate(&this).await.map(|_| ())] {
            assert!(matches!(refused, Err(Error::NewSchema)), "{refused:?}");
        }
    }

    platform::on_both_databases!(
        later_migration_is_applied_to_a_populated_database_and_keeps_its_rows,
        database_of_an_earlier_build_is_refused,
        database_of_a_newer_build_is_refused,
    );
}

#[tokio::test]
async fn unknown_scheme_is_rejected_without_quoting_the_url() {
    let error = Db::connect("mysql://root:secret@host/db").await.unwrap_err();
    assert_eq!(error.to_string(), "a database URL must start with sqlite: or postgres:");
}

#[tokio::test]
async fn sqlite_file_can_have_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("50% of what? ü.db");
    Db::connect(&format!("sqlite:{}", path.display())).await.unwrap().close().await;
    assert!(path.exists());
}

/// SQLite ends a transaction by itself if the disk is full (SQLITE_FULL), which the driver does not notice.
#[tokio::test]
async fn writer_stays_usable_after_sqlite_ended_a_transaction_on_full_disk() {
    let test = TestDb::sqlite().await;
    schema(&test).await;
    let fill = "insert into thing values ($1, $2, true, null)";
    for round in 0..3 {
        test.execute("pragma max_page_count = 20", params![]).await.unwrap();
        let mut tx = test.begin().await.unwrap();
        tx.execute("insert into thing values (0, 'half', true, null)", params![]).await.unwrap();
        let full = tx.execute(fill, params![1_i64, "x".repeat(1_000_000)]).await.unwrap_err();
        assert!(full.to_string().contains("full") && full.is_unavailable(), "{full}");
        let refused = tx.execute(fill, params![2_i64, "not on its own either"]).await;
        assert!(matches!(refused, Err(Error::TransactionFailed)), "{refused:?}");
        drop(tx);
        let mut tx = test.begin().await.unwrap();
        tx.execute(fill, params![10 + round, format!("after {round}")]).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(things(&test).await, round + 1);
    }
}
