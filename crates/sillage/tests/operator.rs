//! The operator's commands (`sillage cloud init`, `user`, `role`, `application`, `device`, `outbox`), run with the real binary.

#![expect(clippy::duplicate_mod, reason = "the node and the console both use `disk.rs`")]
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "operator/budget.rs"]
mod budget;
#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[path = "operator/database_roles.rs"]
mod database_roles;
#[path = "operator/devices.rs"]
mod devices;
#[path = "operator/earlier_build.rs"]
mod earlier_build;
#[path = "operator/limits.rs"]
mod limits;
#[path = "operator/lists.rs"]
mod lists;
#[path = "operator/migrate.rs"]
mod migrate;
#[expect(dead_code, reason = "shared with other tests")]
#[path = "support/node.rs"]
mod node;
#[path = "operator/outbox.rs"]
mod outbox;
#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use node::Node;
use platform::testing::TestDb;
use reqwest::StatusCode;
use serde_json::json;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_sillage");
const PASSWORD: &str = "Correct-Horse-1";
const ADMIN: &str = "ada@example.com";
/// A phone number in France, without its country code.
const NUMBER: &str = "612345678";

/// A cloud's database, with a folder for other files.
struct Cloud {
    folder: TempDir,
    database: String,
}

struct CommandOutput {
    success: bool,
    out: String,
    err: String,
}

impl Cloud {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite:{}", folder.path().join("cloud.db").display());
        Self { folder, database }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Runs `sillage cloud …` with this text on standard input.
    fn run_with(&self, arguments: &[&str], input: &str) -> CommandOutput {
        let mut child = Command::new(BINARY)
            .arg("cloud")
            .args(arguments)
            .envs([("SILLAGE_DATABASE", &*self.database), ("SILLAGE_LOG", "trace")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Writing fails if the command rejects its arguments without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        CommandOutput { success: output.status.success(), out: text(output.stdout), err: text(output.stderr) }
    }

    fn run(&self, arguments: &[&str]) -> String {
        let CommandOutput { success, out, err } = self.run_with(arguments, "");
        assert!(success, "{arguments:?}: {err}");
        assert!(!err.contains('@') && !err.contains(NUMBER), "{arguments:?}: an address or a number in the log: {err}");
        out
    }

    fn rejected(&self, arguments: &[&str], input: &str) -> String {
        let CommandOutput { success, err, .. } = self.run_with(arguments, input);
        assert!(!success, "{arguments:?} succeeded");
        err
    }

    /// Runs `init` and returns its output.
    fn init(&self) -> String {
        let output = self.run_with(&["init", "--admin", ADMIN, "--firstname", "Ada", "--lastname", "Marsh"], PASSWORD);
        assert!(output.success, "{}", output.err);
        assert!(
            !output.err.contains(PASSWORD) && !output.out.contains(PASSWORD) && !output.err.contains(ADMIN),
            "{}",
            output.err
        );
        output.out
    }
}

/// The rest of the line that starts with `name`.
fn value<'t>(text: &'t str, name: &str) -> &'t str {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(name));
    line.unwrap_or_else(|| panic!("{name}: {text}")).trim()
}

