//! Online and Offline.

use std::time::Duration;

use cloud::testing::TestCloud;
use jiff::SignedDuration;
use platform::db::Params;
use platform::testing::{PATIENCE, TestDb, until};
use rumqttc::mqttbytes::v4::Packet;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::device::{Device, own_login};
use crate::{pass, start};

platform::on_both_databases![
    connection_changes_are_published_with_their_time,
    newest_connection_replaces_the_older_one,
    device_silent_for_one_and_a_half_keep_alives_goes_offline,
    silent_device_shows_when_it_was_last_heard_until_it_is_heard_again,
    devices_are_offline_after_a_crash_until_they_connect,
    shutdown_does_not_wait_for_devices,
];

async fn connection_changes_are_published_with_their_time(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut events = api.connectivity().await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    cloud.clock().advance(SignedDuration::from_mins(5));
    device.send(Packet::Disconnect).await;
    device.is_closed().await;
    assert_eq!(events.next().await, json!({"status": "Online", "event_time": "2026-11-20T10:00:00Z"}));
    assert_eq!(events.next().await, json!({"status": "Offline", "event_time": "2026-11-20T10:05:00Z"}));
    let offline = api.get("DEV-A1.json").await;
    assert_eq!(offline["device"]["connection_status"], "Offline");
    assert_eq!(offline["device"]["connected_at"], "2026-11-20T10:00:00Z");
}

async fn newest_connection_replaces_the_older_one(database: &TestDb) {
    let (cloud, api) = start(database).await;
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

async fn device_silent_for_one_and_a_half_keep_alives_goes_offline(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut connect = own_login("DEV-A1");
    connect.keep_alive = 100;
    let (mut device, _) = Device::connect(&cloud, connect).await;

    for _ in 0..3 {
        pass(Duration::from_secs(140)).await;
        device.receives_nothing_else().await;
    }
    assert_eq!(api.status("DEV-A1").await, "Online");
    // Packets from the cloud do not count as activity of the device.
    device.subscribe().await;
    device.receives_nothing_else().await;
    pass(Duration::from_secs(140)).await;
    api.write("DEV-A1", "fan", json!(1)).await;
    device.command().await;
    pass(Duration::from_secs(20)).await;
    device.is_closed().await;
    api.goes_offline("DEV-A1").await;
}

async fn silent_device_shows_when_it_was_last_heard_until_it_is_heard_again(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let last_heard = async || api.get("DEV-A1.json").await["device"]["last_heard_at"].take();
    let becomes = async |expected: Value| {
        timeout(PATIENCE, until(async || last_heard().await == expected)).await.unwrap();
    };
    let mut connect = own_login("DEV-A1");
    connect.keep_alive = 1200;
    let (mut device, _) = Device::connect(&cloud, connect).await;
    cloud.clock().advance(SignedDuration::from_mins(1));
    device.receives_nothing_else().await;
    pass(Duration::from_mins(24)).await;
    assert_eq!(last_heard().await, Value::Null, "a device may be silent for its keep-alive");
    cloud.clock().advance(SignedDuration::from_mins(25));
    pass(Duration::from_mins(1)).await;
    becomes(json!("2026-11-20T10:01:00Z")).await;
    assert_eq!(api.status("DEV-A1").await, "Online");

    device.receives_nothing_else().await;
    becomes(Value::Null).await;
    pass(Duration::from_mins(25)).await;
    becomes(json!("2026-11-20T10:26:00Z")).await;
    pass(Duration::from_mins(5)).await;
    device.is_closed().await;
    api.goes_offline("DEV-A1").await;
    assert_eq!(last_heard().await, "2026-11-20T10:26:00Z");
    let _back = Device::sign_in(&cloud, "DEV-A1").await;
    assert_eq!(last_heard().await, Value::Null);
}

async fn devices_are_offline_after_a_crash_until_they_connect(database: &TestDb) {
    let (_crashed, api) = start(database).await;
    // The device is Online in the database, but has no connection that could set it Offline.
    let sql = "update device_state set status = 'Online', generation = 7";
    database.execute(sql, Params::default()).await.unwrap();
    assert_eq!(api.status("DEV-A1").await, "Online");

    let cloud = TestCloud::start_with(|config| config.database_url.clone_from(&database.url)).await;
    let api = api.again(&cloud).await;
    assert_eq!(api.status("DEV-A1").await, "Offline");
    let _device = Device::sign_in(&cloud, "DEV-A1").await;
    assert_eq!(api.status("DEV-A1").await, "Online");
}

async fn shutdown_does_not_wait_for_devices(database: &TestDb) {
    let (cloud, _api) = start(database).await;
    let silent = TcpStream::connect(cloud.link_addr()).await.unwrap();
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    // Less than the ten seconds for which a connection may wait with its CONNECT.
    timeout(Duration::from_secs(8), cloud.shutdown()).await.unwrap();
    device.is_closed().await;
    drop(silent);
}
