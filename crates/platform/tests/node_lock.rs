//! Nodes share the lock of a PostgreSQL database; only one node can hold that of a SQLite database.

#![expect(clippy::unwrap_used, reason = "a failed statement fails the test")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use platform::db::{Db, params};
use platform::nodes::node_lock::NodeLock;
use platform::store_suite;
use platform::testing::{TestDb, until};
use sqlx::AssertSqlSafe;
use tokio::task::JoinHandle;

/// Selects the sessions that hold the lock of this database or wait for it.
const SESSIONS: &str = "from pg_locks where locktype = 'advisory' \
                        and database = (select oid from pg_database where datname = current_database())";

async fn nothing(_: &Db) {}

/// Starts a node beside others and returns when it waits for the lock. It resolves to whether the node is alone.
async fn waiting_node(db: &Db, patience: Duration) -> JoinHandle<bool> {
    let own = db.clone();
    let join = async move { NodeLock::join_within(&own, patience).await.unwrap().unwrap().is_exclusive() };
    let starting = tokio::spawn(join);
    let waiting = format!("select count(*) {SESSIONS} and not granted");
    while db.fetch_one::<(i64,)>(AssertSqlSafe(waiting.clone()), params![]).await.unwrap().0 == 0 {
        assert!(!starting.is_finished(), "the node waits for the lock");
    }
    starting
}

async fn second_node_gets_the_lock_when_the_first_one_ends(db: Db) {
    let first = NodeLock::acquire(&db).await.unwrap().unwrap();
    assert!(NodeLock::acquire(&db).await.unwrap().is_none());
    drop(first);
    assert!(NodeLock::acquire(&db).await.unwrap().is_some());
}

async fn first_node_is_alone_until_it_shares_the_lock(db: Db) {
    let mut first = NodeLock::join(&db).await.unwrap().unwrap();
    assert!(first.is_exclusive());
    assert!(NodeLock::join(&db).await.unwrap().is_none());
    first.share().await.unwrap();
    first.share().await.unwrap();
    let second = NodeLock::join(&db).await.unwrap();
    assert_eq!(second.as_ref().map(NodeLock::is_exclusive), matches!(db, Db::Postgres(_)).then_some(false));
    drop(first);
    if second.is_some() {
        assert!(NodeLock::acquire(&db).await.unwrap().is_none(), "the second node has it");
        drop(second);
    }
    // PostgreSQL may notice late that a session has ended.
    until(async || NodeLock::join(&db).await.unwrap().unwrap().is_exclusive()).await;
}

#[tokio::test]
async fn node_that_starts_while_another_one_ends_is_alone() {
    let db = TestDb::postgres().await;
    let mut ending = NodeLock::join(&db).await.unwrap().unwrap();
    ending.share().await.unwrap();
    let starting = waiting_node(&db, Duration::from_secs(10)).await;
    drop(ending);
    assert!(starting.await.unwrap());
}

#[tokio::test]
async fn node_that_waits_to_be_alone_does_not_keep_the_one_that_is_from_sharing() {
    let db = TestDb::postgres().await;
    let mut first = NodeLock::join(&db).await.unwrap().unwrap();
    let starting = waiting_node(&db, Duration::from_secs(2)).await;
    first.share().await.unwrap();
    assert!(!starting.await.unwrap());
}

store_suite!(
    migrate = super::nothing,
    tests = [second_node_gets_the_lock_when_the_first_one_ends, first_node_is_alone_until_it_shares_the_lock]
);

#[tokio::test]
async fn sqlite_lock_file_is_private_and_shared_by_all_names_of_the_database() {
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
async fn lost_session_acquires_the_lock_again_if_it_is_free() {
    let db = TestDb::postgres().await;
    let mut lock = NodeLock::acquire(&db).await.unwrap().unwrap();
    let count = async |what: &str| {
        let sql = format!("select count({what}) {SESSIONS} and granted");
        db.fetch_one::<(i64,)>(AssertSqlSafe(sql), params![]).await.unwrap().0
    };
    let end = "pg_terminate_backend(pid)";
    assert_eq!(count(end).await, 1);
    // A task of its own: dropping `lost` while it opens a session would release the lock again.
    let lost = tokio::spawn(async move { lock.lost().await });
    until(async || count("*").await == 0).await;
    until(async || count("*").await > 0).await;
    assert!(!lost.is_finished());

    assert_eq!(count(end).await, 1);
    let _other = NodeLock::acquire(&db).await.unwrap().unwrap();
    lost.await.unwrap();
}
