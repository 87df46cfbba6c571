//! Mistakes of an operator that nothing else would show (OO-07).

use platform::db::params;
use platform::testing::TestDb;
use sqlx::AssertSqlSafe;

use crate::ANY;
use crate::console::{Access, Secrets};
use crate::process::{Process, fail, silent, succeed};
use crate::sqlite;
use crate::support::Demo;

const CLOUD: [&str; 5] = ["cloud", "--listen", ANY, "--mqtt-listen", ANY];

fn cloud<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&CLOUD[..], more].concat()
}

/// The options of a console whose cloud does not answer.
fn console(folder: &tempfile::TempDir, database: &str) -> Vec<String> {
    let secrets = crate::console::Secrets::write(folder.path(), "hush", "hush", &"0a".repeat(32));
    let cloud = format!("http://{}", silent());
    let rest = ["console", "--listen", ANY, "--database", database, "--cloud", &cloud, "--app-id", "a"];
    let rest = rest.into_iter().chain(["--service-email", "service@example.com"]).map(str::to_owned);
    rest.chain(secrets.arguments().flatten()).collect()
}

fn words(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

#[test]
fn cloud_does_not_start_with_a_database_that_does_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typo.db");
    let database = format!("sqlite:{}", path.display());
    let stderr = fail(&cloud(&["--database", &database]), &[]);
    assert!(stderr.contains("(--database; `sillage cloud init` sets up a new cloud)"), "{stderr}");
    assert!(stderr.contains("typo.db") && !path.exists(), "{stderr}");
}

#[test]
fn console_and_its_commands_create_no_database_but_init() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typo.db");
    let database = format!("sqlite:{}", path.display());
    let stderr = fail(&words(&console(&folder, &database)), &[]);
    assert!(stderr.contains("(--database; `sillage console init` sets up a new database)"), "{stderr}");
    for command in ["reindex", "migrate"] {
        let stderr = fail(&["console", command, "--database", &database], &[]);
        assert!(stderr.contains("--database") && stderr.contains("typo.db"), "{stderr}");
    }
    assert!(!path.exists());

    let init = || succeed(&["console", "init", "--database", &database], &[]);
    assert_eq!(init(), "The database is set up.\n");
    assert_eq!(init(), "The database was set up before; nothing changed.\n");
    Process::start(&words(&console(&folder, &database)), &[]).line(&["the console is listening"]);
}

#[test]
fn second_console_on_sqlite_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = console(&folder, &sqlite(folder.path(), "console.db"));
    let first = Process::start(&words(&arguments), &[]);
    first.line(&["the console is listening"]);
    let stderr = fail(&words(&arguments), &[]);
    assert!(stderr.contains("(--database): another console runs on this SQLite database"), "{stderr}");
    first.signal("TERM");
    assert!(first.wait().success());
    Process::start(&words(&arguments), &[]).line(&["the console is listening"]);
}

#[tokio::test]
async fn cloud_nodes_with_different_buses_say_so() {
    let database = TestDb::postgres().await;
    let node = |bus: &str| {
        let node = Process::start(&cloud(&["--database", &database.url, "--bus", bus]), &[]);
        node.line(&["the cloud is ready"]);
        node
    };
    let nodes = ["postgres", "memory"].map(node);
    for node in &nodes {
        node.line(&["ERROR", "(--bus)"]);
    }
}

#[tokio::test]
async fn consoles_with_different_buses_say_so() {
    let database = TestDb::postgres().await;
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let access = Access::of_demo(folder.path());
    let secrets = Secrets::write(folder.path(), &access.app_secret, &access.password, &access.token_key);
    let secrets: Vec<String> = secrets.arguments().flatten().collect();
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    let rest = ["console", "--listen", ANY, "--database", &database.url, "--cloud", cloud, "--app-id", &access.app_id];
    let rest = [&rest[..], &["--service-email", &access.email]].concat();
    let console = |bus: &'static str| {
        let arguments = [rest.clone(), words(&secrets), vec!["--bus", bus]].concat();
        let console = Process::start(&arguments, &[]);
        console.line(&["the console is listening"]);
        console
    };
    let consoles = ["postgres", "memory"].map(console);
    for console in &consoles {
        console.line(&["ERROR", "a console on this database is not on the bus of this one", "(--bus)"]);
    }
}

#[tokio::test]
async fn clock_that_differs_from_that_of_the_database_is_an_error_or_a_refusal() {
    const DIFFERS: &str = "the clock differs from that of the PostgreSQL server";
    for (seconds, refusal, is_logged) in [
        (0, None, false),
        (50, None, false),
        (-70, None, true),
        (3500, None, true),
        (3710, Some("by -37"), false),
        (-3710, Some("by 37"), false),
    ] {
        for is_console in [false, true] {
            let (database, folder) = (TestDb::postgres().await, tempfile::tempdir().unwrap());
            for sql in [
                format!(
                    "create function clock_timestamp() returns timestamptz language sql as \
                 $$ select pg_catalog.clock_timestamp() + interval '{seconds} seconds' $$"
                ),
                // The server's own functions come last.
                "do $$ begin \
             execute format('alter database %I set search_path = public, pg_catalog', current_database()); \
             end $$"
                    .to_owned(),
            ] {
                database.execute(AssertSqlSafe(sql), params![]).await.unwrap();
            }
            let console = console(&folder, &database.url);
            let (arguments, ready) = match is_console {
                true => (words(&console), "the console is listening"),
                false => (cloud(&["--database", &database.url]), "the cloud is ready"),
            };
            if let Some(difference) = refusal {
                let stderr = fail(&arguments, &[]);
                let expected = [DIFFERS, difference, "(--database)", "timedatectl"];
                assert!(expected.iter().all(|word| stderr.contains(word)), "{seconds}: {stderr}");
            } else {
                let node = Process::start(&arguments, &[]);
                node.line(&[ready]);
                assert_eq!(node.has_logged(&["ERROR", DIFFERS]), is_logged, "{seconds}");
            }
        }
    }
}
