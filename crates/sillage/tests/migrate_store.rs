//! `sillage migrate-store` with the real binary: the databases of a demo, with rows in every table, move to PostgreSQL.

#![expect(clippy::duplicate_mod, reason = "the node and the console both use `disk.rs`")]
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[path = "support/node.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod node;
#[path = "migrate_store/stalling_proxy.rs"]
mod stalling_proxy;
#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use console::{Access, Console};
use node::Node;
use platform::db::{Db, params};
use platform::testing::TestDb;
use serde_json::json;
use sqlx::AssertSqlSafe;
use stalling_proxy::StallingProxy;
use support::{Demo, Person};

const BINARY: &str = env!("CARGO_BIN_EXE_sillage");
/// A diffuser that no process simulates, so that its commands stay pending.
const UNPLUGGED: &str = "AC000W000100000";

/// `sillage migrate-store`.
fn migrate_store(from: &str, to: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["migrate-store", "--from", from]).envs([("SILLAGE_TO", to), ("SILLAGE_LOG", "info")]);
    command
}

fn run(from: &str, to: &str) -> (bool, String, String) {
    let output = migrate_store(from, to).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// Executes the statements of the fixture, and checks that no table is empty, so that none can be missing in this test.
async fn fill(database: &str, fixture: &'static str) {
    let db = Db::connect_existing(database).await.unwrap();
    let Db::Sqlite { write, .. } = &db else { panic!("not a SQLite database") };
    sqlx::raw_sql(fixture).execute(write).await.unwrap();
    let tables = "select name from pragma_table_list where schema = 'main' and type = 'table'
                  and name not like 'sqlite_%' and name not like '_sqlx%'";
    let mut empty = vec![];
    for (table,) in db.fetch_all::<(String,)>(tables, params![]).await.unwrap() {
        let count = AssertSqlSafe(format!("select count(*) from {table}"));
        if db.fetch_one::<(i64,)>(count, params![]).await.unwrap().0 == 0 {
            empty.push(table);
        }
    }
    assert!(empty.is_empty(), "the fixture in tests/migrate_store has no rows for {empty:?}");
    db.close().await;
}

fn url(folder: &Path, name: &str) -> String {
    format!("sqlite:{}", folder.join(name).display())
}

// The proxy must run while the test blocks on a process.
#[tokio::test(flavor = "multi_thread")]
async fn populated_cloud_and_console_move_to_postgres_after_an_interruption() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &["--devices", "30", "--unplugged", UNPLUGGED]);
    let account = demo.ready()["accounts"][0].clone();
    let before = Person::sign_in(&demo, &account).await;
    let device = format!("/api/devices/dsns/{UNPLUGGED}");
    let (list, history) = (before.get("/api/devices").await, before.get(&format!("{device}/history")).await);
    let (cloud, console) = (url(folder.path(), "cloud.db"), url(folder.path(), "console.db"));
    let (new_cloud, new_console) = (TestDb::postgres().await, TestDb::postgres().await);

    let (success, _, error) = run(&cloud, &new_cloud.url);
    assert!(!success && error.contains("a node is running on the source database"), "{error}");
    let (success, _, error) = run(&console, &new_console.url);
    assert!(!success && error.contains("a node is running on the source database"), "{error}");
    assert!(demo.stop().success());
    fill(&cloud, include_str!("migrate_store/cloud.sql")).await;
    fill(&console, include_str!("migrate_store/console.sql")).await;

    // The process is killed while it copies the devices.
    let proxy = StallingProxy::start(&new_cloud.url, b"copy \"device\" ").await;
    let mut killed = migrate_store(&cloud, &proxy.url(&new_cloud.url)).stderr(Stdio::null()).spawn().unwrap();
    proxy.stalled().await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    let node = Command::new(BINARY).args(["cloud", "--database", &new_cloud.url]).output().unwrap();
    let error = String::from_utf8(node.stderr).unwrap();
    assert!(!node.status.success() && error.contains("a transfer into this database is not complete"), "{error}");

    let (success, out, error) = run(&cloud, &new_cloud.url);
    assert!(success && out.contains("Copied and verified the database of the device cloud"), "{error}");
    assert!(out.lines().any(|line| line.starts_with("rule_subject ") && line.contains(" 1 ")), "{out}");
    assert!(error.contains("copied") && error.contains("table=\"datapoint\""), "{error}");
    let (success, out, error) = run(&console, &new_console.url);
    assert!(success && out.contains("Copied and verified the database of the console"), "{error}");
    let (success, _, error) = run(&cloud, &new_console.url);
    assert!(!success && error.contains("the target database is not empty"), "{error}");

    let access = Access::of_demo(folder.path());
    let node = Node::start(&new_cloud.url, folder.path()).await;
    let console = Console::start(&new_console.url, &node.url, &access, folder.path(), "moved");
    // The session of before the move, and a new one.
    let signed_in = Person::sign_in_at(console.url(), &account).await;
    for (person, intensity) in [(before.at(console.url()), 9), (signed_in, 8)] {
        let moved = person.get("/api/devices").await;
        assert_eq!(moved["devices"].as_array().unwrap().len(), list["devices"].as_array().unwrap().len());
        let moved = person.get(&format!("{device}/history")).await;
        assert_eq!(moved["level"], history["level"]);
        assert_eq!(moved["intensity"], history["intensity"]);
        let answer = person.set(UNPLUGGED, json!({"mode": 3, "intensity": intensity})).await;
        assert_eq!(answer["commands"]["intensity"]["state"], "pending");
    }
}
