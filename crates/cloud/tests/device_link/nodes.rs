//! Several nodes on one PostgreSQL database.

use std::time::Duration;

use cloud::testing::TestCloud;
use jiff::SignedDuration;
use platform::db::params;
use platform::testing::TestDb;
use rumqttc::mqttbytes::v4::{ConnectReturnCode, Packet};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::api::Api;
use crate::device::{Device, own_login};
use crate::{identity, pass, start};
use platform::testing::{PATIENCE, until};

/// Time within which the devices of a killed node are Offline: their keep-alive plus this.
const SWEPT_WITHIN: i64 = 10;

/// The connection changes of a device, oldest first.
async fn history(database: &TestDb, dsn: &str) -> Vec<String> {
    let sql =
        "select c.status from connection_change c join device d on d.id = c.device_id where d.dsn = $1 order by c.id";
    let rows: Vec<(String,)> = database.fetch_all(sql, params![dsn]).await.unwrap();
    rows.into_iter().map(|(status,)| status).collect()
}

fn report(value: i64) -> Value {
    json!({ "properties": { "hours": value } })
}

/// Lets time pass with heartbeats of `alive`, observed by the first of them. Returns the seconds until a condition holds.
async fn beat_until(alive: &[&TestCloud], is_met: impl AsyncFn() -> bool) -> i64 {
    for second in 1..=60 {
        alive[0].clock().advance(SignedDuration::from_secs(1));
        for node in alive {
            node.send_heartbeat().await;
        }
        for node in alive {
            node.observe_nodes().await;
        }
        if is_met().await {
            return second;
        }
    }
    61
}

#[tokio::test]
async fn starting_node_leaves_the_connections_of_living_nodes() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let mut device = Device::sign_in(&first, "DEV-A1").await;
    let second = first.another_node().await;
    assert_eq!(api.again(&second).await.status("DEV-A1").await, "Online");
    let ended = beat_until(&[&first, &second], async || api.status("DEV-A1").await != "Online").await;
    assert_eq!(ended, 61, "nodes with heartbeats stay alive");
    device.send_message("report", &report(1)).await;
    assert_eq!(history(&database, "DEV-A1").await, ["Online"]);
    second.shutdown().await;
    assert_eq!(api.status("DEV-A1").await, "Online");
    drop(device);
    api.goes_offline("DEV-A1").await;
}

#[tokio::test]
async fn command_of_one_node_reaches_a_device_of_another_within_a_second() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let second = first.another_node().await;
    let mut device = Device::sign_in(&second, "DEV-A1").await;
    device.subscribe().await;
    device.subscribe_to("settings").await;
    device.receive("settings").await;
    let id = api.write("DEV-A1", "fan", json!(2)).await;
    let command = timeout(Duration::from_secs(1), device.take_command()).await.expect("within a second");
    assert_eq!(command["id"], json!(id));
    device.send_message("ack", &json!({ "id": id, "status": 200 })).await;
    assert_eq!(api.property("DEV-A1", "fan").await["command"]["state"], "acknowledged");
    api.set_time_zone("DEV-A1", "Asia/Tokyo").await;
    assert_eq!(device.receive("settings").await.1["time_zone"], "Asia/Tokyo");
}

#[tokio::test]
async fn command_of_another_node_is_found_within_a_second_while_the_bus_is_down() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let (second, third) = (first.another_node_without_bus().await, first.another_node_without_bus().await);
    let mut device = Device::sign_in(&second, "DEV-A1").await;
    device.subscribe().await;
    device.receives_nothing_else().await;
    let mut elsewhere = Device::sign_in(&third, "DEV-A2").await;
    elsewhere.subscribe().await;
    elsewhere.receives_nothing_else().await;
    let id = api.write("DEV-A1", "fan", json!(2)).await;
    pass(Duration::from_secs(1)).await;
    let command = timeout(PATIENCE, device.take_command()).await.unwrap();
    assert_eq!(command["id"], json!(id));
    elsewhere.receives_nothing_else().await;
}

