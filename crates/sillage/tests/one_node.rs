//! When a cloud node does not start: a SQLite database serves one node, and a PostgreSQL database several nodes of versions that run
//! beside others.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/node.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod node;

use std::process::{Command, Output};

use node::{Device, Node};
use platform::db::{Db, params};
use platform::nodes::node_lock::NodeLock;
use platform::testing::TestDb;
use serde_json::json;

const BINARY: &str = env!("CARGO_BIN_EXE_sillage");

/// `sillage cloud …` on this database: whether it succeeded, and its standard error.
fn run(database: &str, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(BINARY);
    command.arg("cloud").args(arguments).envs([("SILLAGE_DATABASE", database), ("SILLAGE_LOG", "info")]);
    let Output { status, stderr, .. } = command.output().unwrap();
    (status.success(), String::from_utf8(stderr).unwrap())
}

async fn online(db: &Db) -> i64 {
    let sql = "select count(*) from device_state where status = 'Online'";
    db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
}

/// A node does not start on this database, and says so in these words.
fn is_refused(test: &TestDb, words: &[&str]) {
    let (success, text) = run(&test.url, &["--listen", "127.0.0.1:0", "--mqtt-listen", "127.0.0.1:0"]);
    assert!(!success);
    for words in ["(--database)"].iter().chain(words) {
        assert!(text.contains(words), "{text}");
    }
}

#[tokio::test]
async fn second_node_is_refused_until_the_first_one_ends_on_sqlite() {
    let test = TestDb::sqlite().await;
    let folder = tempfile::tempdir().unwrap();
    node::seed(&test, 1, 1).await;
    let start = async || Node::start(&test.url, folder.path()).await;
    let first = start().await;
    let mut device = Device::connect(first.link, 0).await.unwrap();
    let report = || json!({ "properties": { node::property(0): 1 } }).to_string();
    device.report(report()).await.unwrap();

    is_refused(&test, &["another node of the cloud is running on this database", "several nodes need PostgreSQL"]);
    assert_eq!(online(&test).await, 1, "the rejected node changed nothing");
    device.report(report()).await.expect("the first node still accepts reports");
    let (success, text) = run(&test.url, &["user", "list"]);
    assert!(success, "an operator's command works beside a node: {text}");

    assert!(first.stop().success());
    start().await.kill();
    let restarted = start().await;
    assert_eq!(online(&test).await, 0);
    Device::connect(restarted.link, 0).await.unwrap().report(report()).await.unwrap();
    assert!(restarted.stop().success());
}

#[tokio::test]
async fn node_is_refused_while_another_one_has_locked_the_database() {
    let test = TestDb::postgres().await;
    node::seed(&test, 1, 1).await;
    let migrating = NodeLock::acquire(&test).await.unwrap().unwrap();
    is_refused(&test, &["this database is locked", "a node that is migrating it"]);
    drop(migrating);
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(&test.url, folder.path()).await;
    assert!(NodeLock::acquire(&test).await.unwrap().is_none(), "it shares the lock");
    assert!(node.stop().success());
}

#[tokio::test]
async fn node_migrates_the_schema_only_when_no_other_node_runs() {
    let (test, folder) = (TestDb::postgres().await, tempfile::tempdir().unwrap());
    node::seed(&test, 1, 1).await;
    let node = Node::start(&test.url, folder.path()).await;
    test.execute("update _sqlx_migrations set success = false", params![]).await.unwrap();
    is_refused(&test, &["the schema of this database is older", "sillage cloud migrate"]);
    assert!(node.stop().success());
}

/// Ends the database session that holds the node lock, as a network failure would.
async fn end_session_of_the_lock(db: &Db) {
    let sql = "select count(pg_terminate_backend(pid)) from pg_stat_activity join pg_locks using (pid) \
               where datname = current_database() and application_name = 'sillage node lock' \
               and locktype = 'advisory' and granted";
    assert_eq!(db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0, 1);
}

#[tokio::test]
async fn node_that_lost_its_database_to_another_node_stops_and_names_the_reason() {
    let (test, folder) = (TestDb::postgres().await, tempfile::tempdir().unwrap());
    node::seed(&test, 1, 1).await;
    let node = Node::start(&test.url, folder.path()).await;
    let device = Device::connect(node.link, 0).await.unwrap();
    // Queues first, so that the node cannot reacquire the lock.
    let other = {
        let db = test.clone();
        tokio::spawn(async move { NodeLock::acquire(&db).await })
    };
    let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted \
                   and database = (select oid from pg_database where datname = current_database())";
    while test.fetch_one::<(i64,)>(waiting, params![]).await.unwrap().0 == 0 {
        assert!(!other.is_finished(), "it waits for the lock");
    }
    end_session_of_the_lock(&test).await;
    let _other = other.await.unwrap().unwrap().expect("a free lock");
    device.closed().await;
    let (status, text) = node.ended();
    assert!(!status.success());
    assert!(text.contains("another node of the cloud locked the database"), "{text}");
    assert!(!folder.path().join("ready.json").exists());
}
