//! Values that cannot be stored: they are counted, the others are stored, and the connection stays (docs/device-link.md#faults).

use std::time::Duration;

use cloud::operator::{NewDevice, Oem, Operator, Template, TemplateProperty};
use cloud::testing::{TestCloud, device_key};
use cloud::{BaseType, Direction, Limits};
use jiff::SignedDuration;
use platform::db::{Params, params};
use platform::testing::{PATIENCE, TestDb, until};
use rumqttc::mqttbytes::v4::{Packet, PubAck};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::device::Device;
use crate::log::Log;
use crate::{pass, start};

const FAULTS: &str =
    "select f.subject, f.kind, f.count, f.shape from device_fault f join device d on d.id = f.device_id
                      where d.dsn = $1 order by f.subject, f.kind";
const FRAME: &str =
    "[0-9]{1,2},[01],[0-8],([1-9]|[1-4][0-9]|50),([01]?[0-9]|2[0-3]),[0-5]?[0-9],([01]?[0-9]|2[0-3]),[0-5]?[0-9]";

platform::on_both_databases![
    good_values_of_a_report_are_stored_and_bad_ones_counted,
    faults_are_written_once_a_minute_and_logged_once_an_hour,
    unknown_names_are_limited_per_device,
    device_of_a_strict_template_is_refused_and_that_of_a_lenient_one_is_not,
];

