//! `sillage doctor` finds each of a table of faults, and none in a healthy system (O-05).

#![expect(clippy::duplicate_mod, reason = "the node and the console both use `disk.rs`")]
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[path = "support/node.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod node;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use console::{Access, Secrets};
use node::Node;
use platform::db::{Db, params};
use platform::testing::{NatsServer, TestDb, TestMailServer};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use serde_json::Value;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_sillage");
const PASSWORD: &str = "Correct-Horse-1";

/// A cloud's database, and a folder for other files.
struct Cloud {
    folder: TempDir,
    database: String,
    /// What `init` printed.
    printed: String,
}

fn run(arguments: &[&str], environment: &[(&str, &str)], input: &str) -> Output {
    let mut child = Command::new(BINARY)
        .args(arguments)
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

impl Cloud {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite:{}", folder.path().join("cloud.db").display());
        Self::init(folder, database)
    }

    fn init(folder: TempDir, database: String) -> Self {
        let person = ["--admin", "ada@example.com", "--firstname", "Ada", "--lastname", "Marsh"];
        let output = run(&[&["cloud", "init", "--database", &database][..], &person].concat(), &[], PASSWORD);
        assert!(output.status.success(), "{}", text(&output.stderr));
        Self { folder, database, printed: text(&output.stdout).to_owned() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }

    fn printed(&self, name: &str) -> String {
        let line = self.printed.lines().find_map(|line| line.trim().strip_prefix(name));
        line.unwrap().trim().to_owned()
    }

    /// The options of a console at a cloud.
    fn console(&self, cloud: &str, secret: &str) -> Vec<String> {
        let access = Access {
            app_id: self.printed("Application"),
            app_secret: secret.to_owned(),
            email: self.printed("Console's account"),
            password: self.printed("its password"),
            token_key: "0a".repeat(32),
        };
        let database = format!("sqlite:{}", self.path().join("console.db").display());
        let secrets = Secrets::write(self.path(), &access.app_secret, &access.password, &access.token_key);
        let options = [
            ("--database", &*database),
            ("--cloud", cloud),
            ("--app-id", &access.app_id),
            ("--service-email", &access.email),
        ];
        let options = options.map(|(flag, value)| [flag.to_owned(), value.to_owned()]);
        options.into_iter().chain(secrets.arguments()).flatten().collect()
    }

    /// The findings of the doctor about this cloud, and whether it exits with 0.
    fn examine(&self, before: &[&str], options: &[&str], environment: &[(&str, &str)]) -> (bool, Vec<Value>) {
        let database = match options.contains(&"--database") {
            true => vec![],
            false => vec!["--database", &*self.database],
        };
        doctor(&[before, &["cloud"], &database, options].concat(), environment)
    }
}

fn doctor(options: &[&str], environment: &[(&str, &str)]) -> (bool, Vec<Value>) {
    let space = if options.contains(&"--free-space") { &[][..] } else { &["--free-space", "1"] };
    let output = run(&[&["doctor", "--json"], space, options].concat(), environment, "");
    let findings = serde_json::from_slice(&output.stdout);
    (output.status.success(), findings.unwrap_or_else(|_| panic!("{options:?}: {}", text(&output.stderr))))
}

/// Asserts that there is one fault, of this check, with advice.
fn assert_fault(examined: (bool, Vec<Value>), check: &str, expected: &str, case: &str) {
    let (healthy, findings) = examined;
    let faults: Vec<&Value> = findings.iter().filter(|finding| finding["state"] == "fault").collect();
    let [fault] = faults[..] else { panic!("{case}: {findings:#?}") };
    let result = fault["result"].as_str().unwrap();
    assert!(!healthy && fault["check"] == check && result.contains(expected), "{case}: {fault}");
    assert!(fault["advice"].as_str().is_some_and(|advice| !advice.is_empty()), "{case}: {fault}");
    assert!(!fault.to_string().contains("hush"), "{case}: {fault}");
}

/// A server that sends a line to every client at once, and answers every line with another one.
fn server(greeting: &'static str, answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let _ = client.write_all(greeting.as_bytes());
            let lines = BufReader::new(client.try_clone().unwrap()).lines();
            for _ in lines.map_while(Result::ok) {
                let _ = client.write_all(answer.as_bytes());
            }
        }
    });
    port
}

