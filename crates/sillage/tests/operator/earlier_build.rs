//! Databases of builds before 0.1.0, whose migrations no longer exist.

use std::io::Write;
use std::process::{Command, Stdio};

use platform::db::{Db, Migrations, params};
use platform::testing::TestDb;

use crate::console::{ANY, Secrets};
use crate::{ADMIN, BINARY, PASSWORD};

const REFUSAL: &str =
    "this database was made by an earlier build of Sillage, before 0.1.0: remove it or name another one";

/// Changes a database to one of an earlier build: the first migration had another text, and others followed.
async fn make_earlier(db: &Db, migrations: &Migrations) {
    db.migrate(migrations).await.unwrap();
    let checksum = vec![0_u8; 48];
    db.execute("update _sqlx_migrations set checksum = $1", params![checksum.clone()]).await.unwrap();
    let later = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 values (2, 'history', true, $1, 0), (41, 'trigger crossings', true, $1, 0)";
    db.execute(later, params![checksum]).await.unwrap();
}

/// Runs the command on a database, and checks that it refuses it.
fn assert_refused(database: &str, arguments: &[&str]) {
    let mut child = Command::new(BINARY)
        .args(arguments)
        .envs([("SILLAGE_DATABASE", database), ("SILLAGE_LOG", "error")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Writing fails if the command ends without reading.
    let _ = child.stdin.take().unwrap().write_all(PASSWORD.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    assert!(!output.status.success() && text.contains(REFUSAL), "{arguments:?}: {text}");
}

async fn commands_of_the_cloud_refuse_a_database_of_an_earlier_build(db: &TestDb) {
    make_earlier(db, &cloud::MIGRATIONS).await;
    let columns = db.columns().await;
    for arguments in [
        &["cloud", "--listen", ANY][..],
        &["cloud", "init", "--admin", ADMIN, "--firstname", "Ada", "--lastname", "Marsh"],
        &["cloud", "migrate"],
        &["cloud", "user", "list"],
        &["doctor", "cloud"],
    ] {
        assert_refused(&db.url, arguments);
    }
    assert_eq!(db.columns().await, columns);
}

async fn commands_of_the_console_refuse_a_database_of_an_earlier_build(db: &TestDb) {
    make_earlier(db, &::console::MIGRATIONS).await;
    let columns = db.columns().await;
    let folder = tempfile::tempdir().unwrap();
    let secrets: Vec<String> =
        Secrets::write(folder.path(), "secret", PASSWORD, &"0a".repeat(32)).arguments().flatten().collect();
    let access = ["--cloud", "http://127.0.0.1:1", "--app-id", "x", "--service-email", ADMIN];
    let access = [access.to_vec(), secrets.iter().map(String::as_str).collect()].concat();
    for arguments in [
        [vec!["console", "--listen", ANY], access.clone()].concat(),
        vec!["console", "migrate"],
        vec!["console", "reindex"],
        [vec!["doctor", "console"], access].concat(),
    ] {
        assert_refused(&db.url, &arguments);
    }
    assert_eq!(db.columns().await, columns);
}

platform::on_both_databases!(
    commands_of_the_cloud_refuse_a_database_of_an_earlier_build,
    commands_of_the_console_refuse_a_database_of_an_earlier_build,
);

#[tokio::test]
async fn backup_and_migrate_store_refuse_a_database_of_an_earlier_build() {
    let (folder, target) = (tempfile::tempdir().unwrap(), TestDb::postgres().await);
    let to = folder.path().join("backup");
    for migrations in [&cloud::MIGRATIONS, &::console::MIGRATIONS] {
        let db = TestDb::sqlite().await;
        make_earlier(&db, migrations).await;
        assert_refused(&db.url, &["backup", "--database", &db.url, "--to", to.to_str().unwrap()]);
        assert_refused(&db.url, &["migrate-store", "--from", &db.url, "--to", &target.url]);
    }
    assert!(!to.exists());
    assert_eq!(target.columns().await, [""; 0]);
}
