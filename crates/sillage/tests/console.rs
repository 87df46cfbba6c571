//! `sillage console` with a separate cloud, and its start failures.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use console::{ANY, Access, Console, Secrets};
use platform::testing::until;
use support::{Demo, Person};

#[tokio::test]
async fn node_serves_the_devices_of_its_cloud() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let database = format!("sqlite:{}", folder.path().join("node.db").display());
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    let console = Console::start(&database, cloud, &Access::of_demo(folder.path()), folder.path(), "node");
    let admin = Person::sign_in_at(console.url(), &demo.ready()["accounts"][0]).await;
    assert_eq!(admin.get("/api/devices").await["total"], 12);
    let ready_file = console.ready_file();
    assert!(console.stop().success());
    assert!(!ready_file.exists(), "the ready file is removed");
}

#[tokio::test]
async fn running_node_rebuilds_an_emptied_index() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let database = format!("sqlite:{}", folder.path().join("node.db").display());
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    let console = Console::start(&database, cloud, &Access::of_demo(folder.path()), folder.path(), "node");
    let admin = Person::sign_in_at(console.url(), &demo.ready()["accounts"][0]).await;
    let list = async || {
        let list = admin.get("/api/devices").await;
        assert_eq!(list["total"], 12, "the list is always complete: {list}");
        list
    };
    let before = list().await;
    console::reindex(&database);
    until(async || list().await["asOf"] != before["asOf"] && list().await["source"] == "index").await;
}

/// Standard error of `sillage console` with these arguments; all other options are valid, except the cloud.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let secrets = Secrets::write(folder, "hush", "hush", &"0a".repeat(32));
    let database = format!("sqlite:{}", folder.join("console.db").display());
    console::init(&database);
    let mut all = vec!["console".to_owned()];
    let rest =
        [("--database", database.as_str()), ("--listen", ANY), ("--cloud", "http://127.0.0.1:9"), ("--app-id", "a")];
    let rest = rest.into_iter().map(|(flag, value)| [flag.to_owned(), value.to_owned()]);
    let given = |flag: &str| arguments.contains(&flag);
    all.extend(rest.chain(secrets.arguments()).filter(|[flag, _]| !given(flag)).flatten());
    if !given("--service-email") {
        all.extend(["--service-email".to_owned(), "service@example.com".to_owned()]);
    }
    all.extend(arguments.iter().map(|&argument| argument.to_owned()));
    support::fail(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn start_failure_names_the_cause_and_the_option() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let (empty, short) = (file("empty", ""), file("short", "hush"));
    let (empty, short) = (empty.to_str().unwrap(), short.to_str().unwrap());
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (file("cert.pem", &made.cert.pem()), file("key.pem", &made.signing_key.serialize_pem()));
    let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
    let nowhere = folder.path().join("nowhere/console.db").display().to_string();
    let taken = TcpListener::bind(ANY).unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, words) in [
        (&["--database", "mysql://sillage:hush@localhost/sillage"][..], &["--database", "sqlite: or postgres:"][..]),
        (&["--database", &format!("sqlite:{nowhere}")], &["--database", &nowhere]),
        (&["--listen", &taken], &["--listen", &taken, "in use"]),
        (&["--listen", "0.0.0.0:0"], &["--listen", "--tls-cert", "--insecure-http"]),
        (&["--tls-cert", &nowhere, "--tls-key", empty], &["(--tls-cert)", &nowhere]),
        (&["--tls-cert", empty, "--tls-key", empty], &["(--tls-cert)", empty, "no usable certificate"]),
        (&["--tls-cert", certificate, "--tls-key", &nowhere], &["(--tls-key)", &nowhere]),
        (&["--tls-cert", certificate, "--tls-key", empty], &["(--tls-key)", empty, "no usable private key"]),
        (&["--tls-cert", certificate], &["--tls-key"]),
        (
            &["--tls-cert", certificate, "--tls-key", key, "--public-url", "http://console.example"],
            &["--public-url", "https://"],
        ),
        (&["--public-url", "https://console.example/sub"], &["--public-url", "without a path"]),
        (&["--public-url", "console"], &["--public-url"]),
        (&["--cloud", "cloud"], &["--cloud"]),
        (&["--cloud", "ftp://cloud.example"], &["--cloud"]),
        (&["--cloud", "http://192.0.2.7:8081"], &["--cloud", "must be https"]),
        (&["--app-id", " "], &["--app-id"]),
        (&["--maintenance-message", &"x".repeat(301)], &["--maintenance-message", "300 characters"]),
        (&["--pass-every", "0"], &["--pass-every", "0"]),
        (&["--pass-pause", "-1"], &["-1"]),
        (&["--level-pause", "0"], &["0"]),
        (&["--app-secret-file", &nowhere], &["--app-secret-file", &nowhere]),
        (&["--app-secret-file", empty], &["--app-secret-file", empty, "is empty"]),
        (&["--service-password-file", empty], &["--service-password-file", empty, "is empty"]),
        (&["--token-key-file", short], &["--token-key-file", short, "64 hexadecimal digits"]),
        (&["--earlier-token-key-file", short], &["--earlier-token-key-file", short, "64 hexadecimal digits"]),
        (&["--token-key-file", short, "--token-key-file", short], &["--token-key-file", "multiple times"]),
    ] {
        let stderr = refused(folder.path(), arguments);
        assert!(words.iter().all(|word| stderr.contains(word)), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("hush"), "{arguments:?}: {stderr}");
    }
    assert!(support::fail(&["console"]).contains("--database"), "without options");
    let stderr = support::fail(&["console", "reindex", "--database", &format!("sqlite:{nowhere}")]);
    assert!(stderr.contains("--database") && stderr.contains(&nowhere), "{stderr}");
}
