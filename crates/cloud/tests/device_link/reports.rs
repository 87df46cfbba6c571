//! Reports of devices.

use futures::{FutureExt, StreamExt};
use platform::db::Params;
use platform::testing::TestDb;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Packet, PubAck, Publish};
use serde_json::json;

use crate::device::Device;
use crate::log::Log;
use crate::start;

platform::on_both_databases![
    report_reaches_users_with_the_time_of_the_device,
    last_reported_software_version_and_lan_address_are_shown,
    report_with_qos_zero_is_stored,
    report_is_acknowledged_only_after_its_commit,
    report_that_fails_to_commit_is_not_acknowledged_and_can_be_resent,
];

async fn report_reaches_users_with_the_time_of_the_device(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.send_message("report", &json!({"properties": {"intensity": 33, "hours": 13.25, "note": "Café"}})).await;
    for (name, value) in [("intensity", json!(33)), ("hours", json!(13.25)), ("note", json!("Café"))] {
        assert_eq!(api.property("DEV-A1", name).await["value"], value);
    }
    device.send_message("report", &json!({"properties": {"intensity": 34}, "at": "2026-11-20T08:30:00+01:00"})).await;
    let datapoints = api.get("DEV-A1/properties/intensity/datapoints.json?limit=1").await;
    let last = &datapoints[0]["datapoint"];
    assert_eq!((&last["value"], &last["created_at_from_device"]), (&json!(34), &json!("2026-11-20T07:30:00Z")));
}

async fn last_reported_software_version_and_lan_address_are_shown(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    for (info, expected) in [
        (json!({}), ["", ""]),
        (json!({"sw_version": "link 1.3.2", "lan_ip": "192.168.1.20"}), ["link 1.3.2", "192.168.1.20"]),
        (json!({}), ["link 1.3.2", "192.168.1.20"]),
        (json!({"sw_version": "link 1.4.0"}), ["link 1.4.0", "192.168.1.20"]),
        (json!({"lan_ip": "fe80::1"}), ["link 1.4.0", "fe80::1"]),
    ] {
        let mut report = json!({"properties": {"intensity": 33}});
        report.as_object_mut().unwrap().extend(info.as_object().unwrap().clone());
        device.send_message("report", &report).await;
        let shown = api.get("DEV-A1.json").await["device"].take();
        assert_eq!([&shown["sw_version"], &shown["lan_ip"]], expected, "{info}");
    }
    let neighbour = api.get("DEV-A2.json").await["device"].take();
    assert_eq!([&neighbour["sw_version"], &neighbour["lan_ip"]], ["", ""]);
}

async fn report_with_qos_zero_is_stored(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    let report = Publish::new("devices/DEV-A1/report", QoS::AtMostOnce, r#"{"properties": {"intensity": 33}}"#);
    device.send(Packet::Publish(report)).await;
    // Packets are processed in order, so the report is handled before the response.
    device.receives_nothing_else().await;
    assert_eq!(api.property("DEV-A1", "intensity").await["value"], 33);
}

async fn report_is_acknowledged_only_after_its_commit(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;

    let mut other_writer = database.begin().await.unwrap();
    other_writer.execute("update property set value = value", Params::default()).await.unwrap();
    let id = device.publish("devices/DEV-A1/report", r#"{"properties": {"intensity": 33}}"#).await;
    // Each of these calls runs on the same runtime as the gateway, which has all the time it needs.
    for _ in 0..5 {
        assert_eq!(api.property("DEV-A1", "intensity").await["value"], 20);
        assert!(device.wire.next().now_or_never().is_none(), "acknowledged before the commit");
    }
    other_writer.commit().await.unwrap();
    assert_eq!(device.next().await, Packet::PubAck(PubAck::new(id)));
    assert_eq!(api.property("DEV-A1", "intensity").await["value"], 33);
}

async fn report_that_fails_to_commit_is_not_acknowledged_and_can_be_resent(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    database.execute("alter table datapoint rename to elsewhere", Params::default()).await.unwrap();
    device.publish("devices/DEV-A1/report", r#"{"properties": {"intensity": 33}}"#).await;
    device.is_closed().await;
    neighbour.receives_nothing_else().await;
    assert_eq!(log.lines(&["DEV-A1", "reason=store"]).len(), 1);

    database.execute("alter table elsewhere rename to datapoint", Params::default()).await.unwrap();
    assert_eq!(api.property("DEV-A1", "intensity").await["value"], 20);
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.send_message("report", &json!({"properties": {"intensity": 33}})).await;
    assert_eq!(api.property("DEV-A1", "intensity").await["value"], 33);
    neighbour.send_message("report", &json!({"properties": {"intensity": 34}})).await;
}
