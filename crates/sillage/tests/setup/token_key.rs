//! A wrong token key destroys nothing, and a rotation keeps what the former key encrypted (OO-01).

use std::path::{Path, PathBuf};
use std::process::Command;

use platform::db::params;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::client;
use crate::console::{Access, Console, Secrets};
use crate::process::{BINARY, fail};
use crate::support::{Demo, Person, page};

/// The bytes of the keys in hexadecimal digits.
const BYTES: [&str; 3] = ["11", "22", "33"];

/// The current key and an earlier one, as indexes of [`BYTES`].
type Keys = (usize, Option<usize>);

/// A cloud, and the database of a console with a session and an access token of 365 days.
struct World<'a> {
    folder: tempfile::TempDir,
    demo: Demo,
    database: &'a TestDb,
    person: Person,
    token: String,
}

impl<'a> World<'a> {
    /// With a console that has the first key.
    async fn start(database: &'a TestDb) -> (Self, Console) {
        let folder = tempfile::tempdir().unwrap();
        let demo = Demo::start(folder.path(), &[]);
        for (number, byte) in BYTES.iter().enumerate() {
            std::fs::write(file(folder.path(), number), byte.repeat(32)).unwrap();
        }
        let console = start(&demo, database, folder.path(), (0, None));
        let account = &demo.ready()["accounts"][0];
        let person = Person::sign_in_at(console.url(), account).await;
        let token = json!({
            "name": "Report", "rights": ["devices_read"], "expiresInDays": 365, "password": account["password"]
        });
        let token = person.post("/api/account/tokens", token).await["token"].as_str().unwrap().to_owned();
        (Self { folder, demo, database, person, token }, console)
    }

    fn console(&self, keys: Keys) -> Console {
        start(&self.demo, self.database, self.folder.path(), keys)
    }

    /// The statuses of requests with the session and the access token, whose rights were read long ago.
    async fn statuses(&self, console: &Console) -> [u16; 2] {
        self.database.execute("update sessions set access_read_at = 0", params![]).await.unwrap();
        let by_person = self.person.at(console.url()).status("/api/devices").await.unwrap();
        let by_program = client().get(format!("{}/api/devices", console.url())).bearer_auth(&self.token);
        [by_person, by_program.send().await.unwrap().status().as_u16()]
    }

    fn key_options(&self, keys: Keys) -> Vec<String> {
        let (current, earlier) = keys;
        let option = |flag: &str, key| [flag.to_owned(), file(self.folder.path(), key).display().to_string()];
        let current = [["--database".to_owned(), self.database.url.clone()], option("--token-key-file", current)];
        current.into_iter().chain(earlier.map(|key| option("--earlier-token-key-file", key))).flatten().collect()
    }

    /// The options of a console with these keys.
    fn options(&self, keys: Keys) -> Vec<String> {
        let access = Access::of_demo(self.folder.path());
        let secrets = Secrets::write(self.folder.path(), &access.app_secret, &access.password, &access.token_key);
        let secrets = secrets.arguments().filter(|[flag, _]| flag != "--token-key-file").flatten();
        let cloud = self.demo.ready()["cloud"].as_str().unwrap();
        let others = ["--cloud", cloud, "--app-id", &access.app_id, "--service-email", &access.email];
        self.key_options(keys).into_iter().chain(secrets).chain(others.map(str::to_owned)).collect()
    }

    /// What a console with these keys says instead of starting.
    fn refusal(&self, keys: Keys) -> String {
        let options = self.options(keys);
        let words = ["console", "--listen", crate::ANY].into_iter().chain(options.iter().map(String::as_str));
        fail(&words.collect::<Vec<_>>(), &[])
    }

    /// What the doctor finds about these keys.
    fn finding(&self, keys: Keys) -> Value {
        let mut command = Command::new(BINARY);
        let output =
            command.args(["doctor", "--json", "--free-space", "1", "console"]).args(self.options(keys)).output();
        let findings: Vec<Value> = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        findings.into_iter().find(|finding| finding["check"] == "token key").unwrap()
    }