/// The options of cloud or console for this mail server.
fn mail_options(host: &str, port: &str, security: &str) -> Vec<String> {
    let options = ["--smtp-host", host, "--smtp-port", port, "--smtp-security", security];
    [&options[..], &["--smtp-from", "Sillage <a@example.com>"]].concat().into_iter().map(str::to_owned).collect()
}

fn silent() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// A certificate and its key, valid from and until the first day of these years.
fn certificate(from: i32, until: i32) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(until, 1, 1);
    (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
}

#[test]
fn faults_of_the_configuration_are_found() {
    let cloud = Cloud::new();
    let unknown = cloud.file("unknown.toml", "[cloud]\nlisetn = 'hush'\n");
    let broken = cloud.file("broken.toml", "[cloud]\nlisten = hush\n");
    let secret =
        ["--smtp-host", "127.0.0.1", "--smtp-from", "a@b", "--smtp-user", "u", "--smtp-password-file", "/nowhere"];
    for (before, options, environment, expected) in [
        (
            &["--config", &unknown][..],
            &[][..],
            &[][..],
            "unknown key lisetn in [cloud]; the nearest known one is listen",
        ),
        (&["--config", &broken], &[], &[], "line 2 is not valid TOML"),
        (&[], &[], &[("SILLAGE_LISETN", "hush")], "the nearest known one is SILLAGE_LISTEN"),
        (&[], &["--user-rate", "0"], &[], "invalid value '0' for '--user-rate"),
        (&[], &["--smtp-host", "h"], &[], "--smtp-from"),
        (&[], &secret, &[], "--smtp-password-file: cannot read /nowhere"),
        (&[], &["--database-file", "/nowhere/url"], &[], "cannot be used with"),
    ] {
        let found = cloud.examine(before, options, environment);
        assert_fault(found, "configuration", expected, expected);
    }
    let found = doctor(&["--config", &unknown], &[]);
    assert_fault(found, "configuration", "unknown key lisetn", "no server");
    let found = doctor(&[], &[]);
    assert_fault(found, "configuration", "name a server", "nothing to check");
    let output = run(&["doctor", "cloud", "--database", &cloud.database, "--user-rate", "0"], &[], "");
    let printed = text(&output.stdout);
    assert!(printed.starts_with("FAULT  cloud    configuration  invalid value '0'"), "{printed}");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), "sillage: 1 fault\n"));
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn faults_of_a_database_are_found() {
    let cloud = Cloud::new();
    let nowhere = format!("sqlite:{}", cloud.path().join("nowhere.db").display());
    let garbage = format!("sqlite:{}", cloud.file("garbage.db", "hush".repeat(1000)));
    let empty = format!("sqlite:{}", cloud.file("empty.db", ""));
    let consoles = format!("sqlite:{}", cloud.path().join("console.db").display());
    assert!(run(&["console", "init", "--database", &consoles], &[], "").status.success());
    let closed = format!("postgres://sillage:hush@{}/cloud", silent());
    for (database, check, expected) in [
        (&*nowhere, "database", "nowhere.db"),
        (&garbage, "database", "not a database"),
        (&consoles, "database", "this is the database of the console"),
        (&closed, "database", ""),
        ("mysql://hush@h/cloud", "database", "must start with sqlite: or postgres:"),
    ] {
        let (healthy, findings) = cloud.examine(&[], &["--database", database], &[]);
        let fault = findings.iter().find(|finding| finding["state"] == "fault").unwrap();
        assert!(!healthy && fault["check"] == check, "{database}: {fault}");
        assert!(fault["result"].as_str().unwrap().contains(expected), "{database}: {fault}");
        assert!(!fault.to_string().contains("hush"), "{fault}");
    }
    assert!(!cloud.path().join("nowhere.db").exists(), "nothing is created");
    let (_, findings) = cloud.examine(&[], &["--database", &empty], &[]);
    assert!(findings.iter().any(|finding| finding["result"] == "this database is empty"), "{findings:?}");

    let db = Db::connect_existing(&cloud.database).await.unwrap();
    let newer = "delete from _sqlx_migrations where version = 9999";
    for (damage, repair, check, expected) in [
        (
            vec![
                "create table known as select checksum from _sqlx_migrations",
                "update _sqlx_migrations set checksum = x'00'",
            ],
            vec!["update _sqlx_migrations set checksum = (select checksum from known)", "drop table known"],
            "database",
            "made by an earlier build of Sillage, before 0.1.0: remove it or name another one",
        ),
        (
            vec![
                "insert into _sqlx_migrations (version, description, success, checksum, execution_time) values (9999, '', true, x'', 0)",
            ],
            vec![newer],
            "database",
            "newer than this program",
        ),
        (
            vec!["update _sqlx_migrations set installed_on = '2099-01-01 00:00:00' where version = 1"],
            vec!["update _sqlx_migrations set installed_on = '2026-01-01 00:00:00' where version = 1"],
            "clock",
            "behind the last migration",
        ),
    ] {
        for sql in damage {
            db.execute(sql, params![]).await.unwrap();
        }
        assert_fault(cloud.examine(&[], &[], &[]), check, expected, expected);
        for sql in repair {
            db.execute(sql, params![]).await.unwrap();
        }
    }
    db.close().await;
    let found = cloud.examine(&["--free-space", "1000000000"], &[], &[]);
    assert_fault(found, "free space", "MiB left", "free space");

    let path = cloud.database.trim_start_matches("sqlite:");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).foreign_keys(false);
    let mut raw = sqlx::ConnectOptions::connect(&options).await.unwrap();
    let sql = "insert into application (oem_id, app_id, name, secret_hash, created_at) values (77, 'x', 'x', 'x', 0)";
    sqlx::query(sql).execute(&mut raw).await.unwrap();
    sqlx::Connection::close(raw).await.unwrap();
    assert_fault(cloud.examine(&[], &[], &[]), "integrity", "a row of application refers", "integrity");
}

