//! How often a cause is logged, and at which level.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use cloud::PasswordCost;
use cloud::operator::Operator;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::{TestDb, TestMailServer, until};
use reqwest::header::{CONTENT_TYPE, ORIGIN};
use tempfile::TempDir;
use tokio::time::Instant;
use url::Url;

use crate::console::{Access, Secrets, disk};
use crate::gate::Gate;
use crate::metrics::{metrics, value};
use crate::process::{BINARY, Process, field, silent};
use crate::support::Demo;
use crate::{ANY, client, sqlite};

/// Background work of both servers runs at least once in this time.
const OUTAGE: Duration = Duration::from_secs(6);

const UNAVAILABLE: &str = "the database is not available (--database)";
/// What is logged beside the cause: about the setup, and about what else the outage ends.
const EXPECTED: [&str; 5] = [
    "no mail server is configured",
    "fsync=off",
    "the bus is disconnected",
    "the session that holds the node lock was lost",
    "lost the lease of the passes",
];
const CHEAP: PasswordCost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };

/// The lines of these levels.
fn of_levels(lines: &[String], levels: &[&str]) -> Vec<String> {
    let is_wanted = |line: &&String| levels.iter().any(|level| line.contains(&format!(" {level} ")));
    lines.iter().filter(is_wanted).cloned().collect()
}

/// Writes a test message to the outbox.
fn write_message(database: &str) {
    let mut command = std::process::Command::new(BINARY);
    let output =
        command.args(["cloud", "outbox", "test", "tess@example.com", "--database", database]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn mail_that_cannot_be_sent_is_an_error_with_its_reason_once_for_all_messages() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Demo::start(folder.path(), &[]).stop().success());
    let database = sqlite(folder.path(), "cloud.db");
    let server = TestMailServer::start(&["--user", "sillage", "--password", "right"]);
    let closed = silent().split_once(':').unwrap().1.to_owned();
    for (port, user, reason) in
        [(server.port.to_string(), Some("sillage"), "535 "), (closed, None, "Connection refused")]
    {
        let mut arguments = vec!["cloud", "--database", &database, "--listen", ANY, "--mqtt-listen", ANY];
        arguments.extend(["--metrics-listen", ANY, "--smtp-host", "127.0.0.1", "--smtp-port", &port]);
        arguments.extend(["--smtp-security", "none", "--smtp-from", "no-reply@example.com"]);
        arguments.extend(user.iter().flat_map(|user| ["--smtp-user", user]));
        let password: &[(&str, &str)] = if user.is_some() { &[("SILLAGE_SMTP_PASSWORD", "wrong")] } else { &[] };
        let cloud = Process::start(&arguments, password);
        let ready = cloud.line(&["the cloud is ready"]);
        (0..3).for_each(|_| write_message(&database));
        let refused = r#"sillage_deliveries_total{channel="email",outcome="refused"}"#;
        until(async || value(&metrics(&ready).await, refused).parse::<u32>().unwrap() >= 3).await;
        let errors = of_levels(&cloud.stopped(), &["ERROR"]);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains("a message could not be delivered") && errors[0].contains(reason), "{errors:?}");
        assert!(!errors[0].contains("tess@example.com") && !errors[0].contains("wrong"), "{errors:?}");
    }
}

/// A cloud and a console on these databases.
struct Servers {
    demo: Demo,
    folder: TempDir,
    cloud: Process,
    console: Process,
    cloud_url: String,
    console_url: String,
}

impl Servers {
    fn start(databases: impl FnOnce(&Path) -> [String; 2]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let demo = Demo::start(folder.path(), &[]);
        let [cloud_database, console_database] = databases(folder.path());
        let run = |arguments: &[&str]| {
            let mut command = disk::command();
            command.args(arguments);
            Process::spawn(command)
        };
        let cloud = run(&["cloud", "--listen", ANY, "--mqtt-listen", ANY, "--database", &cloud_database]);
        let cloud_url = field(&cloud.line(&["the cloud is ready"]), "cloud").to_owned();
        let access = Access::of_demo(folder.path());
        let secrets = Secrets::write(folder.path(), &access.app_secret, &access.password, &access.token_key);
        let secrets: Vec<String> = secrets.arguments().flatten().collect();
        let mut console = vec!["console", "--listen", ANY, "--database", &console_database, "--app-id", &access.app_id];
        console.extend(["--service-email", &access.email, "--cloud", demo.ready()["cloud"].as_str().unwrap()]);
        console.extend(secrets.iter().map(String::as_str));
        let console = run(&console);
        let console_url = field(&console.line(&["the console is listening"]), "console").to_owned();
        console.line(&["the console is ready"]);
        Self { demo, folder, cloud, console, cloud_url, console_url }
    }

