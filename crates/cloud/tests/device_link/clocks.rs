//! Devices whose clock is off.

use jiff::{SignedDuration, Timestamp};
use platform::db::Params;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::device::Device;
use crate::log::Log;
use crate::{start, start_strict};

platform::on_both_databases![
    time_of_a_clock_that_is_off_is_counted_and_not_stored,
    value_that_was_stored_while_the_device_was_offline_keeps_its_time,
    strict_template_does_not_refuse_a_report_because_of_the_clock,
];

async fn faults(database: &TestDb) -> Vec<(String, String, i64, String)> {
    let sql = "select subject, kind, count, shape from device_fault order by last_at, kind";
    database.fetch_all(sql, Params::default()).await.unwrap()
}

fn clock_off(count: i64, shape: &str) -> (String, String, i64, String) {
    ("at".to_owned(), "clock_off".to_owned(), count, shape.to_owned())
}

fn report(at: impl Into<Value>) -> Value {
    json!({ "properties": { "intensity": 33 }, "at": at.into() })
}

async fn time_of_a_clock_that_is_off_is_counted_and_not_stored(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let stored = async || {
        let datapoints = api.get("DEV-A1/properties/intensity/datapoints.json?limit=1").await;
        let last = &datapoints[0]["datapoint"];
        (last["created_at"].clone(), last["created_at_from_device"].clone())
    };
    let now = cloud.clock().now();
    let ahead = |seconds| json!(now + SignedDuration::from_secs(seconds));
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.send_message("report", &report(ahead(300))).await;
    assert_eq!((stored().await, faults(database).await), ((json!(now), ahead(300)), vec![]));

    device.send_message("report", &report(ahead(301))).await;
    assert_eq!(stored().await, (json!(now), Value::Null), "the time of the cloud counts");
    assert_eq!(api.property("DEV-A1", "intensity").await["data_updated_at"], json!(now));
    assert_eq!(faults(database).await, [clock_off(1, "301 seconds ahead")]);
    // Others are stored with the end of the connection.
    device.send_message("report", &report(ahead(86_400))).await;
    assert_eq!(stored().await, (json!(now), Value::Null));
    drop(device);
    api.goes_offline("DEV-A1").await;
    assert_eq!(faults(database).await, [clock_off(2, "86400 seconds ahead")]);
    assert_eq!(log.lines(&["WARN", "DEV-A1", "property=\"at\"", "kind=\"clock_off\""]).len(), 1, "once an hour");

    let shown = api.get("DEV-A1.json").await["device"].take();
    assert_eq!((&shown["faults"][0]["kind"], shown["faults"][0]["count"].as_i64()), (&json!("clock_off"), Some(2)));
    assert_eq!(shown["last_refusal"]["reason"], "at is 86400 seconds ahead of the cloud's time");
    assert_eq!(shown["fault_counts"], Value::Null, "no value that cannot be read");
}

async fn value_that_was_stored_while_the_device_was_offline_keeps_its_time(database: &TestDb) {
    let (cloud, api) = start(database).await;
    let connected = cloud.clock().now();
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    cloud.clock().advance(SignedDuration::from_hours(2));
    let ago = |seconds: i64| connected - SignedDuration::from_secs(seconds);
    let days = |days: i64| ago(days * 86_400);
    for (at, is_stored) in [
        (ago(0), true),
        (days(7), true),
        (days(364), true),
        // Measured during the connection, but an hour ago; and from a clock that was never set.
        (ago(-3600), false),
        (Timestamp::UNIX_EPOCH, false),
    ] {
        device.send_message("report", &report(at.to_string())).await;
        let datapoints = api.get("DEV-A1/properties/intensity/datapoints.json?limit=1").await;
        let expected = if is_stored { json!(at) } else { Value::Null };
        assert_eq!(datapoints[0]["datapoint"]["created_at_from_device"], expected, "{at}");
        let expected = if is_stored { vec![] } else { vec![clock_off(1, "3600 seconds behind")] };
        assert_eq!(faults(database).await, expected, "{at}");
    }
}

async fn strict_template_does_not_refuse_a_report_because_of_the_clock(database: &TestDb) {
    let (cloud, api) = start_strict(database).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    device.send_message("report", &report("2026-11-20T11:00:00Z")).await;
    assert_eq!(api.property("DEV-A1", "intensity").await["value"], 33);
    assert_eq!(faults(database).await, [clock_off(1, "3600 seconds ahead")]);
}
