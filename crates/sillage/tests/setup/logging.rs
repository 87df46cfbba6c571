//! The formats and levels of the log, and the ids of requests in it.

use std::fs;
use std::io::pipe;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use serde_json::Value;

use crate::process::{BINARY, Process, fail, field, silent};
use crate::support::Demo;
use crate::{ANY, client, sqlite};

/// A console without its cloud, which logs in this format.
struct Console {
    process: Process,
    _folder: tempfile::TempDir,
}

impl Console {
    fn start(format: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let (hush, key) = (file("hush", "hush"), file("key", &"0a".repeat(32)));
        let (database, cloud) = (sqlite(folder.path(), "console.db"), format!("http://{}", silent()));
        let mut arguments = vec!["console", "--database", &database, "--listen", ANY, "--cloud", &cloud];
        arguments.extend(["--app-id", "sillage", "--service-email", "s", "--app-secret-file", &hush]);
        arguments.extend(["--service-password-file", &hush, "--token-key-file", &key]);
        let process = Process::start(&arguments, &[("SILLAGE_LOG_FORMAT", format)]);
        Self { process, _folder: folder }
    }
}

/// The id of a request without a session, by its response.
async fn request(console: &str) -> String {
    let response = client().get(format!("{console}/api/session")).send().await.unwrap();
    response.headers()["x-request-id"].to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_of_a_request_have_the_id_of_its_response() {
    let text = Console::start("text");
    let listening = text.process.line(&["the console is listening"]);
    let id = request(field(&listening, "console")).await;
    text.process.line(&["request", &id, "http.route", "/api/session"]);

    let json = Console::start("json");
    let listening: Value = json.process.line(&["the console is listening"]).parse().unwrap();
    let id = request(listening["console"].as_str().unwrap()).await;
    let line: Value = json.process.line(&[&id]).parse().unwrap();
    assert_eq!((&line["level"], &line["message"]), (&"INFO".into(), &"request".into()), "{line}");
    assert_eq!((&line["http.route"], &line["http.method"]), (&"/api/session".into(), &"GET".into()), "{line}");
    assert_eq!(line["spans"][0]["id"], id.as_str(), "{line}");
}

#[test]
fn unknown_format_of_the_log_is_refused() {
    for format in ["", "xml", "JSON"] {
        let stderr = fail(&["cloud", "--database", "sqlite:unused"], &[("SILLAGE_LOG_FORMAT", format)]);
        assert!(stderr.contains("SILLAGE_LOG_FORMAT must be text or json"), "{format}: {stderr}");
    }
}

/// A cloud whose standard error is a pipe that `JOURNAL_STREAM` names, or with an inode that is off by this much.
fn under_journal(arguments: &[&str], off_by: u64) -> Process {
    let (reader, writer) = pipe().unwrap();
    let stream = fs::metadata(format!("/proc/self/fd/{}", writer.as_raw_fd())).unwrap();
    let stream = format!("{}:{}", stream.dev(), stream.ino() + off_by);
    let mut command = Command::new(BINARY);
    command.args(arguments).env("JOURNAL_STREAM", stream).env_remove("SILLAGE_LOG").stderr(writer);
    Process::read(command.spawn().unwrap(), reader)
}

#[test]
fn lines_for_the_journal_have_a_priority_and_no_time() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Demo::start(folder.path(), &[]).stop().success());
    let database = sqlite(folder.path(), "cloud.db");
    let cloud = ["cloud", "--database", &database, "--listen", ANY, "--mqtt-listen", ANY];
    for (off_by, [info, warning]) in [(0, ["<6> INFO ", "<4> WARN "]), (1, ["20", "20"])] {
        let process = under_journal(&cloud, off_by);
        for (line, begin) in [
            (process.line(&["INFO", "the cloud is ready"]), info),
            (process.line(&["WARN", "no mail server is configured"]), warning),
        ] {
            assert!(line.starts_with(begin), "{line}");
        }
        assert!(process.stopped().iter().all(|line| line.starts_with('<') == (off_by == 0)));
    }
    let taken = std::net::TcpListener::bind(ANY).unwrap().local_addr().unwrap().to_string();
    let _taken = std::net::TcpListener::bind(&taken).unwrap();
    let error = under_journal(&["cloud", "--database", &database, "--listen", &taken], 0);
    assert!(error.line(&["sillage: cannot start"]).starts_with("<3>sillage: "));
}

#[test]
fn console_logs_errors_for_the_journal_with_their_priority() {
    let folder = tempfile::tempdir().unwrap();
    let hush = folder.path().join("hush");
    fs::write(&hush, "hush").unwrap();
    let key = folder.path().join("key");
    fs::write(&key, "0a".repeat(32)).unwrap();
    let (hush, key) = (hush.to_str().unwrap(), key.to_str().unwrap());
    let (database, cloud) = (sqlite(folder.path(), "console.db"), format!("http://{}", silent()));
    let mut console = vec!["console", "--database", &database, "--listen", ANY, "--cloud", &cloud];
    console.extend(["--app-id", "sillage", "--service-email", "s", "--app-secret-file", hush]);
    console.extend(["--service-password-file", hush, "--token-key-file", key]);
    let line = under_journal(&console, 0).line(&["ERROR", "cannot be reached"]);
    assert!(line.starts_with("<3>ERROR "), "{line}");
}

#[test]
fn no_line_is_lost_at_any_level() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Demo::start(folder.path(), &[]).stop().success());
    let database = sqlite(folder.path(), "cloud.db");
    for filter in [
        "info",
        "cloud=debug,info",
        "trace",
        "sqlx::query=trace,info",
        "cloud=trace,info",
        "console=trace,info",
        "platform=trace,info",
    ] {
        let (reader, writer) = pipe().unwrap();
        let mut command = Command::new(BINARY);
        command.args(["cloud", "--database", &database, "--listen", ANY, "--mqtt-listen", ANY]);
        let process = Process::read(command.env("SILLAGE_LOG", filter).stderr(writer).spawn().unwrap(), reader);
        drop(command);
        process.line(&["INFO", "starting"]);
        process.line(&["INFO", "the cloud is ready"]);
        let rest = process.stopped();
        for message in ["stopping", "stopped"] {
            assert!(rest.iter().any(|line| line.contains(" INFO ") && line.contains(message)), "{filter}: {message}");
        }
    }
}