    /// `sillage console reencrypt`: whether it succeeds, and what it prints.
    fn reencrypt(&self, keys: Keys, more: &[&str]) -> (bool, String) {
        let mut command = Command::new(BINARY);
        let output = command.args(["console", "reencrypt"]).args(self.key_options(keys)).args(more).output().unwrap();
        (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    }
}

fn file(folder: &Path, key: usize) -> PathBuf {
    folder.join(format!("{key}.key"))
}

fn start(demo: &Demo, database: &TestDb, folder: &Path, keys: Keys) -> Console {
    let (current, earlier) = keys;
    let access = Access { token_key: BYTES[current].repeat(32), ..Access::of_demo(folder) };
    let earlier = earlier.map(|key| file(folder, key).display().to_string());
    let earlier = earlier.iter().flat_map(|file| ["--earlier-token-key-file", file]).collect::<Vec<_>>();
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    Console::start_with(&database.url, cloud, &access, folder, "console", &earlier)
}

async fn console_with_a_wrong_key_does_not_start_and_loses_nothing(database: &TestDb) {
    let (world, console) = World::start(database).await;
    assert_eq!(world.statuses(&console).await, [200; 2]);
    assert!(console.stop().success());
    let refusal = world.refusal((1, None));
    assert!(refusal.contains("cannot start the console (--token-key-file): another key encrypted"), "{refusal}");
    let fault = world.finding((1, None));
    assert!(fault["state"] == "fault" && fault["advice"].as_str().unwrap().contains("--token-key-file"), "{fault}");
    for keys in [(0, None), (1, Some(0))] {
        assert_eq!(world.finding(keys)["state"], "ok");
    }
    let (succeeded, output) = world.reencrypt((1, None), &[]);
    assert!(!succeeded && output.contains("--token-key-file: another key encrypted"), "{output}");
    assert_eq!(world.statuses(&world.console((0, None))).await, [200; 2]);
}

async fn rotation_keeps_an_access_token_of_365_days(database: &TestDb) {
    let (world, console) = World::start(database).await;
    assert!(console.stop().success());
    for keys in [(0, Some(1)), (1, Some(0))] {
        let console = world.console(keys);
        assert_eq!(world.statuses(&console).await, [200; 2], "{keys:?}");
        assert!(console.stop().success());
    }
    assert!(world.refusal((1, None)).contains("(--token-key-file)"), "too early");
    let console = world.console((1, Some(0)));
    let (succeeded, output) = world.reencrypt((1, Some(0)), &[]);
    assert!(succeeded && output.contains("Nothing is left with another key"), "{output}");
    let sessions = output.lines().find(|line| line.starts_with("sessions and access tokens")).unwrap();
    assert_eq!(sessions.split_whitespace().skip(4).collect::<Vec<_>>(), ["2", "0", "0"], "{output}");
    assert_eq!(world.statuses(&console).await, [200; 2], "while a node runs");
    assert!(console.stop().success());
    let console = world.console((1, None));
    assert_eq!(world.statuses(&console).await, [200; 2]);
    // The row is created some milliseconds after its end was computed.
    let lifetime =
        "select (token_expires_at - created_at + 60000000) / 86400000000 from sessions where token_name is not null";
    assert_eq!(world.database.fetch_one::<(i64,)>(lifetime, params![]).await.unwrap().0, 365);
}

async fn running_console_without_the_key_is_not_ready_and_deletes_nothing(database: &TestDb) {
    let (world, console) = World::start(database).await;
    assert!(world.reencrypt((1, Some(0)), &[]).0);
    let (status, checks) = page(&format!("{}/readyz", console.url())).await;
    let checks: Value = checks.parse().unwrap();
    assert_eq!((status, &checks["token_key"], &checks["database"]), (503, &json!(false), &json!(true)));
    assert_eq!(world.statuses(&console).await, [503; 2]);
    assert!(console.stop().success());
    let console = world.console((1, None));
    assert_eq!(world.statuses(&console).await, [200; 2]);
    assert!(console.stop().success());

    // The key is lost.
    let (succeeded, output) = world.reencrypt((2, None), &["--discard"]);
    let sessions = output.lines().find(|line| line.starts_with("sessions and access tokens")).unwrap();
    assert_eq!(sessions.split_whitespace().skip(4).collect::<Vec<_>>(), ["0", "2", "0"], "{output}");
    assert!(succeeded);
    let console = world.console((2, None));
    assert_eq!(world.statuses(&console).await, [401; 2]);
    Person::sign_in_at(console.url(), &world.demo.ready()["accounts"][0]).await;
}

platform::on_both_databases!(
    console_with_a_wrong_key_does_not_start_and_loses_nothing,
    rotation_keeps_an_access_token_of_365_days,
    running_console_without_the_key_is_not_ready_and_deletes_nothing,
);