/// A payload, the stored values and versions, and the faults: subject, kind and shape.
type Row = (&'static str, &'static str, Value, Vec<[&'static str; 3]>);

#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<Row> {
    let fan = || json!({"fan": 3});
    vec![
        ("report", r#"{"properties":{"intensity":20,"fan":3}}"#, json!({"intensity": 20, "fan": 3}), vec![]),
        (
            "report",
            r#"{"properties":{"intensity":"20","fan":3},"sw_version":"fw 2.0"}"#,
            json!({"intensity": 20, "fan": 3, "sw_version": "fw 2.0"}),
            vec![],
        ),
        ("report", r#"{"properties":{"intensity":20.0,"lamp":true}}"#, json!({"intensity": 20, "lamp": 1}), vec![]),
        ("report", r#"{"properties":{"hours":"1.25","lamp":"0"}}"#, json!({"hours": 1.25, "lamp": 0}), vec![]),
        ("report", r#"{"properties":{"fan":true,"lamp":1}}"#, json!({"fan": 1, "lamp": 1}), vec![]),
        ("report", "{\"properties\":{\"fan\":3}}\0", fan(), vec![]),
        ("report", "{\"properties\":{\"fan\":3}}\r\n", fan(), vec![]),
        ("report", "{\"properties\":{\"fan\":3}}\0\0\0\0", fan(), vec![]),
        (
            "report",
            r#"{"properties":{"fan":3},"at":"2026-11-20T12:00:00"}"#,
            fan(),
            vec![["at", "malformed", "text: 2026-11-20T12:00:00"]],
        ),
        ("report", r#"{"properties":{"fan":3},"at":1795780800}"#, fan(), vec![["at", "wrong_type", "1795780800"]]),
        ("report", r#"{"properties":{"fan":3},"at":null}"#, fan(), vec![]),
        ("report", r#"{"properties":{"fan":3},"at":"2026-11-20T10:05:00Z"}"#, fan(), vec![]),
        (
            "report",
            r#"{"properties":{"fan":3},"at":"2026-11-20T12:05:01+02:00"}"#,
            fan(),
            vec![["at", "clock_off", "301 seconds ahead"]],
        ),
        (
            "report",
            r#"{"properties":{"fan":3},"at":"1970-01-01T00:00:00Z"}"#,
            fan(),
            vec![["at", "clock_off", "1795168800 seconds behind"]],
        ),
        (
            "report",
            r#"{"properties":{"fan":3},"at":"2026-11-20T10:00:00.0000000000000000000000000000Z"}"#,
            fan(),
            vec![["at", "malformed", "text of 49 characters: 2026-11-20T10:00:00.000000000000…"]],
        ),
        (
            "report",
            r#"{"properties":{"fan":3},"at":"2026-11-20T10:00:00Z","at":"2026-11-20T11:00:00Z"}"#,
            json!({}),
            vec![["report", "unreadable", "80 bytes"]],
        ),
        ("report", r#"{"properties":{"fan":3},"lan_ip":""}"#, fan(), vec![["lan_ip", "malformed", "text: "]]),
        (
            "report",
            r#"{"properties":{"fan":3},"sw_version":"diffuser-aq800-2.1.0-rc3-112-g9f1c2ab-dirty 2026-03-29T02:30:00 idf v5.1.2"}"#,
            fan(),
            vec![["sw_version", "too_long", "text of 74 characters: diffuser-aq800-2.1.0-rc3-112-g9f…"]],
        ),
        (
            "report",
            r#"{"properties":{"fan":3},"sw_version":2.1,"lan_ip":"192.168.1.20"}"#,
            fan(),
            vec![["sw_version", "wrong_type", "2.1"]],
        ),
        ("report", r#"{"properties":{"level":255,"fan":3}}"#, fan(), vec![["level", "out_of_range", "255"]]),
        ("report", r#"{"properties":{"intensity":0,"fan":3}}"#, fan(), vec![["intensity", "out_of_range", "0"]]),
        (
            "report",
            r#"{"properties":{"fan":3,"intensity":3000000000}}"#,
            fan(),
            vec![["intensity", "out_of_range", "3000000000"]],
        ),
        ("report", r#"{"properties":{"fan":3,"intensity":20.5}}"#, fan(), vec![["intensity", "wrong_type", "20.5"]]),
        (
            "report",
            r#"{"properties":{"fan":3,"intensity":"20 %"}}"#,
            fan(),
            vec![["intensity", "wrong_type", "text: 20 %"]],
        ),
        (
            "report",
            r#"{"properties":{"fan":3,"intensity":"20.0000000000000001"}}"#,
            fan(),
            vec![["intensity", "wrong_type", "text: 20.0000000000000001"]],
        ),
        ("report", r#"{"properties":{"fan":3,"hours":"NaN"}}"#, fan(), vec![["hours", "wrong_type", "text: NaN"]]),
        ("report", r#"{"properties":{"fan":3,"hours":null}}"#, fan(), vec![["hours", "wrong_type", "null"]]),
        ("report", r#"{"properties":{"fan":3,"hours":[1]}}"#, fan(), vec![["hours", "wrong_type", "array"]]),
        ("report", r#"{"properties":{"fan":3,"hours":{"value":1}}}"#, fan(), vec![["hours", "wrong_type", "object"]]),
        ("report", r#"{"properties":{"fan":3,"lamp":2}}"#, fan(), vec![["lamp", "wrong_type", "2"]]),
        ("report", r#"{"properties":{"fan":3,"note":5}}"#, fan(), vec![["note", "wrong_type", "5"]]),
        ("report", r#"{"properties":{"fan":3,"note":"a\u0000b"}}"#, fan(), vec![["note", "malformed", "text: a?b"]]),
        (
            "report",
            r#"{"properties":{"fan":3,"schedule":"1,1,9,20,8,0,17,59,"}}"#,
            fan(),
            vec![["schedule", "malformed", "text: 1,1,9,20,8,0,17,59,"]],
        ),
        (
            "report",
            r#"{"properties":{"fan":3,"board_temp":41}}"#,
            fan(),
            vec![["board_temp", "unknown_property", "41"]],
        ),
        (
            "report",
            r#"{"properties":{"fan":3,"wifi password":"hunter2"}}"#,
            fan(),
            vec![["wifi?password", "unknown_property", "text of 7 characters"]],
        ),
        ("report", r#"{"properties":{"fan":3,"":1}}"#, fan(), vec![["(empty)", "unknown_property", "1"]]),
        ("report", r#"{"properties":{"fan":3,"fan":4}}"#, fan(), vec![["fan", "repeated", "4"]]),
        (
            "report",
            r#"{"properties":{"level":255,"hours":-1e9,"board_temp":41},"at":"noon"}"#,
            json!({}),
            vec![
                ["at", "malformed", "text: noon"],
                ["board_temp", "unknown_property", "41"],
                ["hours", "out_of_range", "-1000000000.0"],
                ["level", "out_of_range", "255"],
            ],
        ),
        ("report", r#"{"properties":{"hours":nan,"fan":3}}"#, json!({}), vec![["report", "unreadable", "36 bytes"]]),
        ("report", "{\"properties\":{\"fan\":3}}\0{", json!({}), vec![["report", "unreadable", "26 bytes"]]),
        ("report", "", json!({}), vec![["report", "unreadable", "0 bytes"]]),
        ("report", r#"{"properties":[]}"#, json!({}), vec![["report", "unreadable", "17 bytes"]]),
        ("report", r#"{"properties":{}}"#, json!({}), vec![["report", "unreadable", "17 bytes"]]),
        ("ack", r#"{"id":"x","status":"200"}"#, json!({}), vec![]),
        ("ack", r#"{"id":"x","status":200,"message":1.5}"#, json!({}), vec![["message", "wrong_type", "1.5"]]),
        ("ack", r#"{"id":"x","status":"done"}"#, json!({}), vec![["ack", "unreadable", "26 bytes"]]),
    ]
}

fn template() -> Template {
    let range = |minimum: f64, maximum: f64| Limits { minimum: Some(minimum), maximum: Some(maximum), pattern: None };
    let form = Limits { pattern: Some(format!("({FRAME}(,{FRAME}){{0,20}})?").parse().unwrap()), ..Limits::default() };
    let properties = [
        ("intensity", BaseType::Integer, range(1.0, 50.0)),
        ("fan", BaseType::Integer, range(0.0, 5.0)),
        ("level", BaseType::Integer, range(0.0, 100.0)),
        ("hours", BaseType::Decimal, range(0.0, 21_474_836.47)),
        ("lamp", BaseType::Boolean, Limits::default()),
        ("note", BaseType::String, Limits::default()),
        ("schedule", BaseType::String, form),
    ];
    let property = |(name, base_type, limits): (&str, BaseType, Limits)| TemplateProperty {
        name: name.into(),
        display_name: name.into(),
        base_type,
        direction: Direction::Input,
        ack_enabled: true,
        retention_days: 30,
        limits,
    };
    Template { name: "reporter".into(), properties: properties.into_iter().map(property).collect(), schedules: vec![] }
}

async fn add_devices(operator: &Operator, oem: &Oem, dsns: &[String]) {
    operator.ensure_template(oem, &template()).await.unwrap();
    let device = |dsn: &String| NewDevice {
        dsn: dsn.clone(),
        template: "reporter".into(),
        link_key: device_key(dsn).into(),
        registered: true,
        ..NewDevice::default()
    };
    operator.add_devices(oem, &dsns.iter().map(device).collect::<Vec<_>>()).await.unwrap();
}

/// The reported values of a device, and its software version.
async fn stored(database: &TestDb, dsn: &str) -> Value {
    let sql =
        "select t.name, p.reported_value from property p join template_property t on t.id = p.template_property_id
               join device d on d.id = p.device_id where d.dsn = $1 and p.reported_value is not null";
    let rows: Vec<(String, String)> = database.fetch_all(sql, params![dsn]).await.unwrap();
    let values = rows.into_iter().map(|(name, value)| (name, serde_json::from_str(&value).unwrap()));
    let (version,): (Option<String>,) =
        database.fetch_one("select sw_version from device where dsn = $1", params![dsn]).await.unwrap();
    let version = version.map(|version| ("sw_version".to_owned(), version.into()));
    Value::Object(values.chain(version).collect::<Map<_, _>>())
}

async fn faults(database: &TestDb, dsn: &str) -> Vec<(String, String, i64, String)> {
    database.fetch_all(FAULTS, params![dsn]).await.unwrap()
}

/// Publishes a message and waits for its PUBACK.
async fn send(device: &mut Device, dsn: &str, kind: &str, payload: &str) {
    let id = device.publish(&format!("devices/{dsn}/{kind}"), payload).await;
    assert_eq!(device.next().await, Packet::PubAck(PubAck::new(id)), "{payload}");
}

async fn good_values_of_a_report_are_stored_and_bad_ones_counted(database: &TestDb) {
    let log = Log::listen();
    let cloud = TestCloud::start_with(|config| config.database_url.clone_from(&database.url)).await;
    let world = cloud.seed().await;
    let rows = rows();
    assert!(rows.len() >= 30);
    let dsns: Vec<String> = (0..rows.len()).map(|n| format!("DEV-R{n:02}")).collect();
    add_devices(&cloud.operator(), &world.oem, &dsns).await;
    for (dsn, (kind, payload, values, expected)) in dsns.iter().zip(rows) {
        let mut device = Device::sign_in(&cloud, dsn).await;
        send(&mut device, dsn, kind, payload).await;
        assert_eq!(stored(database, dsn).await, values, "{payload}");
        let found = faults(database, dsn).await;
        let found: Vec<_> =
            found.iter().map(|(subject, kind, count, shape)| (*count, [&**subject, &**kind, &**shape])).collect();
        assert_eq!(found, expected.iter().map(|fault| (1, *fault)).collect::<Vec<_>>(), "{payload}");
        for [subject, kind, _] in expected {
            let line = log.lines(&["WARN", dsn, &format!("property=\"{subject}\""), &format!("kind=\"{kind}\"")]);
            assert_eq!(line.len(), 1, "{payload}");
        }
        send(&mut device, dsn, "report", r#"{"properties":{"fan":4}}"#).await;
        assert_eq!(stored(database, dsn).await["fan"], 4, "the connection stays: {payload}");
    }
    assert_eq!(log.lines(&["hunter2"]), Vec::<String>::new());
}

async fn faults_are_written_once_a_minute_and_logged_once_an_hour(database: &TestDb) {
    const BAD: &str = r#"{"properties":{"intensity":51}}"#;
    let log = Log::listen();
    let (cloud, _) = start(database).await;
    let counted = async || faults(database, "DEV-A1").await.iter().map(|(_, _, count, _)| *count).sum::<i64>();
    let becomes = async |count: i64| timeout(PATIENCE, until(async || counted().await == count)).await.unwrap();
    let logged = || log.lines(&["WARN", "DEV-A1", "property=\"intensity\""]).len();
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    for _ in 0..25 {
        send(&mut device, "DEV-A1", "report", BAD).await;
    }
    assert_eq!((counted().await, logged()), (1, 1), "only the first is written at once");
    pass(Duration::from_secs(60)).await;
    becomes(25).await;
    send(&mut device, "DEV-A1", "report", BAD).await;
    drop(device);
    becomes(26).await;
    assert_eq!(logged(), 1, "once an hour");
    let day: (i64, i64) = database
        .fetch_one(
            "select s.day_faults, s.previous_day_faults from device_state s join device d on d.id = s.device_id
             where d.dsn = 'DEV-A1'",
            Params::default(),
        )
        .await
        .unwrap();
    assert_eq!(day, (26, 0));

    cloud.clock().advance(SignedDuration::from_hours(1));
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    send(&mut device, "DEV-A1", "report", BAD).await;
    assert_eq!((counted().await, logged()), (27, 2));
}

async fn unknown_names_are_limited_per_device(database: &TestDb) {
    let (cloud, _) = start(database).await;
    // A limit of the device, not of the connection.
    for part in 0..2 {
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        let values: Map<String, Value> = (0..30).map(|n| (format!("p{part}_{n}"), json!(n))).collect();
        let payload = json!({ "properties": values }).to_string();
        send(&mut device, "DEV-A1", "report", &payload).await;
    }
    let found = faults(database, "DEV-A1").await;
    let others: Vec<i64> =
        found.iter().filter(|(name, ..)| name == "(others)").map(|(_, _, count, _)| *count).collect();
    assert_eq!((found.len(), others), (33, vec![28]));
}

async fn device_of_a_strict_template_is_refused_and_that_of_a_lenient_one_is_not(database: &TestDb) {
    const REPORT: &str = r#"{"properties":{"fan":3,"board_temp":41}}"#;
    let cloud = TestCloud::start_with(|config| config.database_url.clone_from(&database.url)).await;
    let world = cloud.seed().await;
    add_devices(&cloud.operator(), &world.oem, &["DEV-R01".to_owned()]).await;
    cloud.operator().set_strict_reports(&world.oem, "reporter", true).await.unwrap();
    let mut strict = Device::sign_in(&cloud, "DEV-R01").await;
    let mut lenient = Device::sign_in(&cloud, "DEV-A1").await;
    strict.publish("devices/DEV-R01/report", REPORT).await;
    strict.is_closed().await;
    send(&mut lenient, "DEV-A1", "report", REPORT).await;
    assert_eq!((stored(database, "DEV-R01").await, faults(database, "DEV-R01").await), (json!({}), vec![]));
    assert_eq!(faults(database, "DEV-A1").await.len(), 1);
    // A limit of the link, of every template.
    lenient.publish("devices/DEV-A1/report", "x".repeat(8193)).await;
    lenient.is_closed().await;

    cloud.operator().set_strict_reports(&world.oem, "reporter", false).await.unwrap();
    let mut device = Device::sign_in(&cloud, "DEV-R01").await;
    send(&mut device, "DEV-R01", "report", REPORT).await;
    assert_eq!(stored(database, "DEV-R01").await, json!({"fan": 3}));
}