#[tokio::test]
async fn faults_of_mail_texts_and_bus_are_found() {
    let cloud = Cloud::new();
    let closed = silent();
    let closed = closed.rsplit(':').next().unwrap();
    let refusing = server("554 No service\r\n", "221 Bye\r\n");
    let plain = server("220 Hello\r\n", "250 Hello\r\n");
    let gateway = |answer: &'static str| {
        let url = format!("http://127.0.0.1:{}/messages", server("", answer));
        ["--sms-gateway-account", "a", "--sms-from", "Sillage", "--sms-gateway-url", &url].map(str::to_owned).to_vec()
    };
    let bus = |address: &str| ["--bus", address].map(str::to_owned).to_vec();
    for (options, check, expected) in [
        (mail_options("127.0.0.1", closed, "none"), "mail", "refused"),
        (mail_options("127.0.0.1", &refusing, "none"), "mail", "554"),
        (mail_options("127.0.0.1", &plain, "starttls"), "mail", "STARTTLS"),
        (
            [mail_options("127.0.0.1", closed, "starttls"), vec!["--smtp-ca".into(), "/dev/null".into()]].concat(),
            "mail",
            "no usable certificate",
        ),
        (
            gateway("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n"),
            "text gateway",
            "rejected the account (401",
        ),
        (gateway("HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n"), "text gateway", "answered 503"),
        (gateway("HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n"), "text gateway", "answered 302"),
        (bus(&format!("nats://hush@127.0.0.1:{closed}")), "bus", "cannot be used"),
        (bus("postgres"), "bus", "needs a PostgreSQL database"),
    ] {
        let words: Vec<&str> = options.iter().map(String::as_str).collect();
        let found = cloud.examine(&[], &words, &[("SILLAGE_SMS_GATEWAY_TOKEN", "hush")]);
        assert_fault(found, check, expected, &options.join(" "));
    }
}