async fn sign_in(
    url: &str,
    email: &str,
    password: &str,
    app_id: &str,
    secret: &str,
) -> (StatusCode, serde_json::Value) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let application = json!({ "app_id": app_id, "app_secret": secret });
    let body = json!({ "user": { "email": email, "password": password, "application": application } });
    let call = reqwest::Client::new().post(format!("{url}/users/sign_in.json")).json(&body);
    let answer = call.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn initialized_cloud_accepts_its_accounts(database: String) {
    let cloud = Cloud { database, ..Cloud::new() };
    let printed = cloud.init();
    let (app_id, secret) = (value(&printed, "Application"), value(&printed, "its secret"));
    let (service, service_password) = (value(&printed, "Console's account"), value(&printed, "its password"));
    let roles = cloud.run(&["role", "list"]);
    for (role, kind) in [
        ("OEM::Admin", "oem_admin"),
        ("OEM::Observer", "oem_observer"),
        ("OEM::ProlitecCommercial::CspAdmin", "partner_admin"),
        ("OEM::ProlitecCommercial::CspObserver", "partner_observer"),
        ("OEM::ProlitecCommercial::CspTech", "partner_technician"),
    ] {
        assert!(roles.lines().any(|line| line.starts_with(role) && line.contains(kind)), "{role}: {roles}");
    }
    assert!(cloud.run(&["application", "list"]).contains(app_id));

    let node = Node::start(&cloud.database, cloud.path()).await;
    for (email, password) in [(ADMIN, PASSWORD), (service, service_password)] {
        let (status, answer) = sign_in(&node.url, email, password, app_id, secret).await;
        assert_eq!((status, &answer["role"]), (StatusCode::OK, &json!("OEM::Admin")), "{email}");
    }

    let again = cloud.rejected(&["init", "--admin", ADMIN, "--firstname", "A", "--lastname", "B"], "Other-Horse-1");
    assert!(again.contains("already has users"), "{again}");

    let rotated = cloud.run(&["application", "rotate-secret", app_id]);
    assert_eq!(sign_in(&node.url, ADMIN, PASSWORD, app_id, secret).await.0, StatusCode::NOT_FOUND);
    assert_eq!(sign_in(&node.url, ADMIN, PASSWORD, app_id, value(&rotated, "Secret")).await.0, StatusCode::OK);

    let secret = value(&rotated, "Secret");
    let rotated = cloud.run(&["application", "rotate-secret", app_id, "--overlap", "24"]);
    for secret in [secret, value(&rotated, "Secret")] {
        assert_eq!(sign_in(&node.url, ADMIN, PASSWORD, app_id, secret).await.0, StatusCode::OK);
    }
    let listed = cloud.run(&["application", "list"]);
    assert!(listed.lines().any(|line| line.starts_with(app_id) && line.ends_with('Z')), "{listed}");
    cloud.run(&["application", "end-earlier-secret", app_id]);
    assert_eq!(sign_in(&node.url, ADMIN, PASSWORD, app_id, secret).await.0, StatusCode::NOT_FOUND);
    assert_eq!(sign_in(&node.url, ADMIN, PASSWORD, app_id, value(&rotated, "Secret")).await.0, StatusCode::OK);

    let added = cloud.run(&["application", "add", "Field tools"]);
    let (app_id, secret) = (value(&added, "Id"), value(&added, "Secret"));
    assert_eq!(sign_in(&node.url, ADMIN, PASSWORD, app_id, secret).await.0, StatusCode::OK);
}

#[tokio::test]
async fn initialized_cloud_accepts_its_accounts_on_sqlite() {
    let cloud = Cloud::new();
    initialized_cloud_accepts_its_accounts(cloud.database.clone()).await;
}

#[tokio::test]
async fn initialized_cloud_accepts_its_accounts_on_postgres() {
    let db = TestDb::postgres().await;
    initialized_cloud_accepts_its_accounts(db.url.clone()).await;
}

