//! The listener of metrics of both servers.

use crate::console::{Access, Secrets};
use crate::process::{Process, fail, field};
use crate::support::{Demo, page};
use crate::{ANY, sign_in, sqlite};

/// The value of a metric: the rest of the line that begins with its name and labels.
pub(crate) fn value<'a>(metrics: &'a str, name: &str) -> &'a str {
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {metrics}"))
}

/// The metrics of a server, by the address that its log line names.
pub(crate) async fn metrics(line: &str) -> String {
    let (status, body) = page(field(line, "metrics")).await;
    assert_eq!(status, 200);
    body
}

#[tokio::test]
async fn metrics_of_both_servers_are_served_on_their_own_listeners() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let database = sqlite(folder.path(), "node.db");
    let arguments = ["cloud", "--database", &database, "--listen", ANY, "--mqtt-listen", ANY, "--metrics-listen", ANY];
    let cloud = Process::start(&arguments, &[]);
    let ready = cloud.line(&["the cloud is ready"]);
    assert_eq!(page(&format!("{}/apiv1/dsns/SC0001.json", field(&ready, "cloud"))).await.0, 401);
    let shown = metrics(&ready).await;
    let request = r#"sillage_http_requests_total{method="GET",route="/apiv1/dsns/{dsn}",status="401"}"#;
    for (name, expected) in [
        (request, "1"),
        (r#"sillage_check_passed{check="database"}"#, "1"),
        (r#"sillage_check_passed{check="link"}"#, "1"),
        (r#"sillage_outbox_messages{channel="email"}"#, "0"),
        (r#"sillage_db_connections_max{pool="write"}"#, "1"),
        (r#"sillage_messages_held_back_today{budget="device"}"#, "0"),
        ("sillage_rule_events_waiting", "0"),
        ("sillage_commands_waiting", "0"),
        ("sillage_stream_readers", "0"),
    ] {
        assert_eq!(value(&shown, name), expected, "{name}");
    }
    assert!(!shown.contains("SC0001"), "{shown}");

    let access = Access::of_demo(folder.path());
    let secrets: Vec<[String; 2]> =
        Secrets::write(folder.path(), &access.app_secret, &access.password, &access.token_key).arguments().collect();
    let demo_cloud = demo.ready()["cloud"].as_str().unwrap();
    let mut arguments = vec!["console", "--listen", ANY, "--metrics-listen", ANY, "--cloud", demo_cloud];
    arguments.extend(["--app-id", &access.app_id, "--service-email", &access.email]);
    arguments.extend(secrets.iter().flatten().map(String::as_str));
    let console = Process::start(&arguments, &[("SILLAGE_DATABASE", &sqlite(folder.path(), "another.db"))]);
    let listening = console.line(&["the console is listening"]);
    console.line(&["the console is ready"]);
    let admin = &demo.ready()["accounts"][0];
    let (email, password) = (admin["email"].as_str().unwrap(), admin["password"].as_str().unwrap());
    assert_eq!(sign_in(field(&listening, "console"), email, password).await.0, 200);
    let shown = metrics(&listening).await;
    for (name, expected) in [
        (r#"sillage_http_requests_total{method="POST",route="/api/session",status="200"}"#, "1"),
        (r#"sillage_check_passed{check="index"}"#, "1"),
        (r#"sillage_check_passed{check="cloud"}"#, "1"),
        ("sillage_jobs_running", "0"),
        ("sillage_event_readers", "0"),
    ] {
        assert_eq!(value(&shown, name), expected, "{name}");
    }
    let passes: u32 = value(&shown, r#"sillage_passes_total{outcome="complete"}"#).parse().unwrap();
    assert!(passes > 0, "the index asks for a second pass if it missed something during the first");
    let age: f64 = value(&shown, "sillage_index_states_age_seconds").parse().unwrap();
    assert!((0.0..120.0).contains(&age), "{age}");
    for secret in [email, "@", access.app_secret.as_str()] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[test]
fn occupied_address_of_metrics_is_named_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind(ANY).unwrap();
    let (taken, database) = (listener.local_addr().unwrap().to_string(), sqlite(folder.path(), "cloud.db"));
    let cloud = ["cloud", "--database", &database, "--listen", ANY, "--mqtt-listen", ANY, "--metrics-listen", &taken];
    let stderr = fail(&cloud, &[]);
    assert!(stderr.contains("--metrics-listen") && stderr.contains(&taken), "{stderr}");
    for wrong in ["", "9100", "127.0.0.1", "127.0.0.1:99999"] {
        let stderr = fail(&["cloud", "--database", &database, "--metrics-listen", wrong], &[]);
        assert!(stderr.contains("--metrics-listen"), "{wrong}: {stderr}");
    }
}
