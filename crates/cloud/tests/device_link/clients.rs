//! Clients of the library paho, in each version of MQTT.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use cloud::testing::{TestCloud, device_key};
use jiff::SignedDuration;
use platform::testing::{PATIENCE, TestDb, until};
use rumqttc::mqttbytes::v4::{Packet, PubAck};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::device::Device;
use crate::log::Log;
use crate::{identity, pass, start};

platform::on_both_databases![
    clients_of_other_versions_get_the_refusal_of_their_version,
    connects_of_mqtt_5_are_refused_whatever_follows_and_limited_in_the_log,
    keep_alive_above_the_cap_of_the_template_or_none_counts_as_the_cap,
    second_device_with_the_same_identity_is_told_to_try_later,
    reports_of_a_clock_that_is_off_are_stored_without_its_time,
];

/// A running client.
struct Client {
    lines: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl Client {
    fn start(cloud: &TestCloud, version: &str, keep_alive: &str, reports: &[String]) -> Self {
        const DSN: &str = "DEV-A1";
        let link = cloud.link_addr();
        let mut client = Command::new("/usr/bin/python3");
        client.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/device_link/client.py"));
        client.args([&link.ip().to_string(), &link.port().to_string(), DSN, &device_key(DSN), version, keep_alive]);
        client.args(reports);
        let mut process = client.stdout(Stdio::piped()).kill_on_drop(true).spawn().expect("Debian's Python");
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { lines, _process: process }
    }

    async fn prints(&mut self, expected: &str) {
        let line = timeout(PATIENCE, self.lines.next_line()).await.unwrap().unwrap();
        assert_eq!(line.as_deref(), Some(expected));
    }
}

async fn clients_of_other_versions_get_the_refusal_of_their_version(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    let refused = || log.lines(&["WARN", "address=127.0.0.1", "not MQTT 3.1.1", "refused a device"]).len();
    for (count, version, answer) in [(1, "5", "Unsupported protocol version"), (2, "3.1", "1")] {
        let mut client = Client::start(&cloud, version, "60", &[]);
        client.prints(answer).await;
        client.prints("closed").await;
        assert_eq!((refused(), api.status("DEV-A1").await), (count, "Offline".to_owned()), "{version}");
    }
    let mut client = Client::start(&cloud, "3.1.1", "60", &[]);
    client.prints("0").await;
    assert_eq!((refused(), api.status("DEV-A1").await), (2, "Online".to_owned()));
    neighbour.receives_nothing_else().await;
}

/// The bytes that the cloud sends until it closes the connection.
async fn answer(cloud: &TestCloud, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(cloud.link_addr()).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    answer
}

async fn connects_of_mqtt_5_are_refused_whatever_follows_and_limited_in_the_log(database: &TestDb) {
    const MQTT_5: &[u8] = b"\x10\x13\0\x04MQTT\x05\x02\0\x3c\0\0\x06DEV-A1";
    let (cloud, _api) = start(database).await;
    let refusal: &[u8] = &[0x20, 3, 0, 0x84, 0];
    let too_long = [b"\x10\xff\xff\x7f", &MQTT_5[2..]].concat();
    for (connect, expected) in [
        (MQTT_5, refusal),
        // The version is all that is read of it: without the rest, with rubbish in its place, and with a packet behind it.
        (b"\x10\x07\0\x04MQTT\x05", refusal),
        (b"\x10\x0a\0\x04MQTT\x05\xff\xff\xff", refusal),
        (&[MQTT_5, b"\xc0\0"].concat(), refusal),
        // A version that does not exist yet, and one that ends before its number.
        (b"\x10\x0c\0\x04MQTT\x06\x02\0\x3c\0\0", &[0x20, 2, 0, 1]),
        (b"\x10\x06\0\x04MQTT", &[]),
        (&too_long, &[]),
    ] {
        assert_eq!(answer(&cloud, connect).await, expected, "{connect:?}");
    }
    // Refusals of one address are not all logged.
    let log = Log::listen();
    for _ in 0..130 {
        assert_eq!(answer(&cloud, MQTT_5).await, refusal);
    }
    let lines = log.lines(&["WARN", "not MQTT 3.1.1"]).len();
    assert!((90..130).contains(&lines), "{lines} lines");
    // A second CONNECT, of MQTT 5.
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.send_bytes(MQTT_5).await;
    device.is_closed().await;
    // Payloads that begin like one.
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    let id = device.publish("devices/DEV-A1/report", MQTT_5).await;
    assert_eq!(device.next().await, Packet::PubAck(PubAck::new(id)));
}

async fn keep_alive_above_the_cap_of_the_template_or_none_counts_as_the_cap(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let last_heard = async || api.get("DEV-A1.json").await["device"]["last_heard_at"].take();
    // The cap, if the template has another one than at first, the keep-alive of the client, and that of the cloud.
    for (cap, asked, seconds) in
        [(None, "0", 1200), (None, "65535", 1200), (Some(60), "0", 60), (Some(60), "61", 60), (Some(60), "30", 30)]
    {
        if let Some(cap) = cap {
            cloud.operator().set_max_keep_alive(api.oem(), "thing", cap).await.unwrap();
        }
        let mut client = Client::start(&cloud, "3.1.1", asked, &[]);
        client.prints("0").await;
        assert!(last_heard().await.is_null());
        // It is silent after one and a quarter of them, and lost after one and a half.
        pass(Duration::from_millis(seconds * 1250)).await;
        timeout(PATIENCE, until(async || !last_heard().await.is_null())).await.unwrap();
        assert_eq!(api.status("DEV-A1").await, "Online", "{cap:?} {asked}");
        pass(Duration::from_millis(seconds * 250)).await;
        client.prints("closed").await;
        api.goes_offline("DEV-A1").await;
    }
}

async fn second_device_with_the_same_identity_is_told_to_try_later(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut open = identity::replaced_too_often(&cloud, database).await;
    let mut second = Client::start(&cloud, "3.1.1", "60", &[]);
    second.prints("3").await;
    second.prints("closed").await;
    open.receives_nothing_else().await;
    cloud.clock().advance(identity::PAUSE);
    let mut second = Client::start(&cloud, "3.1.1", "60", &[]);
    second.prints("0").await;
    open.is_closed().await;
    assert_eq!(api.status("DEV-A1").await, "Online");
}

async fn reports_of_a_clock_that_is_off_are_stored_without_its_time(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let now = cloud.clock().now();
    let report = |value: i64, ahead| {
        let at = now + SignedDuration::from_secs(ahead);
        json!({"properties": {"intensity": value}, "at": at}).to_string()
    };
    let mut client = Client::start(&cloud, "3.1.1", "60", &[report(1, -60), report(2, 300), report(3, 301)]);
    for line in ["0", "stored", "stored", "stored"] {
        client.prints(line).await;
    }
    let datapoints = api.get("DEV-A1/properties/intensity/datapoints.json").await;
    let times: BTreeMap<i64, Value> = datapoints
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["datapoint"])
        .map(|it| (it["value"].as_i64().unwrap(), it["created_at_from_device"].clone()))
        .filter(|(value, _)| *value <= 3)
        .collect();
    assert_eq!(
        times,
        [(1, json!("2026-11-20T09:59:00Z")), (2, json!("2026-11-20T10:05:00Z")), (3, Value::Null)].into()
    );
    let fault = &api.get("DEV-A1.json").await["device"]["faults"][0];
    assert_eq!((&fault["kind"], &fault["value"]), (&json!("clock_off"), &json!("301 seconds ahead")));
}