#[test]
fn faults_of_the_certificate_are_found() {
    let cloud = Cloud::new();
    let files = |name: &str, (certificate, key): (String, String)| {
        [cloud.file(&format!("{name}.pem"), certificate), cloud.file(&format!("{name}.key"), key)]
    };
    let good = files("good", certificate(2020, 2120));
    let [other, expired, future] = [("other", 2020, 2120), ("expired", 2020, 2021), ("future", 2100, 2120)]
        .map(|(name, from, until)| files(name, certificate(from, until)));
    for (certificate, key, expected) in [
        (&good[0], &other[1], "does not belong to the certificate"),
        (&expired[0], &expired[1], "expired at 2021-01-01"),
        (&future[0], &future[1], "is valid from 2100-01-01"),
        (&good[1], &good[1], "contains no usable certificate"),
        (&good[0], &good[0], "contains no usable private key"),
        (&"/nowhere.pem".to_owned(), &good[1], "cannot read /nowhere.pem"),
    ] {
        let options = ["--mqtts-listen", "127.0.0.1:0", "--mqtts-cert", certificate, "--mqtts-key", key];
        assert_fault(cloud.examine(&[], &options, &[]), "certificate", expected, expected);
    }
}

#[tokio::test]
async fn faults_of_a_console_are_found_and_a_healthy_one_has_none() {
    let cloud = Cloud::new();
    let node = Node::start(&cloud.database, cloud.path()).await;
    let secret = cloud.printed("its secret");
    let examine = |options: &[String]| {
        let words: Vec<&str> = options.iter().map(String::as_str).collect();
        doctor(&[&["console"], &words[..]].concat(), &[])
    };
    let good = cloud.console(&node.url, &secret);
    let database = good[1].clone();
    assert!(run(&["console", "init", "--database", &database], &[], "").status.success());
    let (healthy, findings) = examine(&good);
    assert!(healthy, "{findings:#?}");
    assert!(findings.iter().all(|finding| finding["state"] != "fault"), "{findings:#?}");

    let unreachable = cloud.console(&format!("http://{}", silent()), &secret);
    assert_fault(examine(&unreachable), "cloud", "cannot be reached (--cloud)", "unreachable");
    let wrong = cloud.console(&node.url, "wrong");
    assert_fault(examine(&wrong), "cloud", "--app-secret-file", "secret");

    let mail = |host: &str, port: &str, security: &str| {
        [cloud.console(&node.url, &secret), mail_options(host, port, security)].concat()
    };
    let refusing = server("554 No service\r\n", "221 Bye\r\n");
    assert_fault(examine(&mail("127.0.0.1", &refusing, "none")), "mail", "554", "refusing");
    let inbox = TestMailServer::start(&[]);
    let (healthy, findings) = examine(&mail("127.0.0.1", &inbox.port.to_string(), "none"));
    assert!(healthy, "{findings:#?}");
    assert_eq!(inbox.stop().len(), 0, "no mail is sent");

    let (certificate, key) = certificate(2020, 2120);
    let (certificate, key) = (cloud.file("mail.pem", certificate), cloud.file("mail.key", key));
    for (tls, security) in [("wrapped", "tls"), ("starttls", "starttls")] {
        let inbox = TestMailServer::start(&["--tls", tls, "--cert", &certificate, "--key", &key]);
        let options = mail("localhost", &inbox.port.to_string(), security);
        assert_fault(examine(&options), "mail", "UnknownIssuer", tls);
        let trusting = |file: &str| [options.clone(), vec!["--smtp-ca".to_owned(), file.to_owned()]].concat();
        let (healthy, findings) = examine(&trusting(&certificate));
        assert!(healthy, "{findings:#?}");
        assert_fault(examine(&trusting("/dev/null")), "mail", "no usable certificate", tls);
    }

    let insecure = [cloud.console(&node.url, &secret), vec!["--listen".into(), "0.0.0.0:0".into()]].concat();
    assert_fault(examine(&insecure), "configuration", "--listen", "listen");
}

