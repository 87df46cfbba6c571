//! One node at a time on a database.

#![expect(clippy::unwrap_used, reason = "a statement that fails is a test that fails")]

use std::os::unix::fs::{PermissionsExt, symlink};

use platform::db::{Db, params};
use platform::node_lock::NodeLock;
use platform::store_suite;
use platform::testing::TestDb;
use sqlx::AssertSqlSafe;

/// Names the sessions that hold the lock of this database.
const HOLDERS: &str = "from pg_locks where locktype = 'advisory' and granted \
                       and database = (select oid from pg_database where datname = current_database())";

async fn nothing(_: &Db) {}

async fn a_second_node_gets_the_lock_when_the_first_one_ends(db: Db) {
    let first = NodeLock::acquire(&db).await.unwrap().unwrap();
    assert!(NodeLock::acquire(&db).await.unwrap().is_none());
    drop(first);
    assert!(NodeLock::acquire(&db).await.unwrap().is_some());
}

store_suite!(migrate = super::nothing, tests = [a_second_node_gets_the_lock_when_the_first_one_ends]);

#[tokio::test]
async fn a_sqlite_database_has_one_lock_file_under_every_name_and_only_its_owner_can_open_it() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("cloud.db"), folder.path().join("other.db"));
    let db = Db::connect(&format!("sqlite:{}", path.display())).await.unwrap();
    symlink(&path, &other).unwrap();
    let same = Db::connect(&format!("sqlite:{}", other.display())).await.unwrap();
    let _lock = NodeLock::acquire(&db).await.unwrap().unwrap();
    assert!(NodeLock::acquire(&same).await.unwrap().is_none());
    let mode = folder.path().join("cloud.db.lock").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_lost_session_takes_the_lock_again_unless_another_node_holds_it() {
    let db = TestDb::postgres().await;
    let mut lock = NodeLock::acquire(&db).await.unwrap().unwrap();
    let count = async |what: &str| {
        db.fetch_one::<(i64,)>(AssertSqlSafe(format!("select count({what}) {HOLDERS}")), params![]).await.unwrap().0
    };
    let end = "pg_terminate_backend(pid)";
    assert_eq!(count(end).await, 1);
    let again = async {
        while count("*").await > 0 {}
        while count("*").await == 0 {}
    };
    tokio::select! {
        () = lock.lost() => panic!("nobody else holds it"),
        () = again => {}
    }

    assert_eq!(count(end).await, 1);
    let _other = NodeLock::acquire(&db).await.unwrap().unwrap();
    lock.lost().await;
}
