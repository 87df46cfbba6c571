//! Every example of the client library runs against the demo.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use serde_json::Value;
use support::Demo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

const DSN: &str = "AC000W000100001";
const RECORDER: &str = "AC000W000800000";

/// An example with the address and the administrator of a demo.
fn command(name: &str, cloud: &str, demo: &Demo) -> Command {
    // Cargo builds the examples of all packages into one folder.
    let path = Path::new(env!("CARGO_BIN_EXE_sillage")).with_file_name("examples").join(name);
    assert!(
        path.exists(),
        "{name} is not built: run `cargo build -p devicecloud --examples`, or test the whole workspace"
    );
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (ready, admin) = (demo.ready(), &demo.ready()["accounts"][0]);
    let mut command = Command::new(path);
    command.env_clear().envs([
        ("DEVICECLOUD_URL", cloud.to_owned()),
        ("DEVICECLOUD_APP_ID", text(&ready["app_id"])),
        ("DEVICECLOUD_APP_SECRET", text(&ready["app_secret"])),
        ("DEVICECLOUD_EMAIL", text(&admin["email"])),
        ("DEVICECLOUD_PASSWORD", text(&admin["password"])),
    ]);
    command
}

fn cloud(demo: &Demo) -> &str {
    demo.ready()["cloud"].as_str().unwrap()
}

/// The output of an example that succeeds.
fn run(demo: &Demo, name: &str, arguments: &[&str]) -> String {
    output(command(name, cloud(demo), demo).args(arguments))
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", command.get_program().display());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_example_has_a_test() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../devicecloud/examples"));
    let names = std::fs::read_dir(folder).unwrap();
    let names: BTreeSet<String> =
        names.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let tested = [
        "file_token_store",
        "list_levels",
        "live_view",
        "real_endpoints",
        "set_property",
        "upload_file",
        "watch_changes",
    ];
    assert_eq!(names, tested.map(str::to_owned).into());
}

#[test]
fn examples_read_write_and_transfer_files() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);

    let levels = run(&demo, "list_levels", &[]);
    assert!(levels.contains(DSN) && levels.contains("devices have fragrance_remaining"), "{levels}");

    let set = run(&demo, "set_property", &[DSN, "fan", "4"]);
    assert_eq!(set, "the device accepted the value\n");
    let listed = run(&demo, "set_property", &[DSN]);
    assert!(listed.lines().any(|line| line == "fan = 4"), "{listed}");

    let [original, copy] = ["original", "copy"].map(|name| folder.path().join(name));
    let content: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    std::fs::write(&original, &content).unwrap();
    run(&demo, "upload_file", &[RECORDER, "log", "put", original.to_str().unwrap()]);
    run(&demo, "upload_file", &[RECORDER, "log", "get", copy.to_str().unwrap()]);
    assert!(std::fs::read(copy).unwrap() == content, "the same bytes");
}

#[test]
fn examples_keep_sessions_and_connect_to_any_cloud() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let email = demo.ready()["accounts"][0]["email"].as_str().unwrap();

    let tokens = folder.path().join("tokens.json");
    let tokens = tokens.to_str().unwrap();
    for expected in ["signed in", "used the stored session", "used the stored session"] {
        assert_eq!(run(&demo, "file_token_store", &[tokens]), format!("{expected}\n{email}\n"));
    }
    assert_eq!(run(&demo, "file_token_store", &[tokens, "sign-out"]), "signed out\n");
    assert_eq!(run(&demo, "file_token_store", &[tokens]), format!("signed in\n{email}\n"));

    let mut command = command("real_endpoints", cloud(&demo), &demo);
    for (name, service) in [
        ("USER", "user"),
        ("DEVICE", "device"),
        ("RULES", "rules"),
        ("SUBSCRIPTION", "subscription"),
        ("STREAM", "stream"),
    ] {
        command.env(format!("DEVICECLOUD_{name}_URL"), format!("{}/{service}", cloud(&demo)));
    }
    let services = output(command.env("DEVICECLOUD_LOCATION", "local"));
    assert!(
        services.starts_with(&format!("user: {email}\n")) && services.ends_with("stream: connected\n"),
        "{services}"
    );
}

/// A proxy of the demo's cloud whose connections the test cuts.
struct CuttingProxy {
    url: String,
    cut: Arc<Notify>,
}

impl CuttingProxy {
    async fn start(cloud: &str) -> Self {
        let cloud = cloud.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let cut = Arc::new(Notify::new());
        let notify = Arc::clone(&cut);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let mut cloud = TcpStream::connect(&cloud).await.unwrap();
                let notify = Arc::clone(&notify);
                tokio::spawn(async move {
                    tokio::select! {
                        () = notify.notified() => {}
                        _ = tokio::io::copy_bidirectional(&mut client, &mut cloud) => {}
                    }
                });
            }
        });
        Self { url, cut }
    }
}

/// A running example; killed on drop.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The lines up to the one with this text.
    fn until(&mut self, text: &str) -> Vec<String> {
        let mut seen = Vec::new();
        for line in self.lines.by_ref() {
            seen.push(line.unwrap());
            if seen.last().is_some_and(|line| line.contains(text)) {
                return seen;
            }
        }
        panic!("no {text:?} in {seen:?}");
    }

    fn interrupt(&mut self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success() && self.child.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn live_view_follows_the_demo_after_a_cut_and_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let proxy = CuttingProxy::start(cloud(&demo)).await;
    let saved = folder.path().join("live-view");
    let start = || Running::start(command("live_view", &proxy.url, &demo).arg(&saved));

    let mut view = start();
    let first = view.until("devices are up to date");
    assert_eq!(first[0], "signed in");
    assert!(first.iter().any(|line| line.starts_with(DSN)), "{first:?}");
    run(&demo, "set_property", &[DSN, "fan", "3"]);
    view.until(&format!("{DSN} fan = 3"));
    proxy.cut.notify_waiters();
    view.until("devices are up to date");
    run(&demo, "set_property", &[DSN, "fan", "2"]);
    view.until(&format!("{DSN} fan = 2"));
    drop(view);

    let subscription = std::fs::read_to_string(saved.join("subscription")).unwrap();
    let mut view = start();
    let again = view.until("devices are up to date");
    assert!(!again.contains(&"signed in".to_owned()), "{again:?}");
    assert_eq!(std::fs::read_to_string(saved.join("subscription")).unwrap(), subscription);
    view.interrupt();
    assert!(!saved.join("subscription").exists());
}

#[test]
fn watch_changes_shows_what_another_program_writes() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let mut watch = Running::start(&mut command("watch_changes", cloud(&demo), &demo));
    watch.until(&format!("{DSN} is live"));
    for fan in ["3", "2"] {
        run(&demo, "set_property", &[DSN, "fan", fan]);
        watch.until(&format!("{DSN} fan = {fan}"));
    }
    watch.interrupt();
}
