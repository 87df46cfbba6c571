//! `sillage console`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tokio::time::{Duration, sleep, timeout};

use crate::console::{Access, Secrets};
use crate::process::{BINARY, Process, fail, field, silent};
use crate::support::{Demo, page};
use crate::{ANY, assert_unavailable, sign_in, sqlite};

/// The options of a console; `wrong` replaces some values.
fn arguments(folder: &Path, cloud: &str, access: &Access, wrong: &[(&str, &str)]) -> Vec<String> {
    let secrets = Secrets::write(folder, &access.app_secret, &access.password, &access.token_key);
    let rest = [
        ("--listen", ANY),
        ("--database", &sqlite(folder, "node.db")),
        ("--cloud", cloud),
        ("--app-id", &access.app_id),
        ("--service-email", &access.email),
    ];
    let rest = rest.map(|(flag, value)| [flag.to_owned(), value.to_owned()]);
    let mut all = vec!["console".to_owned()];
    for [flag, value] in rest.into_iter().chain(secrets.arguments()) {
        let wrong = wrong.iter().find(|(wrong, _)| *wrong == flag);
        all.extend([flag, wrong.map_or(value, |(_, value)| (*value).to_owned())]);
    }
    all
}

fn words(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn setting_rejected_by_the_cloud_is_reported_with_its_option() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let (cloud, itself) = (demo.ready()["cloud"].as_str().unwrap(), demo.ready()["console"].as_str().unwrap());
    let access = Access::of_demo(folder.path());
    let wrong_secret = folder.path().join("wrong.secret");
    std::fs::write(&wrong_secret, "hush").unwrap();
    let observer = &demo.ready()["accounts"][1];
    assert_eq!(observer["role"], "OEM::Observer");
    let observers = folder.path().join("observer.secret");
    std::fs::write(&observers, observer["password"].as_str().unwrap()).unwrap();
    let (wrong_secret, observers) = (wrong_secret.to_str().unwrap(), observers.to_str().unwrap());
    for (wrong, expected) in [
        (&[("--app-secret-file", wrong_secret)][..], "rejected the console's application (--app-secret-file"),
        (&[("--app-id", "nobody")], "rejected the console's application (--app-secret-file; or --app-id"),
        (&[("--service-password-file", wrong_secret)], "rejected the console's account (--service-password-file"),
        (
            &[("--service-email", "nobody@example.com")],
            "rejected the console's account (--service-password-file; or --service-email",
        ),
        (
            &[("--service-email", observer["email"].as_str().unwrap()), ("--service-password-file", observers)],
            "no administrator at the device cloud (--service-email)",
        ),
        (&[("--cloud", itself)], "the server at this address is not a device cloud (--cloud)"),
        (
            &[("--database", &sqlite(folder.path(), "cloud.db"))],
            "cannot start the console (--database): this is the database of the device cloud",
        ),
    ] {
        let stderr = fail(&words(&arguments(folder.path(), cloud, &access, wrong)), &[]);
        assert!(stderr.contains(expected), "{wrong:?}: {stderr}");
        assert!(!stderr.contains("hush") && !stderr.contains('@'), "{wrong:?}: {stderr}");
    }
    let stderr = fail(&["console", "reindex", "--database", &sqlite(folder.path(), "cloud.db")], &[]);
    assert!(stderr.contains("--database") && stderr.contains("the database of the device cloud"), "{stderr}");
}

#[tokio::test]
async fn unreachable_cloud_is_logged_and_sign_in_gets_503() {
    let folder = tempfile::tempdir().unwrap();
    let access = Access {
        app_id: "sillage".into(),
        app_secret: "hush".into(),
        email: "service@example.com".into(),
        password: "hush".into(),
        token_key: "0a".repeat(32),
    };
    let cloud = format!("http://{}", silent());
    let node = Process::start(&words(&arguments(folder.path(), &cloud, &access, &[])), &[]);
    let listening = node.line(&["the console is listening"]);
    let console = field(&listening, "console");
    node.line(&["ERROR", "the device cloud cannot be reached (--cloud)"]);
    assert_unavailable("cloud_failed", sign_in(console, "ada@example.com", "Correct-Horse-1").await);
    node.line(&["ERROR", "nobody can sign in", "(--cloud)"]);
    assert_eq!(page(&format!("{console}/healthz")).await, (200, "ok\n".to_owned()));
    let (status, body) = page(&format!("{console}/readyz")).await;
    assert_eq!(
        (status, body.parse::<Value>().unwrap()),
        (503, json!({"bus": true, "database": true, "token_key": true, "cloud": false, "index": false}))
    );
}

