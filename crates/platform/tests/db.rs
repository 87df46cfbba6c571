//! One text of SQL, two databases.

#![expect(clippy::unwrap_used, reason = "a statement that fails is a test that fails")]

use platform::db::{Db, Error, params};
use platform::store_suite;

async fn schema(db: &Db) {
    db.execute(
        "create table thing (id bigint primary key, name text unique, ready boolean not null, weight double precision)",
        params![],
    )
    .await
    .unwrap();
}

type Thing = (i64, Option<String>, bool, Option<f64>);

async fn every_kind_of_value_and_null_comes_back(db: Db) {
    let insert = "insert into thing values ($1, $2, $3, $4)";
    db.execute(insert, params![1_i64, "one", true, 1.5_f64]).await.unwrap();
    db.execute(insert, params![2_i64, None::<String>, false, None::<f64>]).await.unwrap();
    let things: Vec<Thing> = db.fetch_all("select * from thing order by id", params![]).await.unwrap();
    assert_eq!(things, [(1, Some("one".into()), true, Some(1.5)), (2, None, false, None)]);
}

async fn a_transaction_that_is_dropped_leaves_nothing(db: Db) {
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

async fn a_repeated_unique_key_is_told_apart_from_other_errors(db: Db) {
    let insert = "insert into thing values ($1, 'same', true, null)";
    db.execute(insert, params![1_i64]).await.unwrap();
    assert!(db.execute(insert, params![2_i64]).await.unwrap_err().is_unique_violation());
    assert!(!db.execute("insert into nothing values (1)", params![]).await.unwrap_err().is_unique_violation());
}

async fn no_row_is_none_or_an_error_as_asked(db: Db) {
    let sql = "select * from thing where id = $1";
    assert_eq!(db.fetch_optional::<Thing>(sql, params![9_i64]).await.unwrap(), None);
    assert!(matches!(db.fetch_one::<Thing>(sql, params![9_i64]).await, Err(Error::Sqlx(sqlx::Error::RowNotFound))));
}

store_suite!(
    migrate = super::schema,
    tests = [
        every_kind_of_value_and_null_comes_back,
        a_transaction_that_is_dropped_leaves_nothing,
        a_repeated_unique_key_is_told_apart_from_other_errors,
        no_row_is_none_or_an_error_as_asked,
    ]
);

#[tokio::test]
async fn another_scheme_is_refused_without_repeating_the_url() {
    let error = Db::connect("mysql://root:secret@host/db").await.unwrap_err();
    assert_eq!(error.to_string(), "a database URL begins with sqlite: or postgres:");
}

#[tokio::test]
async fn a_sqlite_file_may_have_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("50% of what? ü.db");
    Db::connect(&format!("sqlite:{}", path.display())).await.unwrap().close().await;
    assert!(path.exists());
}
