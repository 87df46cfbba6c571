//! Interoperability with Debian's mosquitto tools and its Python client, using only docs/device-link.md, with and without TLS.

use std::process::Output;

use cloud::operator::{NewDevice, Template, TemplateProperty};
use cloud::testing::{TestCloud, device_key};
use cloud::{BaseType, Direction, Limits};
use platform::testing::{PATIENCE, TestDb, until};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::join;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::api::Api;
use crate::page::DocumentedShell;
use crate::settings::in_paris;
use crate::tls::Authority;

platform::on_both_databases![
    example_commands_of_the_docs_run_a_device,
    example_commands_of_the_docs_run_a_device_over_tls,
    documented_refusals_are_refused,
    documented_refusals_are_refused_over_tls,
    example_device_of_the_docs_reports_and_obeys,
    example_device_of_the_docs_reports_and_obeys_over_tls,
];

const DSN: &str = "DEV-HAND";

async fn example_commands_of_the_docs_run_a_device(database: &TestDb) {
    assert_documented_commands_work(&NewDeveloper::new(database, false).await).await;
}

async fn example_commands_of_the_docs_run_a_device_over_tls(database: &TestDb) {
    assert_documented_commands_work(&NewDeveloper::new(database, true).await).await;
}

async fn documented_refusals_are_refused(database: &TestDb) {
    assert_documented_refusals(&NewDeveloper::new(database, false).await).await;
}

async fn documented_refusals_are_refused_over_tls(database: &TestDb) {
    assert_documented_refusals(&NewDeveloper::new(database, true).await).await;
}

async fn example_device_of_the_docs_reports_and_obeys(database: &TestDb) {
    assert_example_device_works(&NewDeveloper::new(database, false).await).await;
}

async fn example_device_of_the_docs_reports_and_obeys_over_tls(database: &TestDb) {
    assert_example_device_works(&NewDeveloper::new(database, true).await).await;
}

async fn assert_documented_commands_work(NewDeveloper { api, shell, .. }: &NewDeveloper) {
    let reported = shell.run("Report a level").await;
    assert_succeeds(&reported);
    assert!(text(&reported).contains("received PUBACK"), "{reported:?}");
    assert_eq!(api.property(DSN, "fragrance_remaining").await["value"], 64);

    let settings = shell.run("Read the settings").await;
    assert_succeeds(&settings);
    assert_eq!(payload(&settings), in_paris("2026-11-20T10:00:00Z"));

    // The command is issued while the device is subscribed.
    let issue_command = async {
        until(async || api.status(DSN).await == "Online").await;
        api.write(DSN, "fan", json!(3)).await
    };
    let (received, id) = join!(shell.run("Wait for a command"), issue_command);
    assert_succeeds(&received);
    let expected = json!({"id": id, "property": "fan", "value": 3, "created_at": "2026-11-20T10:00:00Z"});
    assert_eq!(payload(&received), expected);
    assert_eq!(api.property(DSN, "fan").await["command"]["state"], "pending");

    assert_succeeds(&shell.with("ID", id).run("Acknowledge it").await);
    let done = api.property(DSN, "fan").await;
    assert_eq!((&done["command"]["state"], &done["value"]), (&json!("acknowledged"), &json!(3)));
    api.goes_offline(DSN).await;
}

async fn assert_example_device_works(developer: &NewDeveloper) {
    let api = &developer.api;
    let mut device = developer.start_example();
    let works = async {
        until(async || api.property(DSN, "intensity").await["value"] == 20).await;
        api.write(DSN, "fan", json!(3)).await;
        until(async || api.property(DSN, "fan").await["command"]["state"] == "acknowledged").await;
        assert_eq!(api.property(DSN, "fan").await["value"], 3);
        // Beyond the range of the device.
        api.write(DSN, "intensity", json!(51)).await;
        until(async || api.property(DSN, "intensity").await["command"]["state"] == "failed").await;
    };
    timeout(PATIENCE, works).await.unwrap();
    device.kill().await.unwrap();
    api.goes_offline(DSN).await;
}