#[tokio::test]
async fn users_are_added_listed_locked_and_removed() {
    let cloud = Cloud::new();
    let printed = cloud.init();
    let (app_id, secret) = (value(&printed, "Application"), value(&printed, "its secret"));
    let node = Node::start(&cloud.database, cloud.path()).await;
    let email = "tessa@example.com";
    let status = async |password: &str| sign_in(&node.url, email, password, app_id, secret).await.0;

    let file = cloud.file("password", "Tessa-Secret-1\n");
    let technician = "OEM::ProlitecCommercial::CspTech";
    let add = ["user", "add", email, "--firstname", "Tessa", "--lastname", "Brandt", "--role", technician];
    let output = cloud.rejected(&add, PASSWORD);
    assert!(output.contains("--label is missing"), "{output}");
    let output = cloud.rejected(&[&add[..], &["--label", "ACME"]].concat(), PASSWORD);
    assert!(output.contains("has the label ACME yet. Add --new-partner"), "{output}");
    let add = [&add[..], &["--label", "ACME", "--new-partner", "--password-file", file.to_str().unwrap()]].concat();
    assert_eq!(cloud.run(&add), "Added.\n");
    assert_eq!(status("Tessa-Secret-1").await, StatusCode::OK);
    let output = cloud.rejected(&add, "");
    assert!(output.contains("address already exists"), "{output}");

    let listed = cloud.run(&["user", "list"]);
    let line = listed.lines().find(|line| line.starts_with(email)).unwrap();
    assert!(line.contains("Tessa Brandt") && line.ends_with(&format!("{technician} (ACME)")), "{line}");
    assert!(listed.lines().any(|line| line.starts_with("console-service@") && line.ends_with("machine")), "{listed}");

    let another =
        ["user", "add", "timo@example.com", "--firstname", "Timo", "--lastname", "Roth", "--role", technician];
    let output = cloud.rejected(&[&another[..], &["--label", "ACNE"]].concat(), PASSWORD);
    assert!(output.contains("has the label ACNE yet; the nearest label is ACME. Add --new-partner"), "{output}");
    let output = cloud.run_with(&[&another[..], &["--label", "ACME"]].concat(), PASSWORD);
    assert!(output.success, "{}", output.err);
    // `script` gives the command a terminal.
    for (answer, remains) in [("n\n", true), ("\n", true), ("y\n", false)] {
        let remove = format!("{BINARY} cloud user remove timo@example.com --database {}", cloud.database);
        let mut terminal = Command::new("script");
        let mut terminal =
            terminal.args(["-qec", &remove, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        terminal.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
        let asked = String::from_utf8(terminal.wait_with_output().unwrap().stdout).unwrap();
        assert!(asked.contains("Remove timo@example.com permanently, with all its data? [y/N]"), "{asked}");
        assert_eq!(cloud.run(&["user", "list"]).contains("timo@example.com"), remains, "{answer:?}: {asked}");
    }

    cloud.run(&["user", "lock", email]);
    assert_eq!(status("Tessa-Secret-1").await, StatusCode::UNAUTHORIZED);
    assert!(cloud.run(&["user", "list"]).lines().any(|line| line.starts_with(email) && line.ends_with("locked")));
    cloud.run(&["user", "unlock", email]);
    let output = cloud.run_with(&["user", "password", email], "Tessa-Secret-2\n");
    assert!(output.success && !output.err.contains("Tessa-Secret"), "{}", output.err);
    assert_eq!(status("Tessa-Secret-1").await, StatusCode::UNAUTHORIZED);
    assert_eq!(status("Tessa-Secret-2").await, StatusCode::OK);

    let output = cloud.rejected(&["role", "remove", technician], "");
    assert!(output.contains("is in use: people 1"), "{output}");
    let output = cloud.rejected(&["user", "remove", email], "y\n");
    assert!(output.contains("nothing was removed; --yes removes the account without asking"), "{output}");
    assert_eq!(status("Tessa-Secret-2").await, StatusCode::OK);
    assert_eq!(cloud.run(&["user", "remove", email, "--yes"]), "Removed.\n");
    assert_eq!(status("Tessa-Secret-2").await, StatusCode::UNAUTHORIZED);
    assert!(!cloud.run(&["user", "list"]).contains(email));
    assert_eq!(cloud.run(&["role", "remove", technician]), "Removed.\n");
    assert!(!cloud.run(&["role", "list"]).contains(technician));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn invalid_arguments_are_rejected_with_a_hint() {
    let cloud = Cloud::new();
    let output = cloud.rejected(&["user", "list"], "");
    assert!(output.contains("sillage cloud init"), "{output}");
    for arguments in [&["init"][..], &["init", "--admin", "ada", "--firstname", "A", "--lastname", "B"]] {
        let output = cloud.rejected(arguments, PASSWORD);
        assert!(output.contains("--admin"), "{output}");
    }
    let init = ["init", "--admin", ADMIN, "--firstname", "A", "--lastname", "B"];
    let output = cloud.rejected(&init, "\n");
    assert!(output.contains("the password is empty"), "{output}");
    let output = cloud.rejected(&init, "short\n");
    assert!(
        output.contains(
            "the password is rejected: Must be 8 to 128 characters; Must contain a number or special character; \
             Must contain an uppercase letter"
        ) && !output.contains("short"),
        "{output}"
    );
    let output = cloud.rejected(&[&init[..], &["--password", PASSWORD]].concat(), "");
    assert!(output.contains("unexpected argument '--password'"), "{output}");

    cloud.init();
    let nobody = "nobody@example.com";
    let person = ["user", "add", nobody, "--firstname", "N", "--lastname", "O"];
    let token = cloud.file("token", "hush").display().to_string();
    let gateway = ["--sms-gateway-account", "a", "--sms-gateway-token-file", &token];
    for (arguments, input, words) in [
        (&["user", "list", "--oem", "Nobody"][..], "", &["--oem", "Nobody"][..]),
        (&["user", "lock", nobody], "", &["no user with this address"]),
        (&["user", "lock", "console-service@machine.invalid"], "", &["machine account"]),
        (&["user", "password", nobody], PASSWORD, &["no user with this address"]),
        (&["user", "password", ADMIN], "password1\n", &["Must contain an uppercase letter"]),
        (&["user", "remove", nobody, "--yes"], "", &["no user with this address"]),
        (&["user", "remove", ADMIN, "--yes"], "", &["the last administrator cannot be removed"]),
        (&["user", "remove", "console-service@machine.invalid", "--yes"], "", &["machine account"]),
        (&["user", "add", "nobody"], "", &["not a mail address"]),
        (&[&person[..], &["--role", "Boss"]].concat(), PASSWORD, &["--role", "Boss", "role list"]),
        (&[&person[..], &["--role", "OEM::Admin", "--label", "A"]].concat(), PASSWORD, &["--label", "has none"]),
        (&person, "", &["the password is empty"]),
        (&person, "Passwords\n", &["the password is rejected", "Must contain a number or special character"]),
        (&person, &"x".repeat(1025), &["Must be 8 to 128 characters"]),
        (&["role", "add", "Boss", "--kind", "boss"], "", &["oem_admin", "partner_technician"]),
        (&["role", "add", "Boss", "--kind", "partner_admin"], "", &["--label-key is missing"]),
        (&["role", "add", "Boss", "--kind", "oem_admin", "--label-key", "k"], "", &["--label-key", "has none"]),
        (&["role", "add", "OEM::Admin", "--kind", "end_user"], "", &["already"]),
        (&["role", "add", " ", "--kind", "end_user"], "", &["the name is empty"]),
        (&["role", "remove", "Boss"], "", &["no role", "Boss"]),
        (&["role", "remove", "OEM::Admin"], "", &["OEM::Admin", "in use: people"]),
        (&["application", "add", " "], "", &["the name is empty"]),
        (&["application", "rotate-secret", "nothing"], "", &["no application"]),
        (&["application", "rotate-secret", "nothing", "--overlap", "721"], "", &["--overlap", "721"]),
        (&["application", "rotate-secret", "nothing", "--overlap=-1"], "", &["--overlap"]),
        (&["application", "end-earlier-secret", "nothing"], "", &["no application"]),
        (&["outbox", "show", "nothing"], "", &["no message nothing"]),
        (&["outbox", "retry", "nothing"], "", &["no message nothing"]),
        (&["outbox", "list", "--state", "lost"], "", &["kept", "waiting", "sent", "failed"]),
        (&["outbox", "test", "nobody"], "", &["not a mail address"]),
        (&["outbox", "test", "+33"], "", &["not a phone number"]),
        (&["--sms-gateway-url", "https://h"], "", &["--sms-gateway-account", "--sms-from"]),
        (&["--sms-from", "Us"], "", &["--sms-gateway-url"]),
        (
            &["--sms-gateway-url", "https://h", "--sms-gateway-account", "a", "--sms-from", "Us"],
            "",
            &["--sms-gateway-token-file", "SILLAGE_SMS_GATEWAY_TOKEN"],
        ),
        (
            &[&gateway[..], &["--sms-gateway-url", "http://sms.example.com", "--sms-from", "Us"]].concat(),
            "",
            &["(--sms-gateway-url)", "unencrypted"],
        ),
        (
            &[&gateway[..], &["--sms-gateway-url", "https://sms.example.com", "--sms-from", "33612345678"]].concat(),
            "",
            &["(--sms-from)", "+33612345678"],
        ),
        (&["--smtp-host", "127.0.0.1"], "", &["--smtp-from"]),
        (&["--smtp-host", "127.0.0.1", "--smtp-from", "nobody"], "", &["--smtp-from", "not a mail address"]),
        (
            &["--smtp-host", "h", "--smtp-from", "a@b", "--smtp-user", "u"],
            "",
            &["--smtp-password-file", "SILLAGE_SMTP_PASSWORD"],
        ),
        (&["--smtp-host", "h", "--smtp-from", "a@b", "--smtp-ca", "/nowhere"], "", &["--smtp-ca", "/nowhere"]),
        (&["--smtp-user", "u"], "", &["--smtp-host"]),
    ] {
        let output = cloud.rejected(arguments, input);
        assert!(words.iter().all(|word| output.contains(word)), "{arguments:?}: {output}");
    }
}
