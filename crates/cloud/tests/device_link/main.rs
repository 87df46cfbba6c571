//! The device link over TCP, as a device and a user see it (docs/device-link.md).
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod api;
mod device;

use std::time::Duration;

use cloud::operator::{NewDevice, Template, TemplateProperty};
use cloud::testing::{TestCloud, device_key};
use cloud::{BaseType, Direction, Limits};
use futures::{FutureExt, StreamExt};
use jiff::SignedDuration;
use platform::db::Db;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{
    Codec, ConnAck, Connect, ConnectReturnCode, Packet, PubAck, Publish, SubscribeReasonCode, Unsubscribe,
};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::codec::Framed;

use crate::api::Api;
use crate::device::{Device, login};

/// Far beyond what anything here takes; a test that waits this long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

async fn start() -> (TestCloud, Api) {
    let cloud = TestCloud::start().await;
    let world = cloud.seed().await;
    let api = Api::new(&cloud, &world).await;
    (cloud, api)
}

#[tokio::test]
async fn a_device_comes_in_with_its_own_key_only() {
    let (cloud, api) = start().await;
    let good = device_key("DEV-A1");
    for refused in [
        login("DEV-A1", "DEV-A1", &device_key("DEV-A2")),
        login("DEV-A1", "DEV-A1", &good[1..]),
        login("DEV-A1", "DEV-A1", &format!("{good}0")),
        login("DEV-A1", "DEV-A1", ""),
        login("DEV-A1", "DEV-A2", &good),
        login("DEV-A9", "DEV-A9", &good),
        login("DEV-A1\0", "DEV-A1\0", &good),
        login("", "", &good),
        Connect::new("DEV-A1"),
    ] {
        let (mut device, code) = Device::connect(&cloud, refused).await;
        assert_eq!(code, ConnectReturnCode::NotAuthorized);
        device.is_closed().await;
    }
    assert_eq!(api.status("DEV-A1").await, "Offline");

    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    assert_eq!(api.status("DEV-A1").await, "Online");
    device.send(Packet::Disconnect).await;
    device.is_closed().await;
    api.goes_offline("DEV-A1").await;
}

#[tokio::test]
async fn another_protocol_is_told_so_and_another_first_packet_is_not_answered() {
    let (cloud, _api) = start().await;
    let mut old = TcpStream::connect(cloud.link_addr()).await.unwrap();
    old.write_all(b"\x10\x12\x00\x06MQIsdp\x03\x02\x00\x3c\x00\x04DEV1").await.unwrap();
    let codec = Codec { max_incoming_size: 100, max_outgoing_size: 100 };
    let answer = Framed::new(old, codec.clone()).next().await.unwrap().unwrap();
    assert_eq!(answer, Packet::ConnAck(ConnAck::new(ConnectReturnCode::RefusedProtocolVersion, false)));

    // To MQTT, HTTP begins with a PUBACK of 69 bytes.
    let http = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", "x".repeat(69));
    for stranger in [&b"\xc0\x00"[..], http.as_bytes(), b"\x10\xff\xff\xff\xff\xff", b"\x00\x00"] {
        let mut stream = TcpStream::connect(cloud.link_addr()).await.unwrap();
        stream.write_all(stranger).await.unwrap();
        let end = timeout(PATIENCE, Framed::new(stream, codec.clone()).next()).await.unwrap();
        assert!(!matches!(end, Some(Ok(_))), "{stranger:?}: {end:?}");
    }
}

#[tokio::test]
async fn a_report_is_seen_by_users_with_the_devices_time() {
    let (cloud, api) = start().await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.say("report", &json!({"properties": {"intensity": 33, "hours": 13.25, "note": "Café"}})).await;
    for (name, value) in [("intensity", json!(33)), ("hours", json!(13.25)), ("note", json!("Café"))] {
        assert_eq!(api.property("DEV-A1", name).await["value"], value);
    }
    device.say("report", &json!({"properties": {"intensity": 34}, "at": "2026-11-20T08:30:00+01:00"})).await;
    let datapoints = api.get("DEV-A1/properties/intensity/datapoints.json?limit=1").await;
    let last = &datapoints[0]["datapoint"];
    assert_eq!((&last["value"], &last["created_at_from_device"]), (&json!(34), &json!("2026-11-20T07:30:00Z")));
}

