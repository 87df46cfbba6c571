//! `sillage backup` and `sillage restore` with the real binary, and PostgreSQL's own tools, while devices report and people save.

#![expect(clippy::duplicate_mod, reason = "the node and the console both use `disk.rs`")]
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console_node;
#[path = "support/node.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod node;
#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use console_node::{Access, Console};
use node::{Device, Node, seed};
use platform::db::{Db, params};
use platform::testing::{TestDb, pause};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use support::{Demo, Person};
use tempfile::TempDir;
use tokio::task::JoinHandle;

const KEY: &str = "f00d";
const DEVICES: usize = 200;
/// A device may not send more in one burst.
const REPORTS_PER_DEVICE: usize = 90;

/// A cloud whose devices report 1, 2, 3 and so on, one device after the other.
struct Load {
    _node: Node,
    acknowledged: Arc<AtomicI64>,
    reports: JoinHandle<()>,
}

impl Load {
    async fn start(database: &str, folder: &Path) -> Self {
        let db = Db::connect(database).await.unwrap();
        seed(&db, DEVICES, 1).await;
        db.close().await;
        let node = Node::start(database, folder).await;
        let link = node.link;
        let acknowledged = Arc::new(AtomicI64::new(0));
        let counter = Arc::clone(&acknowledged);
        let reports = tokio::spawn(async move {
            let mut value = 0;
            for device in 0..DEVICES {
                let mut device = Device::connect(link, device).await.unwrap();
                for _ in 0..REPORTS_PER_DEVICE {
                    value += 1;
                    device.report(json!({"properties": {"p0": value}}).to_string()).await.unwrap();
                    counter.store(value, Ordering::SeqCst);
                }
            }
        });
        Self { _node: node, acknowledged, reports }
    }

    /// Waits for this many more acknowledged reports, and returns their total.
    async fn more(&self, reports: i64) -> i64 {
        more(&self.acknowledged, &self.reports, reports).await
    }
}

/// Waits until the task has this many more acknowledged writes, and returns their total.
async fn more(acknowledged: &AtomicI64, task: &JoinHandle<()>, writes: i64) -> i64 {
    let wanted = acknowledged.load(Ordering::SeqCst) + writes;
    while acknowledged.load(Ordering::SeqCst) < wanted {
        assert!(!task.is_finished(), "there are no further writes");
        pause().await;
    }
    wanted
}

impl Drop for Load {
    fn drop(&mut self) {
        self.reports.abort();
    }
}

/// A console at which an administrator adds and renames CSPs, and saves their thresholds.
struct ConsoleLoad {
    demo: Demo,
    _node: Console,
    acknowledged: Arc<AtomicI64>,
    writes: JoinHandle<()>,
    folder: TempDir,
}

impl ConsoleLoad {
    async fn start(database: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let demo = Demo::start(folder.path(), &[]);
        let node = console_of(&demo, database, folder.path(), "node");
        let admin = Person::sign_in_at(node.url(), &demo.ready()["accounts"][0]).await;
        let acknowledged = Arc::new(AtomicI64::new(0));
        let counter = Arc::clone(&acknowledged);
        let writes = tokio::spawn(async move {
            for number in 1.. {
                let added = admin.post("/api/csps", json!({"name": format!("Added {number}")})).await;
                let csp = format!("/api/csps/{}", added["id"].as_str().unwrap());
                admin.put(&csp, json!({"name": format!("Load{number}")})).await;
                let thresholds = format!("/api/attention/settings?csp=Load{number}");
                admin.put(&thresholds, json!({"offlineMinutes": 90})).await;
                counter.store(number, Ordering::SeqCst);
            }
        });
        Self { demo, _node: node, acknowledged, writes, folder }
    }

    /// Like [`Load::more`], of writes.
    async fn more(&self, writes: i64) -> i64 {
        more(&self.acknowledged, &self.writes, writes).await
    }