    /// Makes requests until the background work of both servers has run.
    async fn outlast(&self) {
        let begun = Instant::now();
        while begun.elapsed() < OUTAGE {
            for server in [&self.cloud_url, &self.console_url] {
                client().get(format!("{server}/readyz")).send().await.unwrap();
            }
            let json = r#"{"email": "ada@example.com", "password": "Correct-Horse-1"}"#;
            let call = client().post(format!("{}/api/session", self.console_url)).header(ORIGIN, &self.console_url);
            call.header(CONTENT_TYPE, "application/json").body(json).send().await.unwrap();
        }
    }

    /// The problems that each server has logged until its database works again.
    async fn problems(self) -> [Vec<String>; 2] {
        for server in [&self.cloud_url, &self.console_url] {
            let ready = || client().get(format!("{server}/readyz")).send();
            until(async || ready().await.unwrap().status() == 200).await;
        }
        let Self { demo: _demo, folder: _folder, cloud, console, .. } = self;
        [cloud, console].map(|server| {
            let problems = of_levels(&server.stopped(), &["ERROR", "WARN"]);
            let is_expected = |line: &String| EXPECTED.iter().any(|text| line.contains(text));
            problems.into_iter().filter(|line| !is_expected(line)).collect()
        })
    }
}

// The gate must run while the test blocks on a log line.
#[tokio::test(flavor = "multi_thread")]
async fn database_that_is_away_is_logged_once_by_each_server() {
    let (cloud_database, console_database) = (TestDb::postgres().await, TestDb::postgres().await);
    let through = async |url: &str| {
        let mut url: Url = url.parse().unwrap();
        let gate = Gate::open(format!("{}:{}", url.host_str().unwrap(), url.port().unwrap()).parse().unwrap()).await;
        url.set_ip_host(gate.address().ip()).unwrap();
        url.set_port(Some(gate.address().port())).unwrap();
        (gate, url.to_string())
    };
    let (mut cloud_gate, cloud_url) = through(&cloud_database.url).await;
    let (mut console_gate, console_url) = through(&console_database.url).await;
    Operator::new(cloud_database.db.clone(), Clock::system(), Random::system(), CHEAP)
        .unwrap()
        .migrate()
        .await
        .unwrap();
    let servers = tokio::task::block_in_place(|| Servers::start(|_| [cloud_url, console_url]));
    cloud_gate.close().await;
    console_gate.close().await;
    servers.outlast().await;
    cloud_gate.reopen();
    console_gate.reopen();
    for problems in servers.problems().await {
        assert_eq!(problems.len(), 1, "{problems:#?}");
        assert!(problems[0].contains(UNAVAILABLE), "{problems:?}");
    }
}

#[tokio::test]
async fn full_disk_is_logged_once_for_each_error_by_each_server() {
    // The demo has its own database of the cloud.
    let servers = Servers::start(|folder| {
        std::fs::create_dir(folder.join("own")).unwrap();
        let other = tempfile::tempdir().unwrap();
        assert!(Demo::start(other.path(), &[]).stop().success());
        std::fs::copy(other.path().join("cloud.db"), folder.join("own/cloud.db")).unwrap();
        ["own/cloud.db", "own/console.db"].map(|name| sqlite(folder, name))
    });
    for process in [&servers.cloud, &servers.console] {
        disk::fill(process.id());
    }
    servers.outlast().await;
    for process in [&servers.cloud, &servers.console] {
        disk::free(process.id());
    }
    for problems in servers.problems().await {
        let causes: BTreeSet<&str> = problems.iter().filter_map(|line| line.split("error=").nth(1)).collect();
        assert_eq!(causes.len(), problems.len(), "{problems:#?}");
        assert!(problems.iter().all(|line| line.contains(UNAVAILABLE)), "{problems:#?}");
    }
}
