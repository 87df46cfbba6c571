//! The schema of a cloud's database.

use platform::db::{Db, params};
use platform::testing::TestDb;

use crate::{BINARY, Cloud};

async fn migrate_creates_the_schema_once_and_keeps_all_rows(db: &TestDb) {
    let cloud = Cloud { database: db.url.clone(), ..Cloud::new() };
    assert!(cloud.rejected(&["user", "list"], "").contains("sillage cloud init"));
    assert_eq!(db.columns().await, [""; 0], "a command that only reads migrates nothing");
    assert_eq!(cloud.run(&["migrate"]), "Migrated: 1 step.\n");
    let columns = db.columns().await;
    cloud.init();
    let users = cloud.run(&["user", "list"]);
    assert_eq!(cloud.run(&["migrate"]), "The schema was up to date already.\n");
    assert_eq!((db.columns().await, cloud.run(&["user", "list"])), (columns, users));
}

platform::on_both_databases!(migrate_creates_the_schema_once_and_keeps_all_rows);

#[tokio::test]
async fn commands_that_read_create_and_migrate_nothing() {
    let cloud = Cloud::new();
    for command in
        [&["user", "list"][..], &["role", "list"], &["application", "list"], &["device", "list"], &["outbox", "list"]]
    {
        let output = cloud.rejected(command, "");
        assert!(output.contains("sillage cloud init"), "{output}");
    }
    assert_eq!(std::fs::read_dir(cloud.path()).unwrap().count(), 0, "no command created a file");
    let db = TestDb::postgres().await;
    let cloud = Cloud { database: db.url.clone(), ..cloud };
    for command in
        [&["user", "list"][..], &["role", "list"], &["application", "list"], &["device", "list"], &["outbox", "list"]]
    {
        let output = cloud.rejected(command, "");
        assert!(output.contains("sillage cloud init"), "{output}");
    }
    assert_eq!(db.columns().await, [""; 0]);
}

#[tokio::test]
async fn database_of_a_later_version_is_rejected() {
    let cloud = Cloud::new();
    cloud.init();
    let db = Db::connect(&cloud.database).await.unwrap();
    db.execute("update _sqlx_migrations set version = 9999 where version = 1", params![]).await.unwrap();
    for command in [&["user", "list"][..], &["migrate"], &["--listen", "127.0.0.1:0"]] {
        let output = cloud.rejected(command, "");
        assert!(output.contains("newer than this program"), "{command:?}: {output}");
    }
    let to = cloud.path().join("backup");
    let output = std::process::Command::new(BINARY)
        .args(["backup", "--database", &cloud.database, "--to"])
        .arg(to)
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("newer than this program") && !error.contains("migrate"), "{error}");
}