#[tokio::test]
async fn a_report_is_acknowledged_only_after_its_commit() {
    let mut database = String::new();
    let cloud = TestCloud::start_with(|config| database.clone_from(&config.database_url)).await;
    let world = cloud.seed().await;
    let api = Api::new(&cloud, &world).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;

    let other_writer = Db::connect(&database).await.unwrap().begin().await.unwrap();
    let id = device.publish("devices/DEV-A1/report", r#"{"properties": {"intensity": 33}}"#).await;
    // Each of these calls goes through the same runtime as the gateway, which has all the time it could need.
    for _ in 0..5 {
        assert_eq!(api.property("DEV-A1", "intensity").await["value"], 20);
        assert!(device.wire.next().now_or_never().is_none(), "acknowledged before the commit");
    }
    other_writer.commit().await.unwrap();
    assert_eq!(device.next().await, Packet::PubAck(PubAck::new(id)));
    assert_eq!(api.property("DEV-A1", "intensity").await["value"], 33);
}

#[tokio::test]
async fn a_command_reaches_a_connected_device_and_its_ack_reaches_the_user() {
    let (cloud, api) = start().await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.subscribe().await;
    device.hears_nothing_else().await;

    let id = api.write("DEV-A1", "intensity", json!(30)).await;
    let command = device.take_command().await;
    let expected = json!({"id": id, "property": "intensity", "value": 30, "created_at": "2026-11-20T10:00:00Z"});
    assert_eq!(command, expected);
    let pending = api.property("DEV-A1", "intensity").await;
    assert_eq!((&pending["command"]["state"], pending.get("acked_at")), (&json!("pending"), None));

    device.say("ack", &json!({"id": id, "status": 200, "message": 0})).await;
    let done = api.property("DEV-A1", "intensity").await;
    assert_eq!((&done["command"]["state"], &done["value"]), (&json!("acknowledged"), &json!(30)));
    assert_eq!(done["acked_at"], "2026-11-20T10:00:00Z");
    device.hears_nothing_else().await;

    let id = api.write("DEV-A1", "intensity", json!(40)).await;
    device.take_command().await;
    device.say("ack", &json!({"id": id, "status": 422, "message": "too much"})).await;
    let refused = api.property("DEV-A1", "intensity").await;
    assert_eq!((&refused["command"]["state"], &refused["value"]), (&json!("failed"), &json!(30)));
}

#[tokio::test]
async fn commands_given_while_offline_wait_for_the_devices_own_ack() {
    let (cloud, api) = start().await;
    api.write("DEV-A1", "intensity", json!(30)).await;
    cloud.clock().advance(SignedDuration::from_secs(1));
    let fan = api.write("DEV-A1", "fan", json!(2)).await;
    cloud.clock().advance(SignedDuration::from_secs(1));
    let intensity = api.write("DEV-A1", "intensity", json!(31)).await;

    // The newest of each property, oldest first; again at the next connection, for a PUBACK settles nothing.
    for _ in 0..2 {
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.hears_nothing_else().await;
        device.subscribe().await;
        let commands = [device.take_command().await, device.take_command().await];
        assert_eq!(commands.map(|it| it["id"].clone()), [json!(fan), json!(intensity)]);
        device.say("report", &json!({"properties": {"intensity": 5}})).await;
        assert_eq!(api.property("DEV-A1", "intensity").await["value"], 31, "the command stands above reports");
        device.hears_nothing_else().await;
    }

    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.say("ack", &json!({"id": intensity, "status": 200})).await;
    device.say("ack", &json!({"id": intensity, "status": 500, "message": "said twice"})).await;
    device.say("ack", &json!({"id": "unknown", "status": 200})).await;
    assert_eq!(api.property("DEV-A1", "intensity").await["command"]["state"], "acknowledged");
    device.subscribe().await;
    assert_eq!(device.take_command().await["id"], json!(fan));
    device.hears_nothing_else().await;
}

#[tokio::test]
async fn an_expired_command_is_not_sent() {
    let (cloud, api) = start().await;
    api.write("DEV-A1", "intensity", json!(30)).await;
    cloud.clock().advance(SignedDuration::from_hours(7 * 24 + 1));
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.subscribe().await;
    device.hears_nothing_else().await;
}

#[tokio::test]
async fn commands_come_without_acknowledgement_too_and_stop_after_unsubscribe() {
    let (cloud, api) = start().await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    let granted = device.ask_for("devices/DEV-A1/command", QoS::AtMostOnce).await;
    assert_eq!(granted, SubscribeReasonCode::Success(QoS::AtMostOnce));
    let id = api.write("DEV-A1", "fan", json!(1)).await;
    let (packet_id, command) = device.command().await;
    assert_eq!((packet_id, &command["id"]), (0, &json!(id)));

    let mut unsubscribe = Unsubscribe::new("devices/DEV-A1/command");
    unsubscribe.pkid = 7;
    device.send(Packet::Unsubscribe(unsubscribe)).await;
    assert!(matches!(device.next().await, Packet::UnsubAck(ack) if ack.pkid == 7));
    api.write("DEV-A1", "fan", json!(2)).await;
    device.hears_nothing_else().await;
}

#[tokio::test]
async fn sixteen_commands_at_most_are_in_flight() {
    let cloud = TestCloud::start().await;
    let world = cloud.seed().await;
    let properties = (0..20).map(|n| TemplateProperty {
        name: format!("p{n:02}"),
        display_name: format!("p{n:02}"),
        base_type: BaseType::Integer,
        direction: Direction::Input,
        ack_enabled: true,
        retention_days: 30,
        limits: Limits::default(),
    });
    let many = Template { name: "many".into(), properties: properties.collect() };
    let device = NewDevice {
        dsn: "DEV-MANY".into(),
        template: "many".into(),
        link_key: device_key("DEV-MANY").into(),
        registered: true,
        ..NewDevice::default()
    };
    cloud.operator().ensure_template(&world.oem, &many).await.unwrap();
    cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
    let api = Api::new(&cloud, &world).await;
    for n in 0..20 {
        api.write("DEV-MANY", &format!("p{n:02}"), json!(n)).await;
        cloud.clock().advance(SignedDuration::from_secs(1));
    }

    let mut device = Device::sign_in(&cloud, "DEV-MANY").await;
    device.subscribe().await;
    let mut in_flight = Vec::new();
    for n in 0..16 {
        let (id, command) = device.command().await;
        assert_eq!(command["value"], n);
        in_flight.push(id);
    }
    device.hears_nothing_else().await;
    for (n, id) in (16..20).zip(in_flight) {
        device.send(Packet::PubAck(PubAck::new(id))).await;
        assert_eq!(device.command().await.1["value"], n);
    }
    device.hears_nothing_else().await;
}

#[tokio::test]
async fn the_newest_connection_takes_over() {
    let (cloud, api) = start().await;
    let mut first = Device::sign_in(&cloud, "DEV-A1").await;
    first.subscribe().await;
    let mut second = Device::sign_in(&cloud, "DEV-A1").await;
    first.is_closed().await;
    second.subscribe().await;
    let id = api.write("DEV-A1", "fan", json!(3)).await;
    assert_eq!(second.take_command().await["id"], json!(id));
    assert_eq!(api.status("DEV-A1").await, "Online");
    drop(second);
    api.goes_offline("DEV-A1").await;
}

#[tokio::test]
async fn foreign_topics_are_refused() {
    let (cloud, api) = start().await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    for filter in ["devices/DEV-A2/command", "devices/+/command", "devices/#", "#", "devices/DEV-A1/#"] {
        assert_eq!(device.ask_for(filter, QoS::AtLeastOnce).await, SubscribeReasonCode::Failure, "{filter}");
    }
    api.write("DEV-A2", "fan", json!(3)).await;
    api.write("DEV-A1", "fan", json!(3)).await;
    device.hears_nothing_else().await;

    for topic in ["devices/DEV-A2/report", "devices/DEV-A1/command", "devices/DEV-A1/reports", "report"] {
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.publish(topic, r#"{"properties": {"intensity": 1}}"#).await;
        device.is_closed().await;
    }
    for dsn in ["DEV-A1", "DEV-A2"] {
        assert_eq!(api.property(dsn, "intensity").await["value"], 20);
    }
}

#[tokio::test]
async fn bad_packets_end_their_own_connection_and_nobody_elses() {
    let (cloud, api) = start().await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    neighbour.subscribe().await;

    let report = "devices/DEV-A1/report";
    let oversized = json!({"properties": {"note": "x".repeat(8192)}}).to_string();
    let huge = "x".repeat(60_000);
    for payload in [
        "",
        "{",
        "[]",
        "null",
        r#"{"properties": {}}"#,
        r#"{"properties": {"intensity": null}}"#,
        r#"{"properties": {"intensity": 1, "intensity": 2}}"#,
        r#"{"properties": {"intensity": "strong"}}"#,
        r#"{"properties": {"intensity": 51}}"#,
        r#"{"properties": {"fan": 1, "unknown": 1}}"#,
        &oversized,
        &huge,
    ] {
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.publish(report, payload).await;
        device.is_closed().await;
    }
    for packet in [
        Packet::Publish(Publish { pkid: 1, ..Publish::new(report, QoS::ExactlyOnce, r#"{"properties": {"fan": 1}}"#) }),
        Packet::Publish(Publish { pkid: 1, ..Publish::new("devices/DEV-A1/ack", QoS::AtLeastOnce, r#"{"id": 1}"#) }),
        Packet::Connect(login("DEV-A1", "DEV-A1", &device_key("DEV-A1"))),
        Packet::PingResp,
    ] {
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.send(packet).await;
        device.is_closed().await;
    }
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.wire.get_mut().write_all(b"\x30\xff\xff\xff\xff\xff\xff").await.unwrap();
    device.is_closed().await;

    assert_eq!(api.property("DEV-A1", "intensity").await["value"], 20);
    assert_eq!(api.property("DEV-A1", "fan").await["value"], json!(null), "all of a report is stored, or nothing");
    api.goes_offline("DEV-A1").await;
    let id = api.write("DEV-A2", "fan", json!(1)).await;
    assert_eq!(neighbour.take_command().await["id"], json!(id));
    assert_eq!(api.status("DEV-A2").await, "Online");
}

#[tokio::test]
async fn a_device_that_is_silent_for_one_and_a_half_keep_alives_is_offline() {
    let (cloud, api) = start().await;
    let mut connect = login("DEV-A1", "DEV-A1", &device_key("DEV-A1"));
    connect.keep_alive = 10;
    let (mut device, _) = Device::connect(&cloud, connect).await;

    for _ in 0..3 {
        pass(Duration::from_secs(14)).await;
        device.hears_nothing_else().await;
    }
    assert_eq!(api.status("DEV-A1").await, "Online");
    // What the cloud sends is no sign of life.
    device.subscribe().await;
    device.hears_nothing_else().await;
    pass(Duration::from_secs(14)).await;
    api.write("DEV-A1", "fan", json!(1)).await;
    device.command().await;
    pass(Duration::from_secs(2)).await;
    device.is_closed().await;
    api.goes_offline("DEV-A1").await;
}

#[tokio::test]
async fn a_connection_without_connect_is_closed_after_ten_seconds() {
    let (cloud, _api) = start().await;
    let stream = TcpStream::connect(cloud.link_addr()).await.unwrap();
    let codec = Codec { max_incoming_size: 100, max_outgoing_size: 100 };
    let mut wire = Framed::new(stream, codec);
    // A device that came after it is in: so the silent connection has been accepted.
    let _later = Device::sign_in(&cloud, "DEV-A1").await;
    pass(Duration::from_secs(11)).await;
    assert!(timeout(PATIENCE, wire.next()).await.unwrap().is_none());
}

#[tokio::test]
async fn a_cloud_that_stops_waits_for_no_device() {
    let (cloud, _api) = start().await;
    let silent = TcpStream::connect(cloud.link_addr()).await.unwrap();
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    // Less than the ten seconds that a connection has for its CONNECT.
    timeout(Duration::from_secs(8), cloud.shutdown()).await.unwrap();
    device.is_closed().await;
    drop(silent);
}

/// Lets time pass without waiting. No database call may be under way, it would time out. The clock runs on afterwards: the
/// database works in threads of its own, and a standing clock would jump to the next timer while it does.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
