//! Upgrades of databases of earlier versions.

use std::collections::BTreeMap;
use std::path::Path;

use platform::db::{Db, params};
use platform::testing::TestDb;
use sqlx::AssertSqlSafe;
use sqlx::migrate::Migrator;

use crate::{BINARY, Cloud};

/// A row of every table of the first schema.
const FIRST: &str = include_str!("first_schema.sql");
/// The last migration that deletes rows of earlier ones: subscriptions, which belong to sessions since then.
const SUBSCRIPTIONS_OF_SESSIONS: i64 = 14;
const SUBSCRIPTION: &str = "insert into subscription (user_id, name, description, property_name, client_type,
                                subscription_type, stream_key, created_at, updated_at, session_id)
                            values (1, 'n', 'd', '*', 'c', 'datapoint', 'k', 1, 1, 1)";

/// The rows of each table as texts, with the columns of the older of two versions.
type Rows = BTreeMap<String, Vec<String>>;

async fn migrate_to(db: &Db, version: i64) {
    let folder = match db {
        Db::Sqlite { .. } => "sqlite",
        Db::Postgres(_) => "postgres",
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cloud/migrations").join(folder);
    let mut migrator = Migrator::new(path).await.unwrap();
    migrator.migrations.to_mut().retain(|migration| migration.version <= version);
    match db {
        Db::Sqlite { write, .. } => migrator.run(write).await.unwrap(),
        Db::Postgres(server) => migrator.run(server.pool()).await.unwrap(),
    }
}

async fn execute(db: &Db, sql: &'static str) {
    for statement in sql.split(";\n").filter(|statement| !statement.trim().is_empty()) {
        db.execute(statement, params![]).await.unwrap();
    }
}

async fn rows(db: &Db, columns: &[String]) -> Rows {
    let mut tables: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for column in columns {
        let (table, name) = column.split_once('.').unwrap();
        tables.entry(table).or_default().push(name);
    }
    let mut all = Rows::new();
    for (table, columns) in tables {
        let texts: Vec<String> =
            columns.iter().map(|column| format!("coalesce(cast({column} as text), 'null')")).collect();
        let sql = format!("select {} from {table} order by 1", texts.join(" || ', ' || "));
        let rows: Vec<(String,)> = db.fetch_all(AssertSqlSafe(sql), params![]).await.unwrap();
        all.insert(table.to_owned(), rows.into_iter().map(|(row,)| row).collect());
    }
    all
}

async fn migrated_database_keeps_all_rows(db: TestDb) {
    migrate_to(&db, 1).await;
    execute(&db, FIRST).await;
    migrate_to(&db, SUBSCRIPTIONS_OF_SESSIONS).await;
    execute(&db, SUBSCRIPTION).await;
    let columns = db.columns().await;
    let before = rows(&db, &columns).await;
    let filled = before.values().filter(|rows| !rows.is_empty()).count();
    assert!(filled > 16, "{before:#?}");

    let cloud = Cloud { database: db.url.clone(), ..Cloud::new() };
    let output = cloud.rejected(&["user", "list"], "");
    assert!(output.contains("older than this program") && output.contains("sillage cloud migrate"), "{output}");
    assert_eq!(db.columns().await, columns, "a command that only reads migrates nothing");

    let output = cloud.run(&["migrate"]);
    assert!(output.starts_with("Migrated: ") && output.ends_with(" steps.\n"), "{output}");
    assert_eq!(rows(&db, &columns).await, before);
    assert!(cloud.run(&["user", "list"]).contains("ada@example.com"));
    assert!(cloud.run(&["device", "list"]).contains("DSN-1"));
    assert_eq!(cloud.run(&["migrate"]), "The schema was up to date already.\n");
}

#[tokio::test]
async fn migrated_database_keeps_all_rows_on_sqlite() {
    migrated_database_keeps_all_rows(TestDb::sqlite().await).await;
}

#[tokio::test]
async fn migrated_database_keeps_all_rows_on_postgres() {
    migrated_database_keeps_all_rows(TestDb::postgres().await).await;
}

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