    /// The database has all that was acknowledged, and a console goes on with it.
    async fn assert_complete(&self, database: &str, acknowledged: i64) {
        let db = Db::connect_existing(database).await.unwrap();
        db.check_schema(&console::MIGRATIONS).await.unwrap();
        let tables = [
            "select csp from attention_settings where csp = $1",
            "select id from audit where operation = 'create_csp' and result = 'done' \
             and target_id = (select id from csps where name = $1)",
            "select id from audit where operation = 'update_csp' and result = 'done' \
             and target_id = (select id from csps where name = $1)",
            "select id from audit where operation = 'update_attention_settings' and result = 'done' and target_csp = $1",
        ];
        for number in 1..=acknowledged {
            for sql in tables {
                let found: Vec<(String,)> = db.fetch_all(sql, params![format!("Load{number}")]).await.unwrap();
                assert_eq!(found.len(), 1, "{number} of {acknowledged}: {sql}");
            }
        }
        db.close().await;
        let node = console_of(&self.demo, database, self.folder.path(), &format!("restored-{acknowledged}"));
        let admin = Person::sign_in_at(node.url(), &self.demo.ready()["accounts"][0]).await;
        let last = admin.get(&format!("/api/attention/settings?csp=Load{acknowledged}")).await;
        assert_eq!(last["settings"]["offlineMinutes"], 90);
    }
}

impl Drop for ConsoleLoad {
    fn drop(&mut self) {
        self.writes.abort();
    }
}

/// A console of the demo's cloud.
fn console_of(demo: &Demo, database: &str, folder: &Path, name: &str) -> Console {
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    Console::start(database, cloud, &Access::of_demo(folder), folder, name)
}

/// The database has all reports up to some number that is not below `acknowledged`, and is consistent with itself.
async fn assert_complete(database: &str, acknowledged: i64) {
    let db = Db::connect_existing(database).await.unwrap();
    let rows: Vec<(i64, String, String, Option<String>)> =
        db.fetch_all("select property_id, value, id, previous from datapoint order by id", params![]).await.unwrap();
    let values: Vec<String> = (1..=rows.len()).map(|value| value.to_string()).collect();
    assert_eq!(rows.iter().map(|(_, value, ..)| value.clone()).collect::<Vec<_>>(), values);
    assert!(rows.len() as i64 >= acknowledged, "{} of {acknowledged}", rows.len());
    let mut last = BTreeMap::new();
    for (property, value, id, previous) in rows {
        let before = last.insert(property, (id, value)).map(|(id, _)| id);
        assert_eq!(previous, before, "the chain of a property has a gap");
    }
    let properties: Vec<(i64, String, String)> = db
        .fetch_all("select id, last_datapoint, value from property where value is not null", params![])
        .await
        .unwrap();
    assert_eq!(
        properties.into_iter().map(|(property, id, value)| (property, (id, value))).collect::<BTreeMap<_, _>>(),
        last
    );
    db.close().await;
}

/// Runs a program without blocking the reports.
async fn run(program: &'static str, arguments: Vec<String>) -> Output {
    tokio::task::spawn_blocking(move || Command::new(program).args(arguments).output().unwrap()).await.unwrap()
}

async fn sillage(arguments: &[&str]) -> (bool, String) {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let Output { status, stderr, .. } = run(env!("CARGO_BIN_EXE_sillage"), arguments).await;
    (status.success(), String::from_utf8(stderr).unwrap())
}

async fn succeeds(arguments: &[&str]) {
    let (success, error) = sillage(arguments).await;
    assert!(success, "{arguments:?}: {error}");
}

async fn refused(arguments: &[&str], words: &str) {
    let (success, error) = sillage(arguments).await;
    assert!(!success && error.contains(words), "{arguments:?}: {error}");
}

/// Two databases and a file with a secret.
struct Installation {
    folder: TempDir,
    cloud: String,
    console: String,
}