/// Configures everything, and asserts that all of it works but these checks, each with its fault.
async fn complete_cloud_has_no_other_faults(cloud: Cloud, faults: &[(&str, &str)]) {
    let (mail, nats) = (TestMailServer::start(&[]), NatsServer::start());
    let gateway = format!("http://127.0.0.1:{}/messages", server("", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
    let token = cloud.file("token", "hush");
    let (certificate, key) = certificate(2020, 2120);
    let (certificate, key) = (cloud.file("cert.pem", certificate), cloud.file("key.pem", key));
    let config = format!(
        "[cloud]\ndatabase = '{}'\nbus = '{}'\nsmtp-host = '127.0.0.1'\nsmtp-port = {}\nsmtp-security = 'none'\n\
         smtp-from = 'a@example.com'\nsms-gateway-url = '{gateway}'\nsms-gateway-account = 'a'\nsms-from = 'Sillage'\n\
         sms-gateway-token-file = '{token}'\nmqtts-listen = '127.0.0.1:0'\nmqtts-cert = '{certificate}'\n\
         mqtts-key = '{key}'\ntls-cert = '{certificate}'\ntls-key = '{key}'\n",
        cloud.database,
        nats.url(),
        mail.port,
    );
    let config = cloud.file("sillage.toml", config);
    let (healthy, findings) = doctor(&["--config", &config], &[]);
    assert_eq!(healthy, faults.is_empty(), "{findings:#?}");
    let checks: Vec<&str> = findings.iter().map(|finding| finding["check"].as_str().unwrap()).collect();
    let expected = [
        "configuration",
        "database",
        "integrity",
        "clock",
        "history",
        "free space",
        "bus",
        "mail",
        "text gateway",
        "certificate",
        "https",
    ];
    assert_eq!(checks, expected);
    let is_postgres = cloud.database.starts_with("postgres");
    for finding in &findings {
        let fault = faults.iter().find(|(check, _)| finding["check"] == *check);
        let state = match fault {
            Some(_) => "fault",
            None if finding["check"] == if is_postgres { "free space" } else { "history" } => "skipped",
            None => "ok",
        };
        let text = fault.map_or("", |(_, text)| text);
        assert!(finding["state"] == state && finding["result"].as_str().unwrap().contains(text), "{finding}");
    }
    // It checks the same again, beside a node, in words.
    let node = Node::start_with(&cloud.database, cloud.path(), &["--bus", &nats.url()]).await;
    let output = run(&["doctor", "--free-space", "1"], &[("SILLAGE_CONFIG", &config)], "");
    let printed = text(&output.stdout);
    assert_eq!(output.status.success(), faults.is_empty(), "{printed}");
    assert_eq!(printed.lines().filter(|line| line.starts_with("FAULT")).count(), faults.len(), "{printed}");
    assert!(node.stop().success());
    assert_eq!(mail.stop().len(), 0, "no mail is sent");
}

#[tokio::test]
async fn healthy_cloud_has_no_fault() {
    complete_cloud_has_no_other_faults(Cloud::new(), &[]).await;
}

// The server of tests is faster without fsync.
#[tokio::test]
async fn missing_fsync_is_the_only_fault_on_postgres() {
    let db = TestDb::postgres().await;
    let cloud = Cloud::init(tempfile::tempdir().unwrap(), db.url.clone());
    complete_cloud_has_no_other_faults(cloud, &[("integrity", "fsync is off")]).await;
}
