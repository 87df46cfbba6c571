//! Wrong settings whose first error used to lead elsewhere (OO-06).

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use rcgen::generate_simple_self_signed;

use crate::console::{Access, Secrets};
use crate::process::{BINARY, Process, fail, field, silent};
use crate::support::Demo;
use crate::{ANY, sqlite};

/// A web server that knows no address, such as Prometheus.
fn web_server() -> String {
    let listener = TcpListener::bind(ANY).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let mut lines = BufReader::new(client.try_clone().unwrap()).lines().map_while(Result::ok);
            if lines.any(|line| line.is_empty()) {
                let answer = "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 19\r\n\
                              connection: close\r\n\r\n404 page not found\n";
                let _ = client.write_all(answer.as_bytes());
            }
        }
    });
    address
}

/// The arguments of a console at this cloud.
fn console(folder: &Path, cloud: &str, access: &Access) -> Vec<String> {
    let secrets = Secrets::write(folder, &access.app_secret, &access.password, &access.token_key);
    let database = sqlite(folder, "node.db");
    let rest = ["console", "--listen", ANY, "--database", &database, "--cloud", cloud, "--app-id", &access.app_id];
    let rest = rest.into_iter().chain(["--service-email", &access.email]).map(str::to_owned);
    rest.chain(secrets.arguments().flatten()).collect()
}

fn words(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// What the doctor finds wrong with the cloud of this console.
fn finding(console: &[String]) -> String {
    let options = console.iter().filter(|word| *word != "--listen" && *word != ANY);
    let output = Command::new(BINARY).args(["doctor", "--free-space", "1"]).args(options).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.lines().find(|line| line.starts_with("FAULT  console  cloud ")).unwrap_or_default().to_owned()
}

fn unknown() -> Access {
    Access {
        app_id: "sillage".into(),
        app_secret: "hush".into(),
        email: "service@example.com".into(),
        password: "hush".into(),
        token_key: "0a".repeat(32),
    }
}

#[tokio::test]
async fn server_that_is_no_device_cloud_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let access = Access::of_demo(folder.path());
    let with_path = format!("{}/api", demo.ready()["cloud"].as_str().unwrap());
    let console_itself = demo.ready()["console"].as_str().unwrap().to_owned();
    for cloud in [web_server(), with_path, console_itself] {
        let console = console(folder.path(), &cloud, &access);
        let expected = "the server at this address is not a device cloud (--cloud)";
        let stderr = fail(&words(&console), &[]);
        assert!(stderr.contains(expected), "{cloud}: {stderr}");
        assert!(finding(&console).contains(expected), "{cloud}: {}", finding(&console));
    }
}

#[tokio::test]
async fn locked_service_account_is_not_reported_as_wrong_password() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    let access = Access::of_demo(folder.path());
    let wrong = Access { password: "Wrong-Horse-1".to_owned(), ..Access::of_demo(folder.path()) };
    let wrong = console(folder.path(), cloud, &wrong);
    let mut refusals = Vec::new();
    while !refusals.last().is_some_and(|refusal: &String| refusal.contains("is locked")) {
        assert!(refusals.len() < 10, "{refusals:?}");
        refusals.push(fail(&words(&wrong), &[]));
    }
    for word in ["--service-password-file", "--service-email", "sillage cloud user unlock"] {
        assert!(refusals.last().unwrap().contains(word), "{refusals:?}");
    }
    let database = sqlite(folder.path(), "cloud.db");
    let unlock = ["cloud", "user", "unlock", &access.email, "--database", &database];
    assert!(Command::new(BINARY).args(unlock).output().unwrap().status.success());
    let right = console(folder.path(), cloud, &access);
    Process::start(&words(&right), &[]).line(&["the console is listening"]);
}

#[test]
fn scheme_and_issuer_of_the_cloud_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let certified = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let [certificate, key] = [("cert.pem", certified.cert.pem()), ("key.pem", certified.signing_key.serialize_pem())]
        .map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        });
    let database = sqlite(folder.path(), "cloud.db");
    let options = ["cloud", "--listen", ANY, "--mqtt-listen", ANY, "--database", &database];
    let cloud = Process::start(&[&options[..], &["--tls-cert", &certificate, "--tls-key", &key]].concat(), &[]);
    let ready = cloud.line(&["the cloud is ready"]);
    let port = field(&ready, "cloud").rsplit(':').next().unwrap();
    for (address, expected) in [
        (format!("http://127.0.0.1:{port}"), "(--cloud): does its address begin with https://?"),
        (format!("https://localhost:{port}"), "name its file in the environment variable SSL_CERT_FILE"),
    ] {
        let console = console(folder.path(), &address, &unknown());
        assert!(finding(&console).contains(expected), "{address}: {}", finding(&console));
        Process::start(&words(&console), &[]).line(&["ERROR", "(--cloud)", expected]);
    }
}

#[test]
fn address_of_a_database_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let (closed, target) = (silent(), folder.path().join("backup"));
    let target = target.to_str().unwrap();
    let special = format!("postgres://sillage:hu/sh@{closed}/cloud");
    let refused = format!("postgres://sillage:hush@{closed}/cloud");
    let missing = format!("sqlite:{}", folder.path().join("missing.db").display());
    let at = format!("cannot connect to PostgreSQL at {closed}: Connection refused");
    let console = |database: &str| {
        let mut arguments = console(folder.path(), "http://127.0.0.1:9", &unknown());
        let at = arguments.iter().position(|word| word == "--database").unwrap() + 1;
        arguments[at] = database.to_owned();
        arguments
    };
    let cloud = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for (arguments, expected) in [
        (cloud(&["cloud", "--database", &special]), &["--database", "%2F for /", "%40 for @", "%3A for :"][..]),
        (console(&special), &["--database", "%2F for /", "%40 for @", "%3A for :"]),
        (cloud(&["cloud", "user", "list", "--database", &special]), &["--database", "%2F for /"]),
        (cloud(&["cloud", "--database", &refused]), &["--database", &at]),
        (console(&refused), &["--database", &at]),
        (cloud(&["backup", "--to", target, "--database", &refused]), &["--database", "sqlite:PATH", "use pg_dump"]),
        (cloud(&["backup", "--to", target, "--database", &missing]), &["--database: cannot open", "missing.db"]),
    ] {
        let stderr = fail(&words(&arguments), &[]);
        assert!(expected.iter().all(|word| stderr.contains(word)), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("hu/sh") && !stderr.contains("hush"), "{stderr}");
    }
}

#[test]
fn closed_output_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(BINARY);
    let output = command.args(["config", "example"]).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn variables_of_programs_that_use_the_api_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let database = sqlite(folder.path(), "cloud.db");
    let check = |variable: &str| {
        let mut command = Command::new(BINARY);
        command.args(["config", "check", "cloud", "--database", &database]).env(variable, "x").output().unwrap()
    };
    for known in ["SILLAGE_TOKEN", "SILLAGE_URL"] {
        let output = check(known);
        assert!(output.status.success(), "{known}: {}", String::from_utf8(output.stderr).unwrap());
    }
    let output = check("SILLAGE_TOKENS");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && stderr.contains("the nearest known one is SILLAGE_TOKEN"), "{stderr}");
}