impl Installation {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
        let (cloud, console) = (url("cloud.db"), url("console.db"));
        let db = Db::connect(&console).await.unwrap();
        db.migrate(&console::MIGRATIONS).await.unwrap();
        db.close().await;
        std::fs::write(folder.path().join("token.key"), KEY).unwrap();
        Self { folder, cloud, console }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    async fn backup(&self, name: &str) -> String {
        let (to, key) = (self.path(name), self.path("token.key"));
        let arguments = ["backup", "--database", &self.console, "--database", &self.cloud, "--file", &key, "--to", &to];
        succeeds(&arguments).await;
        to
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_under_load_restores_every_write_acknowledged_before_it() {
    let installation = Installation::new().await;
    let console_load = ConsoleLoad::start(&installation.console).await;
    let load = Load::start(&installation.cloud, installation.folder.path()).await;
    let mut backups = vec![];
    for name in ["first", "second", "third"] {
        let (acknowledged, saved) = (load.more(50).await, console_load.more(5).await);
        backups.push((installation.backup(name).await, acknowledged, saved));
    }
    load.more(1).await;
    console_load.more(1).await;
    drop(load);
    for (backup, acknowledged, saved) in backups {
        let to = format!("{backup}.restored");
        succeeds(&["restore", "--from", &backup, "--to", &to]).await;
        assert_complete(&format!("sqlite:{to}/cloud.db"), acknowledged).await;
        assert_eq!(std::fs::read_to_string(format!("{to}/token.key")).unwrap(), KEY);
        for folder in [&backup, &to] {
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(Path::new(folder)), 0o700);
            for name in ["cloud.db", "console.db", "token.key"] {
                assert_eq!(mode(&Path::new(folder).join(name)), 0o600, "{name}");
            }
        }
        // Both go on where they were.
        Node::start(&format!("sqlite:{to}/cloud.db"), Path::new(&to)).await;
        console_load.assert_complete(&format!("sqlite:{to}/console.db"), saved).await;
    }
}

#[tokio::test]
async fn used_folder_and_damaged_backup_are_refused() {
    let installation = Installation::new().await;
    let db = Db::connect(&installation.cloud).await.unwrap();
    seed(&db, 2, 2).await;
    db.close().await;
    let backup = installation.backup("backup").await;
    let to = installation.path("to");
    let restore = ["restore", "--from", &backup, "--to", &to];

    let again = ["backup", "--database", &installation.cloud, "--to", &backup];
    refused(&again, "cannot create the folder").await;
    let deeper = installation.path("backups/of/today");
    succeeds(&["backup", "--database", &installation.cloud, "--to", &deeper]).await;
    for name in ["console.db", "cloud.db-wal"] {
        std::fs::create_dir_all(&to).unwrap();
        std::fs::write(Path::new(&to).join(name), "in use").unwrap();
        refused(&restore, "exists; move it away first").await;
        assert_eq!(std::fs::read(Path::new(&to).join(name)).unwrap(), b"in use");
        std::fs::remove_dir_all(&to).unwrap();
    }

    let file = |name: &str| Path::new(&backup).join(name);
    let refuse_changed = async |name: &str, change: &dyn Fn(&mut Vec<u8>), words: &str| {
        let before = std::fs::read(file(name)).unwrap();
        let mut changed = before.clone();
        change(&mut changed);
        std::fs::write(file(name), changed).unwrap();
        refused(&restore, words).await;
        let left: Vec<_> = std::fs::read_dir(&to).map(Iterator::collect).unwrap_or_default();
        assert!(left.is_empty(), "{name}: {left:?}");
        std::fs::write(file(name), before).unwrap();
    };
    refuse_changed("cloud.db", &|bytes| bytes[5000] ^= 1, "cloud.db is damaged").await;
    refuse_changed("token.key", &|bytes| bytes.push(0), "token.key is damaged").await;
    refuse_changed("manifest.json", &|bytes| bytes.truncate(20), "manifest.json is damaged").await;
    let text = std::fs::read_to_string(file("manifest.json")).unwrap();
    let outside = text.replace("token.key", "../token.key");
    refuse_changed("manifest.json", &|bytes| *bytes = outside.clone().into(), "manifest.json is damaged").await;
    let later = text.replace("\"format\": 1", "\"format\": 2");
    refuse_changed("manifest.json", &|bytes| *bytes = later.clone().into(), "another version of the program").await;
    std::fs::rename(file("manifest.json"), file("hidden")).unwrap();
    refused(&restore, "is not a complete backup").await;
    std::fs::rename(file("hidden"), file("manifest.json")).unwrap();
    succeeds(&restore).await;
    refused(&restore, "exists; move it away first").await;
}

#[tokio::test]
async fn backup_of_an_earlier_build_is_refused() {
    let installation = Installation::new().await;
    let db = Db::connect(&installation.cloud).await.unwrap();
    seed(&db, 1, 1).await;
    db.close().await;
    for (index, name) in ["cloud.db", "console.db"].into_iter().enumerate() {
        let backup = installation.backup(&format!("backup of {name}")).await;
        let (copy, manifest) = (Path::new(&backup).join(name), Path::new(&backup).join("manifest.json"));
        let db = Db::connect_existing(&format!("sqlite:{}", copy.display())).await.unwrap();
        db.execute("update _sqlx_migrations set checksum = x'00'", params![]).await.unwrap();
        db.close().await;
        let mut listed: Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
        let bytes = std::fs::read(&copy).unwrap();
        assert_eq!(listed["databases"][index]["name"], name);
        listed["databases"][index]["bytes"] = bytes.len().into();
        listed["databases"][index]["sha256"] = hex::encode(Sha256::digest(&bytes)).into();
        std::fs::write(&manifest, listed.to_string()).unwrap();
        let to = installation.path("to");
        let words =
            "this database was made by an earlier build of Sillage, before 0.1.0: remove it or name another one";
        refused(&["restore", "--from", &backup, "--to", &to], words).await;
        assert!(!Path::new(&to).join(name).exists());
    }
}

#[tokio::test]
async fn unsuitable_arguments_are_refused() {
    let installation = Installation::new().await;
    let (to, missing) = (installation.path("to"), format!("sqlite:{}", installation.path("missing.db")));
    let postgres = "postgres://nobody@127.0.0.1:1/none";
    refused(&["backup", "--database", postgres, "--to", &to], "a SQLite database is needed").await;
    refused(&["backup", "--database", &missing, "--to", &to], "missing.db").await;
    let console = &installation.console;
    refused(&["backup", "--database", console, "--database", console, "--to", &to], "of the same kind").await;
    assert!(!Path::new(&to).exists() && !Path::new(&installation.path("missing.db")).exists());
    let name = installation.path("console.db");
    refused(&["backup", "--database", console, "--file", &name, "--to", &to], "has a file console.db already").await;
}

/// As docs/backup.md describes it.
#[tokio::test(flavor = "multi_thread")]
async fn dump_under_load_restores_every_write_acknowledged_before_it_on_postgres() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (TestDb::postgres().await, TestDb::postgres().await);
    let (console_source, console_target) = (TestDb::postgres().await, TestDb::postgres().await);
    let console_load = ConsoleLoad::start(&console_source.url).await;
    let load = Load::start(&source.url, folder.path()).await;
    let (acknowledged, saved) = (load.more(50).await, console_load.more(5).await);
    let cloud = dump(&source.url, folder.path(), "cloud.dump").await;
    let console = dump(&console_source.url, folder.path(), "console.dump").await;
    load.more(1).await;
    console_load.more(1).await;
    for (target, dump) in [(&target, cloud), (&console_target, console)] {
        let arguments = ["--exit-on-error", "--single-transaction", "--no-owner", "--dbname", &target.url, &dump];
        let Output { status, stderr, .. } = run("pg_restore", arguments.map(str::to_owned).into()).await;
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    }
    drop(load);
    assert_complete(&target.url, acknowledged).await;
    Node::start(&target.url, folder.path()).await;
    console_load.assert_complete(&console_target.url, saved).await;
}

async fn dump(database: &str, folder: &Path, name: &str) -> String {
    let to = folder.join(name).display().to_string();
    let arguments = ["--format=custom", "--no-owner", "--file", &to, database].map(str::to_owned);
    let Output { status, stderr, .. } = run("pg_dump", arguments.into()).await;
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    to
}