async fn assert_documented_refusals(NewDeveloper { api, shell, .. }: &NewDeveloper) {
    let rows = [
        ("A wrong key", 5, "not authorised"),
        ("Another device's topic", 7, "connection was lost"),
        ("A payload that is too large", 7, "connection was lost"),
        ("A value of another type", 0, ""),
        ("A subscription to other topics", 0, "denied"),
    ];
    for (command, status, message) in rows {
        let output = shell.run(command).await;
        let printed = text(&output).to_lowercase();
        assert_eq!((output.status.code(), printed.contains(message)), (Some(status), true), "{command}: {output:?}");
    }
    assert_eq!(api.property(DSN, "fragrance_remaining").await["value"], Value::Null);
    assert_eq!(api.property(DSN, "fan").await["value"], 2, "the other value of the report");
    assert_eq!(api.property("DEV-A1", "fan").await["value"], Value::Null);
}

/// A developer who has a dsn, its key and the documentation.
struct NewDeveloper {
    api: Api,
    shell: DocumentedShell,
    /// The arguments of the example device.
    arguments: Vec<String>,
    /// Contains the device's key.
    _folder: TempDir,
    _cloud: TestCloud,
    _authority: Authority,
}

impl NewDeveloper {
    async fn new(database: &TestDb, tls: bool) -> Self {
        let authority = Authority::new();
        let files = authority.issue();
        let cloud = TestCloud::start_with(|config| {
            config.database_url.clone_from(&database.url);
            config.link_tls = Some(files);
        })
        .await;
        let world = cloud.seed().await;
        let property = |name: &str| TemplateProperty {
            name: name.into(),
            display_name: name.into(),
            base_type: BaseType::Integer,
            direction: Direction::Input,
            ack_enabled: true,
            retention_days: 30,
            limits: Limits::default(),
        };
        let properties = ["fragrance_remaining", "current_state", "cycle", "intensity", "fan"].map(property).to_vec();
        let template = Template { name: "documented".into(), properties, schedules: vec![] };
        cloud.operator().ensure_template(&world.oem, &template).await.unwrap();
        let device = NewDevice {
            dsn: DSN.into(),
            template: "documented".into(),
            link_key: device_key(DSN).into(),
            registered: true,
            tz_id: Some("Europe/Paris".into()),
            ..NewDevice::default()
        };
        cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
        let address = if tls { cloud.link_tls_addr().unwrap() } else { cloud.link_addr() };
        let names = vec![
            ("HOST", address.ip().to_string()),
            ("PORT", address.port().to_string()),
            ("DSN", DSN.to_owned()),
            ("KEY", device_key(DSN)),
            ("CA", authority.file().display().to_string()),
        ];
        let folder = tempfile::tempdir().unwrap();
        let key_file = folder.path().join("key.txt");
        std::fs::write(&key_file, device_key(DSN)).unwrap();
        let mut arguments: Vec<String> =
            vec![address.ip().to_string(), address.port().to_string(), DSN.into(), key_file.display().to_string()];
        if tls {
            arguments.extend(["--ca".into(), authority.file().display().to_string()]);
        }
        let api = Api::new(&cloud, &world).await;
        let shell = DocumentedShell::new(tls, names);
        Self { api, shell, arguments, _folder: folder, _cloud: cloud, _authority: authority }
    }

    fn start_example(&self) -> Child {
        let mut python = Command::new("/usr/bin/python3");
        python.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/device.py")).args(&self.arguments);
        python.kill_on_drop(true).spawn().expect("Debian's Python: run `tools/setup rust`")
    }
}

fn assert_succeeds(output: &Output) {
    assert!(output.status.success(), "{output:?}");
}

fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

/// The topic and payload that `mosquitto_sub -v` prints.
fn payload(output: &Output) -> Value {
    let text = text(output);
    let (topic, payload) = text.trim().split_once(' ').expect("a topic and a payload");
    assert!(topic.starts_with(&format!("devices/{DSN}/")), "{topic}");
    serde_json::from_str(payload).unwrap()
}
