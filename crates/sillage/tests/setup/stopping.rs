//! Start and stop log lines of the long-running commands, and the signals that stop them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::console::{Access, Secrets};
use crate::process::{BINARY, Process, field, silent};
use crate::support::{Demo, Person, page};
use crate::{ANY, sqlite};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn start_and_stop_are_logged_and_every_signal_stops_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let (hush, key) = (file("hush", "hush"), file("key", &"0a".repeat(32)));
    let keys = file("keys.csv", &format!("dsn,key\nSL0001,{}\n", "0a".repeat(32)));
    let (cloud, console) = (sqlite(folder.path(), "cloud.db"), sqlite(folder.path(), "console.db"));
    let (unused, link) = (format!("http://{}", silent()), format!("mqtt://{}", silent()));
    let console = [
        ["--database", &console, "--listen", ANY, "--cloud", &unused, "--app-id", "sillage"],
        [
            "--app-secret-file",
            &hush,
            "--service-password-file",
            &hush,
            "--token-key-file",
            &key,
            "--service-email",
            "s",
        ],
    ];
    let rows = [
        ("cloud", vec!["--database", &cloud, "--listen", ANY, "--mqtt-listen", ANY], "the cloud is ready"),
        ("console", console.concat(), "the console is listening"),
        ("simulate", vec!["--link", &link, "--keys", &keys], "simulation started"),
    ];
    for (command, arguments, running) in rows {
        for signal in ["HUP", "TERM", "INT"] {
            let process = Process::start(&[&[command], &arguments[..]].concat(), &[]);
            process.line(&["starting", command, VERSION]);
            process.line(&[running]);
            process.signal(signal);
            process.line(&["stopping", &format!("SIG{signal}")]);
            process.line(&["stopped", command]);
            assert!(process.wait().success(), "{command} {signal}");
        }
    }
}

#[tokio::test]
async fn process_started_with_sighup_ignored_survives_sighup() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", BINARY, "cloud", "--listen", ANY, "--mqtt-listen", ANY]);
    command.args(["--database", &sqlite(folder.path(), "cloud.db")]);
    let process = Process::spawn(command);
    let ready = process.line(&["the cloud is ready"]);
    process.signal("HUP");
    assert_eq!(page(&format!("{}/healthz", field(&ready, "cloud"))).await.0, 200);
    process.signal("TERM");
    process.line(&["stopping", "SIGTERM"]);
    assert!(process.wait().success());
}

/// A request whose body is not complete yet.
struct OpenRequest {
    connection: BufReader<TcpStream>,
    body: String,
}

impl OpenRequest {
    /// Sends a POST to a server up to the first byte of its body, and waits until the server reads the body.
    fn begin(server: &str, path: &str, body: String) -> Self {
        let host = server.trim_start_matches("http://").trim_end_matches('/');
        let mut connection = TcpStream::connect(host).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(
            connection,
            "POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nexpect: 100-continue\r\n\r\n{{",
            body.len()
        )
        .unwrap();
        let mut request = Self { connection: BufReader::new(connection), body };
        assert_eq!(request.status_line(), "HTTP/1.1 100 Continue");
        request.status_line();
        request
    }

    /// Sends the rest and returns the status line of the response.
    fn complete(mut self) -> String {
        self.connection.get_mut().write_all(&self.body.as_bytes()[1..]).unwrap();
        self.status_line()
    }

    fn status_line(&mut self) -> String {
        let mut line = String::new();
        self.connection.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_servers_complete_requests_and_tell_streams_to_reconnect() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let access = Access::of_demo(folder.path());
    let secrets: Vec<[String; 2]> =
        Secrets::write(folder.path(), &access.app_secret, &access.password, &access.token_key).arguments().collect();
    let mut arguments = vec!["console", "--listen", ANY, "--cloud", demo.ready()["cloud"].as_str().unwrap()];
    arguments.extend(["--app-id", &access.app_id, "--service-email", &access.email]);
    arguments.extend(secrets.iter().flatten().map(String::as_str));
    let console = Process::start(&arguments, &[("SILLAGE_DATABASE", &sqlite(folder.path(), "another.db"))]);
    let listening = console.line(&["the console is listening"]);
    let url = field(&listening, "console");
    let admin = &demo.ready()["accounts"][0];
    let mut events = Person::sign_in_at(url, admin).await.events("SC0001").await;
    let credentials = json!({"email": admin["email"], "password": admin["password"]});
    let request = OpenRequest::begin(url, "/api/session", credentials.to_string());
    console.signal("TERM");
    console.line(&["stopping", "SIGTERM"]);
    events.contain("event: reconnect\ndata: {\"afterMs\":").await;
    assert_eq!(request.complete(), "HTTP/1.1 200 OK");
    console.line(&["stopped", "console"]);
    assert!(console.wait().success());

    let database = sqlite(folder.path(), "node.db");
    let cloud = Process::start(&["cloud", "--database", &database, "--listen", ANY, "--mqtt-listen", ANY], &[]);
    let ready = cloud.line(&["the cloud is ready"]);
    let user = json!({"user": {"email": "nobody@example.com", "password": "Wrong-Horse-1"}});
    let request = OpenRequest::begin(field(&ready, "cloud"), "/users/sign_in.json", user.to_string());
    cloud.signal("TERM");
    cloud.line(&["stopping", "SIGTERM"]);
    // An empty cloud does not know the application.
    assert_eq!(request.complete(), "HTTP/1.1 404 Not Found");
    cloud.line(&["stopped", "cloud"]);
    assert!(cloud.wait().success());
}

#[test]
fn request_that_does_not_end_is_cut_off_at_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let database = sqlite(folder.path(), "cloud.db");
    let arguments =
        ["cloud", "--database", &database, "--listen", ANY, "--mqtt-listen", ANY, "--shutdown-seconds", "1"];
    let cloud = Process::start(&arguments, &[]);
    let ready = cloud.line(&["the cloud is ready"]);
    let mut request = OpenRequest::begin(field(&ready, "cloud"), "/users/sign_in.json", "x".repeat(100));
    cloud.signal("TERM");
    cloud.line(&["stopping", "SIGTERM"]);
    cloud.line(&["some requests or streams did not end in time"]);
    cloud.line(&["stopped", "cloud"]);
    assert!(cloud.wait().success());
    assert_eq!(request.status_line(), "", "no response");
}
