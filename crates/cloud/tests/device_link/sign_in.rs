//! Sign-in of devices.

use std::time::Duration;

use bytes::BytesMut;
use cloud::testing::device_key;
use futures::StreamExt;
use platform::testing::TestDb;
use rumqttc::mqttbytes::v4::{Codec, ConnAck, Connect, ConnectReturnCode, Packet};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::codec::{Encoder, Framed};

use crate::device::{Device, login, own_login};
use crate::log::Log;
use crate::{pass, start};
use platform::testing::PATIENCE;

platform::on_both_databases![
    device_signs_in_only_with_its_own_key,
    connect_with_the_reserved_flag_is_closed_without_an_answer,
    other_protocol_is_rejected_and_other_first_packet_is_not_answered,
    connection_without_connect_is_closed_after_five_seconds,
    database_contains_no_device_key,
];

async fn device_signs_in_only_with_its_own_key(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
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
    assert_eq!(log.lines(&["WARN", "DEV-A1", "wrong key"]).len(), 4);
    assert_eq!(log.lines(&["WARN", "DEV-A9", "unknown dsn"]).len(), 1);
    assert_eq!(log.lines(&["WARN", "client id and user name are not the same dsn"]).len(), 4);

    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    assert_eq!(api.status("DEV-A1").await, "Online");
    device.send(Packet::Disconnect).await;
    device.is_closed().await;
    api.goes_offline("DEV-A1").await;
    neighbour.receives_nothing_else().await;
    let key_in_log = log.lines(&[&good[1..]]);
    assert!(key_in_log.is_empty(), "{key_in_log:?}");
}

async fn connect_with_the_reserved_flag_is_closed_without_an_answer(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let mut connect = BytesMut::new();
    let mut codec = Codec { max_incoming_size: 200, max_outgoing_size: 200 };
    codec.encode(Packet::Connect(own_login("DEV-A1")), &mut connect).unwrap();
    // Packet type, remaining length, protocol name with its length, level.
    connect[1 + 1 + 6 + 1] |= 1;
    let mut device = TcpStream::connect(cloud.link_addr()).await.unwrap();
    device.write_all(&connect).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, device.read_to_end(&mut answer)).await.unwrap().unwrap();
    assert_eq!(answer, b"");
    assert_eq!(log.lines(&["WARN", "malformed packet", "refused a device"]).len(), 1);
    assert_eq!(api.status("DEV-A1").await, "Offline");
}

async fn database_contains_no_device_key(database: &TestDb) {
    let (cloud, _api) = start(database).await;
    let rows: Vec<(String,)> =
        database.fetch_all("select link_key_hash from device", platform::db::Params::default()).await.unwrap();
    let key = device_key("DEV-A1");
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|(stored,)| stored.len() == 64 && *stored != key));
    // The stored digest is not a key either.
    for (stored,) in rows {
        let (_, code) = Device::connect(&cloud, login("DEV-A1", "DEV-A1", &stored)).await;
        assert_eq!(code, ConnectReturnCode::NotAuthorized);
    }
}

async fn other_protocol_is_rejected_and_other_first_packet_is_not_answered(database: &TestDb) {
    let (cloud, _api) = start(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    let mut old = TcpStream::connect(cloud.link_addr()).await.unwrap();
    old.write_all(b"\x10\x12\x00\x06MQIsdp\x03\x02\x00\x3c\x00\x04DEV1").await.unwrap();
    let codec = Codec { max_incoming_size: 100, max_outgoing_size: 100 };
    let answer = Framed::new(old, codec.clone()).next().await.unwrap().unwrap();
    assert_eq!(answer, Packet::ConnAck(ConnAck::new(ConnectReturnCode::RefusedProtocolVersion, false)));

    // As MQTT, this HTTP request starts with a PUBACK of 69 bytes.
    let http = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", "x".repeat(69));
    for stranger in [&b"\xc0\x00"[..], http.as_bytes(), b"\x10\xff\xff\xff\xff\xff", b"\x00\x00"] {
        let mut stream = TcpStream::connect(cloud.link_addr()).await.unwrap();
        stream.write_all(stranger).await.unwrap();
        let end = timeout(PATIENCE, Framed::new(stream, codec.clone()).next()).await.unwrap();
        assert!(!matches!(end, Some(Ok(_))), "{stranger:?}: {end:?}");
    }
    neighbour.receives_nothing_else().await;
}

async fn connection_without_connect_is_closed_after_five_seconds(database: &TestDb) {
    let (cloud, _api) = start(database).await;
    let stream = TcpStream::connect(cloud.link_addr()).await.unwrap();
    let codec = Codec { max_incoming_size: 100, max_outgoing_size: 100 };
    let mut wire = Framed::new(stream, codec);
    // A later device is connected, so the silent connection was accepted.
    let _later = Device::sign_in(&cloud, "DEV-A1").await;
    pass(Duration::from_secs(6)).await;
    assert!(timeout(PATIENCE, wire.next()).await.unwrap().is_none());
}
