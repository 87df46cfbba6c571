//! Devices that are refused repeatedly or send too fast do not affect others.

use std::time::Duration;

use cloud::LinkRate;
use cloud::testing::device_key;
use platform::testing::TestDb;
use rumqttc::mqttbytes::v4::{ConnectReturnCode, Packet};
use serde_json::json;

use crate::device::{Device, login, own_login};
use crate::log::Log;
use crate::{pass, start, start_strict, start_with};

const PING: [u8; 2] = [0xc0, 0];

platform::on_both_databases![
    device_disconnected_for_repeated_errors_is_barred,
    wrong_key_in_a_loop_bars_only_that_claim,
    address_that_tries_many_dsns_does_not_block_other_devices_behind_it,
    flooding_device_is_disconnected_and_others_are_not,
    device_within_its_rate_limit_stays_connected,
    rate_limit_is_configurable,
];

async fn wrong_key_in_a_loop_bars_only_that_claim(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    let wrong = || login("DEV-B1", "DEV-B1", &device_key("DEV-A1"));
    for attempt in 0..25 {
        let (mut device, code) = Device::connect(&cloud, wrong()).await;
        let expected =
            if attempt < 20 { ConnectReturnCode::NotAuthorized } else { ConnectReturnCode::ServiceUnavailable };
        assert_eq!(code, expected, "attempt {attempt}");
        device.is_closed().await;
    }
    assert_eq!(log.lines(&["WARN", "DEV-B1"]).len(), 20);

    let (_, elsewhere) = Device::connect_from(&cloud, 2, wrong()).await;
    assert_eq!(elsewhere, ConnectReturnCode::ServiceUnavailable);

    // The right key for the same dsn, from this address and another.
    let _here = Device::sign_in(&cloud, "DEV-B1").await;
    let (_elsewhere, code) = Device::connect_from(&cloud, 2, own_login("DEV-B1")).await;
    assert_eq!(code, ConnectReturnCode::Success);
    assert_eq!(api.status("DEV-B1").await, "Online");
    pass(Duration::from_secs(10)).await;
    let (_, code) = Device::connect(&cloud, wrong()).await;
    assert_eq!(code, ConnectReturnCode::NotAuthorized, "the key is checked again");

    let _behind_the_same_address = Device::sign_in(&cloud, "DEV-A1").await;
    neighbour.send_message("report", &json!({"properties": {"fan": 1}})).await;
}

async fn device_disconnected_for_repeated_errors_is_barred(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start_strict(database).await;
    for _ in 0..20 {
        let mut device = Device::sign_in(&cloud, "DEV-A1").await;
        device.publish("devices/DEV-A1/report", "{").await;
        device.is_closed().await;
    }
    for _ in 0..5 {
        let (_, code) = Device::connect(&cloud, own_login("DEV-A1")).await;
        assert_eq!(code, ConnectReturnCode::ServiceUnavailable);
    }
    assert_eq!(log.lines(&["WARN", "DEV-A1"]).len(), 20);
    api.goes_offline("DEV-A1").await;
    pass(Duration::from_secs(10)).await;
    Device::sign_in(&cloud, "DEV-A1").await.receives_nothing_else().await;
}

async fn address_that_tries_many_dsns_does_not_block_other_devices_behind_it(database: &TestDb) {
    let log = Log::listen();
    let (cloud, _api) = start(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    for n in 0..130 {
        let dsn = format!("GUESS-{n}");
        let (_, code) = Device::connect(&cloud, login(&dsn, &dsn, "guess")).await;
        assert_eq!(code, ConnectReturnCode::NotAuthorized);
    }
    let lines = log.lines(&["GUESS-"]).len();
    assert!((100..130).contains(&lines), "{lines} lines");
    let _behind_the_same_address = Device::sign_in(&cloud, "DEV-A1").await;
    neighbour.send_message("report", &json!({"properties": {"fan": 1}})).await;
}

async fn flooding_device_is_disconnected_and_others_are_not(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.send_bytes(&PING.repeat(5000)).await;
    device.is_closed_after_answers().await;
    api.goes_offline("DEV-A1").await;
    assert_eq!(log.lines(&["WARN", "DEV-A1", "sends packets too fast"]).len(), 1);
    neighbour.send_message("report", &json!({"properties": {"fan": 1}})).await;
    // It may reconnect and stay.
    Device::sign_in(&cloud, "DEV-A1").await.receives_nothing_else().await;
}

async fn device_within_its_rate_limit_stays_connected(database: &TestDb) {
    let (cloud, _api) = start(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    for _ in 0..100 {
        device.receives_nothing_else().await;
    }
    for _ in 0..300 {
        pass(Duration::from_millis(50)).await;
        device.receives_nothing_else().await;
    }
}

async fn rate_limit_is_configurable(database: &TestDb) {
    let (cloud, _api) =
        start_with(database, |config| config.link_rate = LinkRate { burst: 2, each: Duration::from_secs(60) }).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.receives_nothing_else().await;
    device.receives_nothing_else().await;
    device.send(Packet::PingReq).await;
    device.is_closed().await;
}
