//! Protocol violations by devices: they end the connection, are logged and do not affect others.

use platform::db::Params;
use platform::testing::{TestDb, until};
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Packet, Publish, SubscribeReasonCode};
use serde_json::{Value, json};

use crate::device::{Device, own_login};
use crate::log::Log;
use crate::{start, start_strict};

const LAST_REFUSAL: &str =
    "select s.refusal from device_state s join device d on d.id = s.device_id where d.dsn = 'DEV-A1'";
const REPORT: &str = "devices/DEV-A1/report";

platform::on_both_databases![
    topics_of_other_devices_are_refused,
    malformed_payloads_end_only_their_own_connection,
    malformed_packets_end_only_their_own_connection,
];

async fn topics_of_other_devices_are_refused(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    for filter in
        ["devices/DEV-A2/command", "devices/DEV-A2/settings", "devices/+/command", "devices/#", "#", "devices/DEV-A1/#"]
    {
        assert_eq!(
            device.request_subscription(filter, QoS::AtLeastOnce).await,
            SubscribeReasonCode::Failure,
            "{filter}"
        );
    }
    assert_eq!(log.lines(&["WARN", "DEV-A1", "refused a subscription"]).len(), 1, "one log line per connection");
    api.write("DEV-A2", "fan", json!(3)).await;
    api.write("DEV-A1", "fan", json!(3)).await;
    device.receives_nothing_else().await;

    let topics = ["devices/DEV-A2/report", "devices/DEV-A1/command", "devices/DEV-A1/reports", "report"];
    for topic in topics {
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.publish(topic, r#"{"properties": {"intensity": 1}}"#).await;
        device.is_closed().await;
    }
    assert_eq!(log.lines(&["WARN", "DEV-A1", "a topic that is not its own", "refused a device"]).len(), topics.len());
    for dsn in ["DEV-A1", "DEV-A2"] {
        assert_eq!(api.property(dsn, "intensity").await["value"], 20);
    }
    neighbour.receives_nothing_else().await;
}

async fn malformed_payloads_end_only_their_own_connection(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start_strict(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    neighbour.subscribe().await;

    let oversized = json!({"properties": {"note": "x".repeat(8192)}}).to_string();
    let huge = "x".repeat(60_000);
    let overlong_version = json!({"properties": {"fan": 1}, "sw_version": "1".repeat(65)}).to_string();
    let rows = [
        ("", "payload is not JSON: EOF while parsing a value at line 1 column 0"),
        ("{", "payload is not JSON: EOF while parsing an object at line 1 column 1"),
        ("[]", "payload is not a JSON object"),
        ("null", "payload is not a JSON object"),
        (r#"{"properties": {}}"#, "report without properties"),
        (r#"{"properties": {"intensity": null}}"#, "intensity (value 1 of 1) is neither number, text nor boolean"),
        (r#"{"properties": {"intensity": 1, "intensity": 2}}"#, "intensity (value 2 of 2) is repeated"),
        (r#"{"properties": {"intensity": "strong"}}"#, "intensity (value 1 of 1) is a text"),
        (r#"{"properties": {"intensity": 51}}"#, "intensity (value 1 of 1) is out of range (1 to 50)"),
        (r#"{"properties": {"fan": 1, "intensity": "20"}}"#, "intensity (value 2 of 2) is a text"),
        (
            r#"{"properties": {"fan": 1, "note": "a\u0000b"}}"#,
            "note (value 2 of 2) has a character that is not allowed (byte 2)",
        ),
        (r#"{"properties": {"fan": 1}, "at": "noon"}"#, "at is not a time with offset (RFC 3339)"),
        (
            r#"{"properties": {"fan": 1}, "sw_version": "1.3\n"}"#,
            "sw_version is not 1 to 64 printable ASCII characters",
        ),
        (r#"{"properties": {"fan": 1}, "sw_version": 1.3}"#, "sw_version is not 1 to 64 printable ASCII characters"),
        (&overlong_version, "sw_version is not 1 to 64 printable ASCII characters"),
        (r#"{"properties": {"fan": 1}, "lan_ip": "next door"}"#, "lan_ip is not an IP address"),
        (r#"{"properties": {"fan": 1, "unknown": 1}}"#, "value 2 of 2 is of a property that the device does not have"),
        (&oversized, "payload larger than 8 KiB"),
        (&huge, "payload larger than 8 KiB"),
    ];
    for (payload, reason) in rows {
        let before = log.lines(&["WARN", "DEV-A1", reason]).len();
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.publish(REPORT, payload).await;
        device.is_closed().await;
        assert_eq!(log.lines(&["WARN", "DEV-A1", reason]).len(), before + 1, "{reason}");
        // Stored after the close, which other devices do not wait for.
        let stored = async || database.fetch_one::<(Option<String>,)>(LAST_REFUSAL, Params::default()).await.unwrap().0;
        until(async || stored().await.as_deref() == Some(reason)).await;
    }
    let of_a_payload = log.lines(&["strong"]);
    assert!(of_a_payload.is_empty(), "{of_a_payload:?}");

    assert_eq!(api.property("DEV-A1", "intensity").await["value"], 20);
    assert_eq!(api.property("DEV-A1", "fan").await["value"], Value::Null, "all of a report is stored, or nothing");
    assert_eq!(api.get("DEV-A1.json").await["device"]["sw_version"], "");
    api.goes_offline("DEV-A1").await;
    let id = api.write("DEV-A2", "fan", json!(1)).await;
    assert_eq!(neighbour.take_command().await["id"], json!(id));
    assert_eq!(api.status("DEV-A2").await, "Online");
}

async fn malformed_packets_end_only_their_own_connection(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start_strict(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    let publish = |topic, qos, payload| Packet::Publish(Publish { pkid: 1, ..Publish::new(topic, qos, payload) });
    for (packet, reason) in [
        (publish(REPORT, QoS::ExactlyOnce, r#"{"properties": {"fan": 1}}"#), "QoS 2"),
        (
            publish("devices/DEV-A1/ack", QoS::AtLeastOnce, r#"{"id": 1}"#),
            "id is missing or not a text of 1 to 64 bytes",
        ),
        (Packet::Connect(own_login("DEV-A1")), "unexpected packet"),
        (Packet::PingResp, "unexpected packet"),
    ] {
        let before = log.lines(&["WARN", "DEV-A1", reason]).len();
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.send(packet).await;
        device.is_closed().await;
        assert_eq!(log.lines(&["WARN", "DEV-A1", reason]).len(), before + 1, "{reason}");
    }
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.send_bytes(b"\x30\xff\xff\xff\xff\xff\xff").await;
    device.is_closed().await;
    assert_eq!(log.lines(&["WARN", "DEV-A1", "malformed packet"]).len(), 1);

    assert_eq!(api.property("DEV-A1", "fan").await["value"], Value::Null);
    api.goes_offline("DEV-A1").await;
    neighbour.send_message("report", &json!({"properties": {"fan": 2}})).await;
}
