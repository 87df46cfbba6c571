//! Start and stop log lines of the long-running commands, and the signals that stop them.

use std::process::Command;

use crate::process::{BINARY, Process, field, silent};
use crate::support::page;
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
