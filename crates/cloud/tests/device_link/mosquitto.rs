//! Interoperability with Debian's mosquitto tools, using only docs/device-link.md, with and without TLS.

use std::process::Output;

use cloud::operator::{NewDevice, Template, TemplateProperty};
use cloud::testing::{TestCloud, device_key};
use cloud::{BaseType, Direction, Limits};
use platform::testing::TestDb;
use serde_json::{Value, json};
use tokio::join;

use crate::api::Api;
use crate::page::Hand;
use crate::tls::Authority;

on_both_databases![
    example_commands_of_the_docs_run_a_device,
    example_commands_of_the_docs_run_a_device_over_tls,
    refusals_of_the_docs_are_refused,
    refusals_of_the_docs_are_refused_over_tls,
];

const DSN: &str = "DEV-HAND";

async fn example_commands_of_the_docs_run_a_device(database: &TestDb) {
    makes_a_device(&Stranger::new(database, false).await).await;
}

async fn example_commands_of_the_docs_run_a_device_over_tls(database: &TestDb) {
    makes_a_device(&Stranger::new(database, true).await).await;
}

async fn refusals_of_the_docs_are_refused(database: &TestDb) {
    is_refused(&Stranger::new(database, false).await).await;
}

async fn refusals_of_the_docs_are_refused_over_tls(database: &TestDb) {
    is_refused(&Stranger::new(database, true).await).await;
}

async fn makes_a_device(Stranger { api, hand, .. }: &Stranger) {
    let reported = hand.does("Report a level").await;
    assert_succeeds(&reported);
    assert!(text(&reported).contains("received PUBACK"), "{reported:?}");
    assert_eq!(api.property(DSN, "fragrance_remaining").await["value"], 64);

    let settings = hand.does("Read the settings").await;
    assert_succeeds(&settings);
    assert_eq!(payload(&settings), json!({"time_zone": "Europe/Paris", "time": "2026-11-20T10:00:00Z"}));

    // The command is issued while the device is subscribed.
    let command_is_given = async {
        while api.status(DSN).await != "Online" {}
        api.write(DSN, "fan", json!(3)).await
    };
    let (heard, id) = join!(hand.does("Wait for a command"), command_is_given);
    assert_succeeds(&heard);
    let expected = json!({"id": id, "property": "fan", "value": 3, "created_at": "2026-11-20T10:00:00Z"});
    assert_eq!(payload(&heard), expected);
    assert_eq!(api.property(DSN, "fan").await["command"]["state"], "pending");

    assert_succeeds(&hand.with("ID", id).does("Acknowledge it").await);
    let done = api.property(DSN, "fan").await;
    assert_eq!((&done["command"]["state"], &done["value"]), (&json!("acknowledged"), &json!(3)));
    api.goes_offline(DSN).await;
}

async fn is_refused(Stranger { api, hand, .. }: &Stranger) {
    let rows = [
        ("A wrong key", 5, "not authorised"),
        ("Somebody else's topic", 7, "connection was lost"),
        ("A payload that is too large", 7, "connection was lost"),
        ("A value of another type", 7, "connection was lost"),
        ("A subscription to others", 0, "denied"),
    ];
    for (what, status, says) in rows {
        let output = hand.does(what).await;
        let printed = text(&output).to_lowercase();
        assert_eq!((output.status.code(), printed.contains(says)), (Some(status), true), "{what}: {output:?}");
    }
    assert_eq!(api.property(DSN, "fragrance_remaining").await["value"], Value::Null);
    assert_eq!(api.property("DEV-A1", "fan").await["value"], Value::Null);
}

/// A developer who has a dsn, its key and the documentation.
struct Stranger {
    api: Api,
    hand: Hand,
    _cloud: TestCloud,
    _authority: Authority,
}

impl Stranger {
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
        let properties = vec![property("fragrance_remaining"), property("fan")];
        let template = Template { name: "by hand".into(), properties, schedules: vec![] };
        cloud.operator().ensure_template(&world.oem, &template).await.unwrap();
        let device = NewDevice {
            dsn: DSN.into(),
            template: "by hand".into(),
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
        let api = Api::new(&cloud, &world).await;
        Self { api, hand: Hand::new(tls, names), _cloud: cloud, _authority: authority }
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