#[tokio::test]
async fn devices_of_a_killed_node_are_offline_or_elsewhere_and_cause_no_false_message() {
    let database = TestDb::postgres().await;
    let (killed, api) = start(&database).await;
    for dsn in ["DEV-A1", "DEV-A2", "DEV-B1"] {
        api.watch_losses(dsn, &format!("{dsn}@example.com")).await;
    }
    let survivor = killed.another_node().await;
    let api = api.again(&survivor).await;
    let mut events = api.connectivity().await;
    let mut lost = Device::sign_in(&killed, "DEV-A1").await;
    let _abandoned = Device::sign_in(&killed, "DEV-A2").await;
    let _steady = Device::sign_in(&survivor, "DEV-B1").await;
    for _ in 0..3 {
        assert_eq!(events.next().await["status"], "Online");
    }
    beat_until(&[&survivor], async || true).await;
    // From here on `killed` sends no heartbeats.
    let _moved = Device::sign_in(&survivor, "DEV-A2").await;
    assert_eq!(events.next().await["status"], "Online");
    let swept = beat_until(&[&survivor], async || api.status("DEV-A1").await == "Offline").await;
    assert!(swept <= SWEPT_WITHIN, "{swept} seconds");
    assert_eq!(events.next().await["status"], "Offline");
    for (dsn, changes) in
        [("DEV-A1", &["Online", "Offline"][..]), ("DEV-A2", &["Online"][..]), ("DEV-B1", &["Online"][..])]
    {
        assert_eq!(history(&database, dsn).await, changes, "{dsn}");
    }
    survivor.clock().advance(SignedDuration::from_secs(300));
    survivor.notify_losses().await;
    let recipients: Vec<_> = survivor.outbox().await.into_iter().map(|message| message.recipient).collect();
    assert_eq!(recipients, ["DEV-A1@example.com"]);

    // It had only been paused: its devices connect again.
    killed.send_heartbeat().await;
    lost.is_closed().await;
    let mut back = Device::sign_in(&killed, "DEV-A1").await;
    back.send_message("report", &report(1)).await;
    assert_eq!(api.status("DEV-A1").await, "Online");
    killed.send_heartbeat().await;
    back.receives_nothing_else().await;
    assert_eq!(history(&database, "DEV-A1").await, ["Online", "Offline", "Online"]);
}

#[tokio::test]
async fn node_that_stops_leaves_nothing_to_the_others() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let second = first.another_node().await;
    let _device = Device::sign_in(&second, "DEV-A1").await;
    second.shutdown().await;
    assert_eq!(api.status("DEV-A1").await, "Offline");
    let nodes: Vec<(i64,)> = database.fetch_all("select beats from cloud_node", params![]).await.unwrap();
    assert_eq!(nodes.len(), 1);
}

/// A device that connects to another node leaves the first one, in both directions.
#[tokio::test]
async fn newer_connection_to_another_node_closes_the_older_one() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let second = first.another_node().await;
    let mut connection = Device::sign_in(&first, "DEV-A1").await;
    for node in [&second, &first, &second] {
        let newer = Device::sign_in(node, "DEV-A1").await;
        connection.is_closed().await;
        connection = newer;
    }
    assert_eq!(api.status("DEV-A1").await, "Online");
    connection.send_message("report", &report(1)).await;
    assert_eq!(history(&database, "DEV-A1").await, ["Online"]);
    drop(connection);
    api.goes_offline("DEV-A1").await;
    assert_eq!(history(&database, "DEV-A1").await, ["Online", "Offline"]);
}

