//! Commands of users.

use std::time::Duration;

use cloud::operator::{NewDevice, Template, TemplateProperty};
use cloud::testing::{TestCloud, device_key};
use cloud::{BaseType, Direction, Limits};
use jiff::SignedDuration;
use platform::testing::TestDb;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Packet, PubAck, SubscribeReasonCode, Unsubscribe};
use serde_json::json;
use tokio::time::timeout;

use crate::api::Api;
use crate::device::Device;
use crate::{pass, start};

platform::on_both_databases![
    command_reaches_a_connected_device_and_its_ack_the_user,
    commands_issued_while_offline_are_pending_until_the_ack,
    expired_command_is_not_sent,
    commands_are_sent_with_qos_zero_and_stop_after_unsubscribe,
    at_most_sixteen_commands_are_in_flight,
    command_whose_notification_was_lost_is_sent_within_two_seconds,
];

async fn command_reaches_a_connected_device_and_its_ack_the_user(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.subscribe().await;
    device.receives_nothing_else().await;

    let id = api.write("DEV-A1", "intensity", json!(30)).await;
    let command = device.take_command().await;
    let expected = json!({"id": id, "property": "intensity", "value": 30, "created_at": "2026-11-20T10:00:00Z"});
    assert_eq!(command, expected);
    let pending = api.property("DEV-A1", "intensity").await;
    assert_eq!((&pending["command"]["state"], pending.get("acked_at")), (&json!("pending"), None));

    device.send_message("ack", &json!({"id": id, "status": 200, "message": 0})).await;
    let done = api.property("DEV-A1", "intensity").await;
    assert_eq!((&done["command"]["state"], &done["value"]), (&json!("acknowledged"), &json!(30)));
    assert_eq!(done["acked_at"], "2026-11-20T10:00:00Z");
    device.receives_nothing_else().await;

    let id = api.write("DEV-A1", "intensity", json!(40)).await;
    device.take_command().await;
    device.send_message("ack", &json!({"id": id, "status": 422, "message": "too much"})).await;
    let refused = api.property("DEV-A1", "intensity").await;
    assert_eq!((&refused["command"]["state"], &refused["value"]), (&json!("failed"), &json!(30)));
}

async fn command_whose_notification_was_lost_is_sent_within_two_seconds(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let other = TestCloud::start_with(|config| config.database_url.clone_from(&database.url)).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.subscribe().await;
    device.receives_nothing_else().await;

    // The bus of the other node does not reach this one.
    let id = api.again(&other).await.write("DEV-A1", "intensity", json!(30)).await;
    pass(Duration::from_secs(1)).await;
    let command = timeout(Duration::from_secs(10), device.take_command()).await;
    assert_eq!(command.expect("without a longer wait")["id"], id);
    pass(Duration::from_secs(1)).await;
    device.receives_nothing_else().await;
}

async fn commands_issued_while_offline_are_pending_until_the_ack(database: &TestDb) {
    let (cloud, api) = start(database).await;
    api.write("DEV-A1", "intensity", json!(30)).await;
    cloud.clock().advance(SignedDuration::from_secs(1));
    let fan = api.write("DEV-A1", "fan", json!(2)).await;
    cloud.clock().advance(SignedDuration::from_secs(1));
    let intensity = api.write("DEV-A1", "intensity", json!(31)).await;

    // The newest command of each property, oldest first. A PUBACK settles no command, so the next connection gets them
    // again.
    for _ in 0..2 {
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.receives_nothing_else().await;
        device.subscribe().await;
        let commands = [device.take_command().await, device.take_command().await];
        assert_eq!(commands.map(|it| it["id"].clone()), [json!(fan), json!(intensity)]);
        device.send_message("report", &json!({"properties": {"intensity": 5}})).await;
        assert_eq!(
            api.property("DEV-A1", "intensity").await["value"],
            31,
            "the pending command takes precedence over reports"
        );
        device.receives_nothing_else().await;
    }

    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.send_message("ack", &json!({"id": intensity, "status": 200})).await;
    device.send_message("ack", &json!({"id": intensity, "status": 500, "message": "a second ack"})).await;
    device.send_message("ack", &json!({"id": "unknown", "status": 200})).await;
    assert_eq!(api.property("DEV-A1", "intensity").await["command"]["state"], "acknowledged");
    device.subscribe().await;
    assert_eq!(device.take_command().await["id"], json!(fan));
    device.receives_nothing_else().await;
}

async fn expired_command_is_not_sent(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let id = api.write("DEV-A1", "intensity", json!(30)).await;
    cloud.clock().advance(SignedDuration::from_hours(7 * 24 + 1));
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.subscribe().await;
    device.receives_nothing_else().await;
    cloud.expire_commands().await;
    let api = api.again(&cloud).await;
    let expired = api.property("DEV-A1", "intensity").await;
    assert_eq!((&expired["command"]["state"], &expired["value"]), (&json!("expired"), &json!(20)));
    // The device acknowledges the expired command.
    device.send_message("ack", &json!({"id": id, "status": 200})).await;
    let done = api.property("DEV-A1", "intensity").await;
    assert_eq!((&done["command"]["state"], &done["value"]), (&json!("acknowledged"), &json!(30)));
}

async fn commands_are_sent_with_qos_zero_and_stop_after_unsubscribe(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    let granted = device.request_subscription("devices/DEV-A1/command", QoS::AtMostOnce).await;
    assert_eq!(granted, SubscribeReasonCode::Success(QoS::AtMostOnce));
    let id = api.write("DEV-A1", "fan", json!(1)).await;
    let (packet_id, command) = device.command().await;
    assert_eq!((packet_id, &command["id"]), (0, &json!(id)));

    let mut unsubscribe = Unsubscribe::new("devices/DEV-A1/command");
    unsubscribe.pkid = 7;
    device.send(Packet::Unsubscribe(unsubscribe)).await;
    assert!(matches!(device.next().await, Packet::UnsubAck(ack) if ack.pkid == 7));
    api.write("DEV-A1", "fan", json!(2)).await;
    device.receives_nothing_else().await;
}

async fn at_most_sixteen_commands_are_in_flight(database: &TestDb) {
    let cloud = TestCloud::start_with(|config| config.database_url.clone_from(&database.url)).await;
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
    let many = Template { name: "many".into(), properties: properties.collect(), schedules: vec![] };
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
    device.receives_nothing_else().await;
    for (n, id) in (16..20).zip(in_flight) {
        device.send(Packet::PubAck(PubAck::new(id))).await;
        assert_eq!(device.command().await.1["value"], n);
    }
    device.receives_nothing_else().await;
}