#[tokio::test]
async fn replaced_application_secret_is_not_reported_as_wrong_password() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let access = Access::of_demo(folder.path());
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    let admin = &demo.ready()["accounts"][0];
    let (email, password) = (admin["email"].as_str().unwrap(), admin["password"].as_str().unwrap());
    let node = Process::start(&words(&arguments(folder.path(), cloud, &access, &[])), &[]);
    let listening = node.line(&["the console is listening"]);
    let console = field(&listening, "console");
    assert_eq!(sign_in(console, email, password).await.0, 200);
    let (status, problem) = sign_in(console, email, "Wrong-Horse-1").await;
    assert_eq!((status, &problem["detail"]), (401, &json!("Incorrect email or password")));

    let rotated = Command::new(BINARY)
        .args(["cloud", "application", "rotate-secret", &access.app_id])
        .args(["--database", &sqlite(folder.path(), "cloud.db")])
        .output()
        .unwrap();
    assert!(rotated.status.success());
    for password in [password, "Wrong-Horse-1"] {
        assert_unavailable("unavailable", sign_in(console, email, password).await);
        node.line(&["ERROR", "rejected the console's application (--app-secret-file"]);
    }
}

/// Asks `/readyz` until its check `cloud` is this. Panics if it takes ten seconds.
async fn until_cloud(console: &str, expected: bool) {
    let asked = async {
        while page(&format!("{console}/readyz")).await.1.parse::<Value>().unwrap()["cloud"] != expected {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(Duration::from_secs(10), asked).await.expect("it is noticed within ten seconds");
}

#[tokio::test]
async fn application_or_account_that_the_cloud_refuses_ends_readiness_within_ten_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let access = Access::of_demo(folder.path());
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    let database = sqlite(folder.path(), "cloud.db");
    let operate = |words: &[&str]| {
        let operated = Command::new(BINARY).arg("cloud").args(words).args(["--database", &database]).output().unwrap();
        assert!(operated.status.success(), "{words:?}");
    };
    let node = Process::start(&words(&arguments(folder.path(), cloud, &access, &[])), &[]);
    let listening = node.line(&["the console is listening"]);
    let console = field(&listening, "console");
    until_cloud(console, true).await;
    let set_password = |password: &str| {
        let file = folder.path().join("new.password");
        std::fs::write(&file, password).unwrap();
        operate(&["user", "password", &access.email, "--password-file", file.to_str().unwrap()]);
    };
    set_password("Another-Horse-1");
    until_cloud(console, false).await;
    node.line(&["ERROR", "rejected the console's account (--service-password-file"]);
    set_password(&access.password);
    until_cloud(console, true).await;
    node.line(&["INFO", "the device cloud serves the console again"]);
    // Nobody signs in, and the console's session would last.
    operate(&["application", "rotate-secret", &access.app_id]);
    until_cloud(console, false).await;
    node.line(&["ERROR", "rejected the console's application (--app-secret-file"]);
}

#[tokio::test]
async fn operator_paths_do_not_serve_the_web_application() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let console = json!({"bus": true, "database": true, "token_key": true, "cloud": true, "index": true});
    let cloud = json!({"bus": true, "database": true, "link": true});
    for (server, ready) in [("console", console), ("cloud", cloud)] {
        let server = demo.ready()[server].as_str().unwrap();
        assert_eq!(page(&format!("{server}/healthz")).await, (200, "ok\n".to_owned()));
        let (status, body) = page(&format!("{server}/readyz")).await;
        assert_eq!((status, body.parse::<Value>().unwrap()), (200, ready));
        let (status, body) = page(&format!("{server}/metrics")).await;
        assert!(status == 404 && !body.contains("<html"), "{status} {body}");
    }
}

#[test]
fn reindex_and_node_take_their_options_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let database = sqlite(folder.path(), "console.db");
    let environment = [("SILLAGE_DATABASE", &*database), ("MAINTENANCE_MESSAGE", "Down at noon")];
    let reindex = Process::start(&["console", "reindex"], &environment);
    reindex.line(&["the index is empty"]);
    assert!(reindex.wait().success());
    let node = Process::start(&["console"], &environment);
    node.line(&["required arguments were not provided"]);
    node.line(&["--cloud"]);
    assert!(!node.wait().success());
}
