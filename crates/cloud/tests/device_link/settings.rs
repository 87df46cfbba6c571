//! Settings of devices.

use jiff::SignedDuration;
use platform::testing::TestDb;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Packet, SubscribeReasonCode, Unsubscribe};
use serde_json::json;

use crate::device::Device;
use crate::start;

platform::on_both_databases![
    subscribed_device_receives_its_zone_and_the_time,
    changed_time_zone_is_sent_to_the_device,
    settings_and_commands_are_subscribed_to_separately,
];

async fn subscribed_device_receives_its_zone_and_the_time(database: &TestDb) {
    let (cloud, _api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.receives_nothing_else().await;
    device.subscribe_to("settings").await;
    let (id, settings) = device.receive("settings").await;
    assert_ne!(id, 0);
    assert_eq!(settings, json!({"time_zone": "Europe/Paris", "time": "2026-11-20T10:00:00Z"}));
    device.receives_nothing_else().await;

    // A wrong device clock is corrected by subscribing again.
    cloud.clock().advance(SignedDuration::from_secs(90));
    let granted = device.request_subscription("devices/DEV-A1/settings", QoS::AtMostOnce).await;
    assert_eq!(granted, SubscribeReasonCode::Success(QoS::AtMostOnce));
    let again = device.receive("settings").await;
    assert_eq!(again, (0, json!({"time_zone": "Europe/Paris", "time": "2026-11-20T10:01:30Z"})));
}

async fn changed_time_zone_is_sent_to_the_device(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    for device in [&mut device, &mut neighbour] {
        device.subscribe_to("settings").await;
        device.receive("settings").await;
    }
    api.set_time_zone("DEV-A1", "Asia/Tokyo").await;
    assert_eq!(device.receive("settings").await.1["time_zone"], "Asia/Tokyo");
    cloud.set_time_zone("DEV-A1", None).await;
    assert_eq!(device.receive("settings").await.1["time_zone"], json!(null));
    // Changes other than the time zone do not concern the settings.
    api.write("DEV-A1", "fan", json!(1)).await;
    device.receives_nothing_else().await;
    neighbour.receives_nothing_else().await;

    let mut unsubscribe = Unsubscribe::new("devices/DEV-A1/settings");
    unsubscribe.pkid = 7;
    device.send(Packet::Unsubscribe(unsubscribe)).await;
    assert!(matches!(device.next().await, Packet::UnsubAck(ack) if ack.pkid == 7));
    cloud.set_time_zone("DEV-A1", Some("Europe/Paris")).await;
    device.receives_nothing_else().await;
}

async fn settings_and_commands_are_subscribed_to_separately(database: &TestDb) {
    let (cloud, api) = start(database).await;
    api.write("DEV-A1", "fan", json!(1)).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.subscribe_to("settings").await;
    device.receive("settings").await;
    device.receives_nothing_else().await;
    device.subscribe().await;
    assert_eq!(device.take_command().await["property"], "fan");
    device.receives_nothing_else().await;
}
