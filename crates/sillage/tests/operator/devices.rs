//! Devices from their key list to their first command.

use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use platform::testing::TestDb;
use rumqttc::mqttbytes::v4::ConnectReturnCode;
use serde_json::{Value, json};

use super::console::{Access, Console};
use super::node::{Device, Node};
use super::support::Person;
use super::{ADMIN, BINARY, Cloud, PASSWORD, value};

const ADD: [&str; 3] = ["device", "add", "--keys"];

/// `sillage simulate`; killed on drop.
struct Diffuser(Child);

impl Diffuser {
    fn start(node: &Node, keys: &str, dsn: &str) -> Self {
        let mut command = Command::new(BINARY);
        command.args([
            "simulate",
            "--steady",
            "--link",
            &format!("mqtt://{}", node.link),
            "--keys",
            keys,
            "--dsn",
            dsn,
        ]);
        Self(command.env("SILLAGE_LOG", "error").stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Diffuser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The serial numbers and keys of a list.
fn listed_keys(path: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().skip(1).map(|line| line.split_once(',').unwrap());
    lines.map(|(dsn, key)| (dsn.to_owned(), key.to_owned())).collect()
}

/// The metrics of the node in this folder.
async fn metrics(cloud: &Cloud) -> String {
    let ready: Value = serde_json::from_slice(&std::fs::read(cloud.path().join("ready.json")).unwrap()).unwrap();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let response = reqwest::get(ready["metrics"].as_str().unwrap()).await.unwrap();
    response.text().await.unwrap()
}

fn key(digit: char) -> String {
    digit.to_string().repeat(64)
}

impl Cloud {
    fn list(&self, name: &str, devices: &[(&str, char)]) -> String {
        let lines: String = devices.iter().map(|(dsn, digit)| format!("{dsn},{}\n", key(*digit))).collect();
        self.file(name, &format!("dsn,key\n{lines}")).display().to_string()
    }

    /// Runs a command whose output may contain addresses, and returns it.
    fn out_of(&self, arguments: &[&str]) -> String {
        let output = self.run_with(arguments, "");
        assert!(output.success, "{arguments:?}: {}", output.err);
        output.out
    }

    /// The line of a device in `sillage cloud device list`.
    fn listed(&self, dsn: &str) -> String {
        let list = self.run(&["device", "list"]);
        let line = list.lines().find(|line| line.starts_with(dsn));
        line.unwrap_or_else(|| panic!("{dsn}: {list}")).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[expect(clippy::too_many_lines, reason = "one story")]
async fn added_devices_are_registered_in_the_console_and_apply_commands(database: String) {
    let cloud = Cloud { database, ..Cloud::new() };
    let printed = cloud.init();
    let node = Node::start(&cloud.database, cloud.path()).await;
    let access = Access {
        app_id: value(&printed, "Application").to_owned(),
        app_secret: value(&printed, "its secret").to_owned(),
        email: value(&printed, "Console's account").to_owned(),
        password: value(&printed, "its password").to_owned(),
        token_key: "0a".repeat(32),
    };
    let console_database = format!("sqlite:{}", cloud.path().join("console.db").display());
    let console = Console::start(&console_database, &node.url, &access, cloud.path(), "console");

    let keys = cloud.path().join("keys.csv").display().to_string();
    let output = cloud.run_with(&[&ADD[..], &[&keys, "--generate", "3"]].concat(), "");
    assert!(output.success && output.out.starts_with("Added 3."), "{}{}", output.out, output.err);
    assert_eq!(std::fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o600);
    let devices = listed_keys(&keys);
    assert_eq!(devices.len(), 3);
    for (dsn, key) in &devices {
        assert!(key.len() == 64 && !output.out.contains(key) && !output.err.contains(key), "{dsn}");
        assert_eq!(cloud.listed(dsn), format!("{dsn} Diffuser in stock Offline never"));
    }
    let again = cloud.rejected(&[&ADD[..], &[&keys, "--generate", "3"]].concat(), "");
    assert!(again.contains("keys.csv already exists"), "{again}");
    assert_eq!(listed_keys(&keys), devices);

    let (dsn, _) = &devices[0];
    let _diffuser = Diffuser::start(&node, &keys, dsn);
    while !cloud.listed(dsn).starts_with(&format!("{dsn} Diffuser in stock Online ")) {}

    let admin = Person::sign_in_at(console.url(), &json!({"email": ADMIN, "password": PASSWORD})).await;
    let fragrance = json!([{"Fragrance": "Cedar", "SKU": "C-1", "Density": "0.9", "AQ200w500": "0.4"}]);
    assert_eq!(admin.post("/api/import", fragrance).await["added"], 1);
    admin.post("/api/csps", json!({"name": "ACME"})).await;
    let form = json!({
        "dsn": dsn, "csp": "ACME", "serialNumber": "4711", "systemConfiguration": "AQ290", "fragrance": "Cedar",
        "customer": "Hotel Aurora", "timeZone": "Europe/Oslo", "serviceArea": "Lobby", "city": "Oslo", "country": "Norway",
    });
    let added = admin.post("/api/devices", form).await;
    assert_eq!((&added["dsn"], &added["customer"]), (&json!(dsn), &json!("Hotel Aurora")), "{added}");
    assert!(cloud.listed(dsn).starts_with(&format!("{dsn} Lobby registered Online ")), "{}", cloud.listed(dsn));
    let shown = cloud.run(&["device", "show", dsn]);
    assert_eq!((value(&shown, "Partner"), value(&shown, "Connection")), ("ACME", "Online"));

    let mut events = admin.events(dsn).await;
    admin.set(dsn, json!({"mode": 3, "intensity": 9})).await;
    let device = events.acknowledged(&admin, dsn, &["mode", "intensity"]).await;
    let command = &device["commands"]["intensity"];
    assert_eq!((&command["state"], &command["reported"]), (&json!("acknowledged"), &json!(9)), "{device}");

    let registrations = cloud.out_of(&["device", "registrations"]);
    let line = registrations.lines().nth(1).unwrap();
    assert!(line.contains(&format!("{dsn}  {ADMIN}")) && line.ends_with("registered"), "{registrations}");
    assert_eq!(cloud.out_of(&["device", "registrations", "--since", "2100-01-01"]).lines().count(), 1);
    let unknown = ["device", "release", "--registered-by", "nobody@example.com", "--since", "2026-01-01"];
    assert!(cloud.rejected(&unknown, "").contains("no user with this address"));
    let release = ["device", "release", "--registered-by", ADMIN, "--since", "2026-01-01"];
    let preview = cloud.out_of(&release);
    assert!(preview.contains(&**dsn) && preview.contains("Nothing was changed; --yes"), "{preview}");
    assert!(cloud.listed(dsn).contains(" registered "));
    assert_eq!(cloud.out_of(&[&release[..], &["--yes"]].concat()), "Returned to the stock: 1.\n");
    assert!(cloud.listed(dsn).contains(" in stock "), "{}", cloud.listed(dsn));
    let ended = cloud.out_of(&["device", "registrations", "--registered-by", ADMIN]);
    assert!(ended.lines().nth(1).unwrap().ends_with("ended"), "{ended}");
    assert_eq!(cloud.out_of(&[&release[..], &["--yes"]].concat()), "Returned to the stock: 0.\n");
}

#[tokio::test]
async fn added_devices_are_registered_in_the_console_and_apply_commands_on_sqlite() {
    let cloud = Cloud::new();
    added_devices_are_registered_in_the_console_and_apply_commands(cloud.database.clone()).await;
}

#[tokio::test]
async fn added_devices_are_registered_in_the_console_and_apply_commands_on_postgres() {
    let db = TestDb::postgres().await;
    added_devices_are_registered_in_the_console_and_apply_commands(db.url.clone()).await;
}

async fn blocked_devices_and_old_keys_are_disconnected_and_rejected(database: String) {
    let cloud = Cloud { database, ..Cloud::new() };
    cloud.init();
    let keys = cloud.list("keys.csv", &[("SL0001", 'a'), ("SL0002", 'b')]);
    assert_eq!(cloud.run(&[&ADD[..], &[&keys]].concat()), "Added 2.\n");
    let node = Node::start_with(&cloud.database, cloud.path(), &["--metrics-listen", "127.0.0.1:0"]).await;
    let sign_in = async |dsn: &str, key: &str| Device::sign_in(node.link, dsn, key).await.unwrap().err();
    let connected = async || Device::sign_in(node.link, "SL0001", &key('a')).await.unwrap().ok().unwrap();
    let refused = Some(ConnectReturnCode::NotAuthorized);

    let (device, mut neighbour) =
        (connected().await, Device::sign_in(node.link, "SL0002", &key('b')).await.unwrap().ok().unwrap());
    assert!(cloud.run(&["device", "block", "SL0001"]).starts_with("Blocked;"));
    device.closed().await;
    assert_eq!(sign_in("SL0001", &key('a')).await, refused);
    while !cloud.listed("SL0001").starts_with("SL0001 Diffuser in stock, blocked Offline ") {}
    assert!(value(&cloud.run(&["device", "show", "SL0001"]), "Blocked").ends_with('Z'));
    let is_refused_for = |reason: &str| cloud.run(&["device", "show", "SL0001"]).contains(&format!("Z: {reason}\n"));
    while !is_refused_for("blocked by an operator") {}
    assert!(cloud.run(&["device", "block", "SL0001"]).contains("was already blocked"));
    assert_eq!(cloud.run(&["device", "unblock", "SL0001"]), "Unblocked.\n");
    assert!(cloud.run(&["device", "unblock", "SL0001"]).contains("was not blocked"));

    let mut device = connected().await;
    let report = r#"{"properties": {"intensity": 7}, "sw_version": "link 1.3.2", "lan_ip": "192.168.1.20"}"#;
    device.report(report).await.unwrap();
    let shown = cloud.run(&["device", "show", "SL0001"]);
    assert_eq!((value(&shown, "Software"), value(&shown, "LAN address")), ("link 1.3.2", "192.168.1.20"));
    device.report(r#"{"properties": {"fan": 1, "intensity": 51, "board_temp": 41}}"#).await.unwrap();
    assert!(is_refused_for("intensity (value 2 of 3) is out of range (1 to 50)"));
    let shown = cloud.run(&["device", "show", "SL0001"]);
    let (_, faults) = shown.split_once("\n\n").unwrap();
    let faults: Vec<Vec<&str>> =
        faults.lines().map(|line| line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect()).collect();
    assert_eq!(faults[0], ["Not stored", "Kind", "Times", "Last", "Value"]);
    assert_eq!((&faults[1][..3], faults[1][4]), (&["board_temp", "unknown_property", "1"][..], "41"), "{shown}");
    assert_eq!((&faults[2][..3], faults[2][4]), (&["intensity", "out_of_range", "1"][..], "51"), "{shown}");
    let metrics = metrics(&cloud).await;
    for (kind, count) in [("unknown_property", 1), ("out_of_range", 1), ("wrong_type", 0)] {
        let series = format!("sillage_report_faults_total{{kind=\"{kind}\"}} {count}");
        assert!(metrics.lines().any(|line| line == series), "{series}");
    }
    let output = cloud.run_with(&["device", "rotate-key", "SL0001"], "");
    let new_key = value(&output.out, "Key").to_owned();
    assert!(output.success && new_key.len() == 64 && !output.err.contains(&new_key), "{}", output.err);
    device.closed().await;
    assert_eq!(sign_in("SL0001", &key('a')).await, refused);
    while !is_refused_for("wrong key") {}
    assert_eq!(sign_in("SL0001", &new_key).await, None);
    let output = cloud.rejected(&[&ADD[..], &[&keys]].concat(), "");
    assert!(output.contains("another key") && output.contains("SL0001") && !output.contains("SL0002"), "{output}");

    let output = cloud.rejected(&["device", "remove", "SL0002"], "");
    assert!(output.contains("is Online") && output.contains("device block"), "{output}");
    neighbour.report(r#"{"properties": {"intensity": 7}}"#).await.expect("other devices stay connected");
    cloud.run(&["device", "block", "SL0002"]);
    neighbour.closed().await;
    while !cloud.listed("SL0002").contains("Offline") {}
    assert_eq!(cloud.run(&["device", "remove", "SL0002"]), "Removed.\n");
    assert_eq!(sign_in("SL0002", &key('b')).await, refused);
    assert!(!cloud.run(&["device", "list"]).contains("SL0002"));
}

#[tokio::test]
async fn blocked_devices_and_old_keys_are_disconnected_and_rejected_on_sqlite() {
    let cloud = Cloud::new();
    blocked_devices_and_old_keys_are_disconnected_and_rejected(cloud.database.clone()).await;
}

#[tokio::test]
async fn blocked_devices_and_old_keys_are_disconnected_and_rejected_on_postgres() {
    let db = TestDb::postgres().await;
    blocked_devices_and_old_keys_are_disconnected_and_rejected(db.url.clone()).await;
}

#[test]
fn faulty_list_adds_nothing_and_repeated_list_adds_missing_devices() {
    let cloud = Cloud::new();
    let keys = cloud.list("keys.csv", &[("SL0001", 'a')]);
    let output = cloud.rejected(&[&ADD[..], &[&keys]].concat(), "");
    assert!(output.contains("sillage cloud init"), "{output}");
    cloud.init();
    cloud.run(&[&ADD[..], &[&keys]].concat());

    let faulty = cloud.file("faulty.csv", &format!("dsn,key\nSL0002,{0}\nSL0002,{0}\nSL0003,short\n", key('b')));
    let other = cloud.list("other.csv", &[("SL0004", 'd'), ("SL0001", 'b')]);
    let huge = cloud.file("huge.csv", &format!("dsn,key\n{}", "SL,\n".repeat(100_001)));
    let (faulty, huge) = (faulty.display().to_string(), huge.display().to_string());
    for (arguments, words) in [
        (&["add", "--keys", &faulty][..], &["line 3: SL0002 is already in line 2", "line 4: a key is 64"][..]),
        (&["add", "--keys", &other], &["nothing was added", "another key", "SL0001"]),
        (&["add", "--keys", &huge], &["--keys", "more than 100000"]),
        (&["add", "--keys", "/nowhere/keys.csv"], &["--keys", "/nowhere/keys.csv"]),
        (&["add", "--keys", "/nowhere/keys.csv", "--generate", "1"], &["--keys", "/nowhere/keys.csv"]),
        (&["add", "--keys", "/nowhere/keys.csv", "--generate", "0"], &["--generate"]),
        (&["add"], &["--keys"]),
        (&["show", "SL9"], &["there is no device", "SL9", "device list"]),
        (&["block", "SL9"], &["there is no device", "SL9"]),
        (&["unblock", "SL9"], &["there is no device", "SL9"]),
        (&["rotate-key", "SL9"], &["there is no device", "SL9"]),
        (&["remove", "SL9"], &["there is no device", "SL9"]),
        (&["list", "--oem", "Nobody"], &["--oem", "Nobody"]),
    ] {
        let output = cloud.rejected(&[&["device"], arguments].concat(), "");
        assert!(words.iter().all(|word| output.contains(word)), "{arguments:?}: {output}");
        assert!(!output.contains(&key('b')), "{arguments:?}: {output}");
    }
    let devices = |cloud: &Cloud| cloud.run(&["device", "list"]).lines().count() - 1;
    assert_eq!(devices(&cloud), 1);

    let more = cloud.list("more.csv", &[("SL0002", 'b'), ("SL0001", 'a'), ("SL0003", 'c')]);
    assert_eq!(cloud.run(&[&ADD[..], &[&more]].concat()), "Added 2; already present with the same key: 1.\n");
    assert_eq!(devices(&cloud), 3);
}

#[test]
fn setup_codes_are_generated_for_added_and_existing_devices() {
    let cloud = Cloud::new();
    cloud.init();
    let codes_of = |path: &str| {
        let codes = listed_keys(path);
        assert!(codes.iter().all(|(_, code)| code.len() == 14 && code.matches('-').count() == 2), "{codes:?}");
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        codes.into_iter().map(|(dsn, _)| dsn).collect::<Vec<_>>()
    };
    let list = |name: &str| cloud.path().join(name).display().to_string();
    let (first, second, third) = (list("first.csv"), list("second.csv"), list("third.csv"));

    let templates = cloud.run(&["template", "list"]);
    let line = templates.lines().nth(1).unwrap();
    let (template, state) = line.split_once("  ").unwrap();
    let settings: Vec<_> = state.split("  ").map(str::trim).collect();
    assert_eq!(settings, ["not required", "lenient", "up to 1200 s"], "{templates}");
    let keys = cloud.list("keys.csv", &[("SL0001", 'a'), ("SL0002", 'b')]);
    assert_eq!(cloud.run(&[&ADD[..], &[&keys]].concat()), "Added 2.\n");
    let keys = cloud.list("more.csv", &[("SL0003", 'c'), ("SL0004", 'd')]);
    let output = cloud.run_with(&[&ADD[..], &[&keys, "--setup-codes", &first]].concat(), "");
    assert!(output.out.starts_with("Added 2.\nSetup codes: 2."), "{}{}", output.out, output.err);
    assert_eq!(codes_of(&first), ["SL0003", "SL0004"]);

    let required = ["template", "set", template, "--setup-code", "required"];
    let output = cloud.run(&required);
    assert!(output.contains("Devices in stock without a setup code: 2") && output.contains("setup-codes"), "{output}");
    assert!(cloud.run(&["template", "list"]).lines().nth(1).unwrap().contains("  required "));
    let keys = cloud.list("last.csv", &[("SL0005", 'e')]);
    let output = cloud.run(&[&ADD[..], &[&keys]].concat());
    assert!(output.starts_with("Added 1.\nPartners need a setup code"), "{output}");

    let missing = ["device", "setup-codes", "--setup-codes"];
    let output = cloud.rejected(&[&missing[..], &[&first]].concat(), "");
    assert!(output.contains("first.csv already exists"), "{output}");
    assert!(cloud.run(&[&missing[..], &[&second]].concat()).starts_with("Setup codes: 3."));
    assert_eq!(codes_of(&second), ["SL0001", "SL0002", "SL0005"]);
    assert!(cloud.run(&[&missing[..], &[&third]].concat()).contains("no list was written"));
    assert!(!std::fs::exists(&third).unwrap());

    let rotated = cloud.run_with(&["device", "rotate-setup-code", "SL0001"], "");
    assert_eq!(value(&rotated.out, "Setup code").len(), 14, "{}", rotated.err);
    assert!(cloud.rejected(&["device", "rotate-setup-code", "SL9"], "").contains("there is no device"));
    let output = cloud.rejected(&["template", "set", "no such", "--setup-code", "required"], "");
    assert!(output.contains("there is no template \"no such\""), "{output}");
    assert_eq!(cloud.run(&["template", "set", template, "--setup-code", "not-required"]), "Changed.\n");
    assert_eq!(cloud.run(&["template", "set", template, "--reports", "strict"]), "Changed.\n");
    assert!(
        cloud.run(&["template", "list"]).lines().nth(1).unwrap().ends_with("  not required  strict   up to 1200 s")
    );
    assert_eq!(cloud.run(&["template", "set", template, "--keep-alive", "60"]), "Changed.\n");
    assert!(cloud.run(&["template", "list"]).lines().nth(1).unwrap().ends_with("  strict   up to 60 s"));
    for keep_alive in ["0", "1201", "65536", "-1", "1m", ""] {
        let output = cloud.rejected(&["template", "set", template, "--keep-alive", keep_alive], "");
        assert!(output.contains("keep-alive"), "{output}");
    }
    let output = cloud.rejected(&["template", "set", "no such", "--keep-alive", "60"], "");
    assert!(output.contains("there is no template \"no such\""), "{output}");
    assert!(cloud.rejected(&["template", "set", template], "").contains("--reports"));
}
