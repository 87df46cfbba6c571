//! Nodes with the role of docs/how-to/postgresql-roles.md, which cannot change the schema.

use platform::db::{Db, params};
use platform::testing::{TestDb, pause};
use reqwest::header::ORIGIN;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use url::Url;

use crate::console::{Access, Console};
use crate::node::Node;
use crate::{ADMIN, BINARY, Cloud, PASSWORD, value};

const PAGE: &str = include_str!("../../../../docs/how-to/postgresql-roles.md");

/// Creates a role, executes the statements of the page for it, and returns the role's address of the database.
async fn grant_to_node(db: &TestDb) -> String {
    let mut url: Url = db.url.parse().unwrap();
    let role = format!("node_{}", url.path().trim_start_matches('/'));
    let statements = PAGE.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    let statements = format!("create role {role} login;\n{}", statements.replace("sillage_node", &role));
    for statement in statements.split(";\n").filter(|statement| !statement.trim().is_empty()) {
        db.execute(AssertSqlSafe(statement.to_owned()), params![]).await.unwrap();
    }
    url.set_username(&role).unwrap();
    url.into()
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one story")]
async fn nodes_run_with_a_role_that_cannot_change_the_schema() {
    let (clouds, consoles) = (TestDb::postgres().await, TestDb::postgres().await);
    let (for_cloud, for_console) = (grant_to_node(&clouds).await, grant_to_node(&consoles).await);
    let cloud = Cloud { database: clouds.url.clone(), ..Cloud::new() };
    let secrets = cloud.init();
    let migrate = || {
        let mut command = std::process::Command::new(BINARY);
        let output = command.args(["console", "migrate"]).env("SILLAGE_DATABASE", &consoles.url).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (succeeded, output) = migrate();
    assert!(succeeded && output.starts_with("Migrated: "), "{output}");
    assert_eq!(migrate(), (true, "The schema was up to date already.\n".to_owned()));

    let node = Node::start(&for_cloud, cloud.path()).await;
    let text = |name| value(&secrets, name).to_owned();
    let access = Access {
        app_id: text("Application"),
        app_secret: text("its secret"),
        email: text("Console's account"),
        password: text("its password"),
        token_key: "0a".repeat(32),
    };
    let nodes_db = Db::connect(&for_cloud).await.unwrap();
    let has_partitions = async || {
        let sql = "select count(*) from pg_inherits where inhparent = 'datapoint'::regclass";
        nodes_db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0 > 1
    };
    while !has_partitions().await {
        pause().await;
    }
    nodes_db.close().await;
    let console = Console::start(&for_console, &node.url, &access, cloud.path(), "console");
    let _ = rustls::crypto::ring::default_provider().install_default();
    let sign_in = reqwest::Client::new().post(format!("{}/api/session", console.url())).header(ORIGIN, console.url());
    let answer = sign_in.json(&json!({"email": ADMIN, "password": PASSWORD})).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(console.stop().success() && node.stop().success());

    let history = || {
        let mut command = std::process::Command::new(BINARY);
        let output = command.args(["doctor", "cloud", "--json"]).env("SILLAGE_DATABASE", &for_cloud).output().unwrap();
        let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        findings.into_iter().find(|finding| finding["check"] == "history").unwrap()
    };
    assert_eq!(history()["state"], "ok");
    let role = for_cloud.parse::<Url>().unwrap().username().to_owned();
    let revoke = format!("revoke execute on function drop_history_months(date) from {role}");
    clouds.execute(AssertSqlSafe(revoke), params![]).await.unwrap();
    let finding = history();
    assert_eq!(finding["state"], "fault");
    assert_eq!(finding["result"], format!("the role {role} may not create or drop its partitions"));
    assert!(finding["advice"].as_str().unwrap().contains("grant execute on all functions"), "{finding}");

    for url in [&for_cloud, &for_console] {
        let db = Db::connect(url).await.unwrap();
        let refused = db.execute("create table another (id bigint)", params![]).await.unwrap_err();
        assert!(refused.to_string().contains("permission denied"), "{refused}");
    }

    consoles.execute("delete from _sqlx_migrations", params![]).await.unwrap();
    let mut command = std::process::Command::new(BINARY);
    let output = command.args(["console", "migrate"]).env("SILLAGE_DATABASE", &for_console).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && error.contains("this role may not change it: run the command `migrate`"),
        "{error}"
    );
}
