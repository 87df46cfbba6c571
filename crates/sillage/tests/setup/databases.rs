//! A PostgreSQL server that is unreachable or has no space left.

use std::path::Path;
use std::time::Duration;

use cloud::PasswordCost;
use cloud::operator::{NewUser, Operator};
use platform::db::params;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use reqwest::RequestBuilder;
use reqwest::header::ORIGIN;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use url::Url;

use crate::console::{Access, Secrets};
use crate::gate::Gate;
use crate::metrics::{metrics, value};
use crate::process::{Process, field};
use crate::support::Demo;
use crate::{ANY, assert_unavailable, client};

/// Connections that were in use less than 100 ms ago are not tested before their next use. PostgreSQL takes longer to restart.
const SHORTEST_OUTAGE: Duration = Duration::from_millis(100);

/// A database that can become unreachable.
struct UnreachableDb {
    gate: Gate,
    url: String,
    database: TestDb,
}

impl UnreachableDb {
    async fn new() -> Self {
        let database = TestDb::postgres().await;
        let mut url: Url = database.url.parse().unwrap();
        let server = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
        let gate = Gate::open(server.parse().unwrap()).await;
        url.set_ip_host(gate.address().ip()).unwrap();
        url.set_port(Some(gate.address().port())).unwrap();
        Self { gate, url: url.into(), database }
    }
}

/// The response to a request that must arrive within two seconds.
async fn in_time(call: RequestBuilder) -> (u16, Value) {
    let answer = timeout(Duration::from_secs(2), call.send()).await.expect("a response within two seconds").unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// Makes calls until the outage is longer than the shortest one.
async fn outlast_outage(closed_at: Instant, call: impl Fn() -> RequestBuilder) {
    while closed_at.elapsed() <= SHORTEST_OUTAGE {
        assert_eq!(in_time(call()).await.0, 503);
    }
}

fn console(folder: &Path, cloud: &str, database: &str) -> Process {
    let access = Access::of_demo(folder);
    let secrets: Vec<[String; 2]> =
        Secrets::write(folder, &access.app_secret, &access.password, &access.token_key).arguments().collect();
    let mut arguments = vec!["console", "--listen", ANY, "--cloud", cloud, "--app-id", &access.app_id];
    arguments.extend(["--service-email", &access.email]);
    arguments.extend(secrets.iter().flatten().map(String::as_str));
    Process::start(&arguments, &[("SILLAGE_DATABASE", database)])
}

// The gate must run while the test blocks on a log line.
#[tokio::test(flavor = "multi_thread")]
async fn console_without_database_answers_503_within_two_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let mut database = UnreachableDb::new().await;
    let node = console(folder.path(), demo.ready()["cloud"].as_str().unwrap(), &database.url);
    let listening = node.line(&["the console is listening"]);
    let console = field(&listening, "console");
    node.line(&["the console is ready"]);
    let admin = &demo.ready()["accounts"][0];
    let (email, password) = (admin["email"].as_str().unwrap(), admin["password"].as_str().unwrap());
    let signing_in = || {
        let call = client().post(format!("{console}/api/session")).header(ORIGIN, console);
        call.json(&json!({"email": email, "password": password}))
    };
    let ready = || client().get(format!("{console}/readyz"));
    assert_eq!(in_time(ready()).await.0, 200);

    database.gate.close().await;
    let closed_at = Instant::now();
    assert_unavailable("unavailable", in_time(signing_in()).await);
    node.line(&["ERROR", "the database is not available (--database)"]);
    let (status, body) = in_time(ready()).await;
    assert_eq!((status, &body["database"]), (503, &json!(false)));

    outlast_outage(closed_at, signing_in).await;
    database.gate.reopen();
    assert_eq!(in_time(signing_in()).await.0, 200);
}

// The gate must run while the test blocks on a log line.
#[tokio::test(flavor = "multi_thread")]
async fn cloud_without_database_or_disk_space_answers_503_and_logs_the_cause() {
    let mut database = UnreachableDb::new().await;
    let db = &database.database.db;
    let cost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
    let operator = Operator::new(db.clone(), Clock::system(), Random::system(), cost).unwrap();
    operator.migrate().await.unwrap();
    let oem = operator.ensure_oem("Test").await.unwrap();
    operator.ensure_application(&oem, "app", "App", &"hush".into()).await.unwrap();
    let (email, password) = ("ada@example.com", "Correct-Horse-1");
    let ada = NewUser { email: email.into(), password: password.into(), confirmed: true, ..NewUser::default() };
    operator.ensure_user(&oem, &ada).await.unwrap();

    let arguments = ["cloud", "--listen", ANY, "--mqtt-listen", ANY, "--metrics-listen", ANY];
    let node = Process::start(&arguments, &[("SILLAGE_DATABASE", &database.url)]);
    let started = node.line(&["the cloud is ready"]);
    let cloud = field(&started, "cloud");
    let signing_in = || {
        let application = json!({"app_id": "app", "app_secret": "hush"});
        let user = json!({"email": email, "password": password, "application": application});
        client().post(format!("{cloud}/users/sign_in.json")).json(&json!({"user": user}))
    };
    let unavailable = (503, json!({"error": "The service is not available at the moment"}));
    let ready = || client().get(format!("{cloud}/readyz"));
    assert_eq!(in_time(signing_in()).await.0, 200);
    assert_eq!(in_time(ready()).await, (200, json!({"bus": true, "database": true, "link": true})));

    database.gate.close().await;
    let closed_at = Instant::now();
    assert_eq!(in_time(signing_in()).await, unavailable);
    node.line(&["ERROR", "the database is not available (--database)"]);
    // The database is asked once a second.
    let (status, body) = loop {
        let (status, body) = in_time(ready()).await;
        if body["database"] == json!(false) {
            break (status, body);
        }
    };
    assert_eq!((status, &body["link"]), (503, &json!(true)));
    let shown = metrics(&started).await;
    assert_eq!(value(&shown, r#"sillage_check_passed{check="database"}"#), "0");
    assert_eq!(value(&shown, "sillage_rule_events_waiting"), "NaN");

    outlast_outage(closed_at, signing_in).await;
    database.gate.reopen();
    assert_eq!(in_time(signing_in()).await.0, 200);
    // The error of PostgreSQL when its disk is full.
    for sql in [
        "create function full_disk() returns trigger language plpgsql as $$ begin \
         raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$",
        "create trigger full_disk before insert on session execute function full_disk()",
    ] {
        database.database.db.execute(sql, params![]).await.unwrap();
    }
    assert_eq!(in_time(signing_in()).await, unavailable);
    node.line(&["ERROR", "(--database)", "No space left on device"]);
}
