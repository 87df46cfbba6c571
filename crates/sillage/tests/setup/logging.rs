//! The formats of the log, and the ids of requests in it.

use serde_json::Value;

use crate::process::{Process, fail, field, silent};
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