#[tokio::test]
async fn connections_to_several_nodes_that_replace_each_other_are_those_of_two_devices() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let second = first.another_node().await;
    let open = Device::sign_in(&first, "DEV-A1").await;
    let nodes = [&second, &first, &second, &second, &first, &second, &first];
    let mut open = identity::replace(&database, open, &nodes).await;
    let shown = async || api.get("DEV-A1.json").await["device"]["shared_identity"] == true;
    timeout(PATIENCE, until(shown)).await.unwrap();
    for node in [&first, &second] {
        let (_, code) = Device::connect(node, own_login("DEV-A1")).await;
        assert_eq!(code, ConnectReturnCode::ServiceUnavailable);
    }
    open.receives_nothing_else().await;
    assert_eq!(history(&database, "DEV-A1").await, ["Online"]);
}

#[tokio::test]
async fn replaced_connection_stores_nothing_and_ends_while_the_bus_is_down() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let second = first.another_node_without_bus().await;
    let mut open = Vec::new();
    for (topic, message) in
        [("report", report(1)), ("ack", json!({ "id": api.write("DEV-A1", "fan", json!(2)).await, "status": 200 }))]
    {
        let mut older = Device::sign_in(&first, "DEV-A1").await;
        let mut newer = Device::sign_in(&second, "DEV-A1").await;
        older.publish(&format!("devices/DEV-A1/{topic}"), message.to_string()).await;
        older.is_closed().await;
        newer.receives_nothing_else().await;
        assert_eq!(api.status("DEV-A1").await, "Online", "the late close of the older connection changes nothing");
        open.push(newer);
    }
    assert_eq!(api.property("DEV-A1", "hours").await["value"], 12.5);
    assert_eq!(api.property("DEV-A1", "fan").await["command"]["state"], "pending");
    assert_eq!(history(&database, "DEV-A1").await, ["Online"]);
}

#[tokio::test]
async fn silent_replaced_connection_ends_within_half_a_minute_while_the_bus_is_down() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let second = first.another_node_without_bus().await;
    let mut older = Device::sign_in(&first, "DEV-A1").await;
    let mut untouched = Device::sign_in(&first, "DEV-A2").await;
    let _newer = Device::sign_in(&second, "DEV-A1").await;
    older.receives_nothing_else().await;
    pass(Duration::from_secs(30)).await;
    older.is_closed().await;
    untouched.receives_nothing_else().await;
    assert_eq!(api.status("DEV-A1").await, "Online");
}

#[tokio::test]
async fn late_disconnect_at_the_older_node_keeps_the_device_online() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let second = first.another_node_without_bus().await;
    let mut events = api.connectivity().await;
    let mut older = Device::sign_in(&first, "DEV-A1").await;
    let mut newer = Device::sign_in(&second, "DEV-A1").await;
    older.send(Packet::Disconnect).await;
    older.is_closed().await;
    newer.send_message("report", &report(1)).await;
    first.shutdown().await;
    let api: Api = api.again(&second).await;
    assert_eq!(api.status("DEV-A1").await, "Online");
    assert_eq!(history(&database, "DEV-A1").await, ["Online"]);
    assert_eq!(events.next().await["status"], "Online");
}

#[tokio::test]
async fn streams_of_one_node_carry_the_events_of_all_and_end_with_a_sign_out_at_another() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let second = first.another_node().await;
    let at_second = api.again(&second).await;
    let mut stream = at_second.stream().await;
    for (seq, node) in [("1", &first), ("2", &second), ("3", &first)] {
        node.device("DEV-A1").await.report(&[("fan", json!(1))]).await;
        let event = stream.event().await;
        assert_eq!((&event["seq"], &event["metadata"]["property_name"]), (&json!(seq), &json!("fan")));
    }
    at_second.at(&first).sign_out().await;
    assert_eq!(stream.closed().await, Some(1008));
}

#[tokio::test]
async fn streams_end_when_events_of_other_nodes_may_be_missing() {
    let database = TestDb::postgres().await;
    let (first, api) = start(&database).await;
    let mut stream = api.stream().await;
    first.device("DEV-A1").await.report(&[("hours", json!(1))]).await;
    assert_eq!(stream.event().await["seq"], "1");
    first.lose_events();
    assert_eq!(stream.closed().await, Some(1013));
}
