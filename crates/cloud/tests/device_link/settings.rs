//! Settings of devices.

use std::process::Stdio;

use cloud::testing::device_key;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use platform::testing::TestDb;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Packet, SubscribeReasonCode, Unsubscribe};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::device::Device;
use crate::start;

platform::on_both_databases![
    subscribed_device_receives_its_zone_and_the_time,
    chip_without_zone_data_keeps_its_schedule_over_both_changes_of_clocks,
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
    assert_eq!(settings, in_paris("2026-11-20T10:00:00Z"));
    device.receives_nothing_else().await;

    // A wrong device clock is corrected by subscribing again.
    cloud.clock().advance(SignedDuration::from_secs(90));
    let granted = device.request_subscription("devices/DEV-A1/settings", QoS::AtMostOnce).await;
    assert_eq!(granted, SubscribeReasonCode::Success(QoS::AtMostOnce));
    let again = device.receive("settings").await;
    assert_eq!(again, (0, in_paris("2026-11-20T10:01:30Z")));
}

/// The settings of a device in Paris in the winter of 2026.
pub(crate) fn in_paris(time: &str) -> Value {
    json!({
        "time_zone": "Europe/Paris", "time": time, "offset": 3600,
        "next_change": {"at": "2027-03-28T01:00:00Z", "offset": 7200}, "posix": "CET-1CEST,M3.5.0,M10.5.0/3",
    })
}

async fn chip_without_zone_data_keeps_its_schedule_over_both_changes_of_clocks(database: &TestDb) {
    let (cloud, _api) = start(database).await;
    let address = cloud.link_addr();
    for name in ["Europe/Paris", "America/Santiago", "Australia/Lord_Howe", "Asia/Kolkata"] {
        let zone = TimeZone::get(name).unwrap();
        cloud.set_time_zone("DEV-A1", Some(name)).await;
        let mut chip = Command::new("/usr/bin/python3");
        chip.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/device_link/chip.py"));
        chip.args([&address.ip().to_string(), &address.port().to_string(), "DEV-A1", &device_key("DEV-A1")]);
        let mut chip = chip.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Debian's Python");
        // A year has both changes; each skips or repeats a time of day.
        let changes: Vec<Timestamp> = zone.following(cloud.clock().now()).take(2).map(|it| it.timestamp()).collect();
        let start = cloud.clock().now();
        let around = |change: &Timestamp| *change - SignedDuration::from_hours(30);
        let begins = if changes.is_empty() { vec![start] } else { changes.iter().map(around).collect() };
        let hour_quarters = |begin: Timestamp| (0..240).map(move |it| begin + SignedDuration::from_mins(15 * it));
        let instants: Vec<Timestamp> = begins.into_iter().flat_map(hour_quarters).collect();
        let mut input = chip.stdin.take().unwrap();
        let asked: String = instants.iter().map(|at| format!("{}\n", at.as_second())).collect();
        input.write_all(asked.as_bytes()).await.unwrap();
        drop(input);
        let printed = String::from_utf8(chip.wait_with_output().await.unwrap().stdout).unwrap();
        assert_eq!(printed.lines().count(), instants.len(), "{name}");
        for (at, line) in instants.into_iter().zip(printed.lines()) {
            let local = at.to_zoned(zone.clone());
            let is_active =
                (2 * 60 + 15..3 * 60 + 45).contains(&(i32::from(local.hour()) * 60 + i32::from(local.minute())));
            let expected =
                format!("{} {}", local.strftime("%Y-%m-%dT%H:%M:%S"), if is_active { "active" } else { "idle" });
            let words: Vec<&str> = line.split(' ').collect();
            let (by_change, by_rules) = (words[..2].join(" "), words[2..].join(" "));
            assert_eq!(by_rules, expected, "{name} at {at}");
            // The settings name the first change only.
            if changes.get(1).is_none_or(|second| at < *second) {
                assert_eq!(by_change, expected, "{name} at {at}");
            }
        }
    }
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
