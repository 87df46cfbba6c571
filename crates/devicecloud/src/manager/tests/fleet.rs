//! Events of all devices, and how up to date the devices are.

use futures::{FutureExt, StreamExt};

use super::*;
use crate::error::ErrorKind;
use crate::live::ManagedDevices;
use crate::model::{DataSource, read};
use crate::stream::{DatapointEvent, StreamEvent};

/// The events that are available now, as short texts.
fn available(events: &mut FleetEvents) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(Some((dsn, event))) = events.next().now_or_never() {
        all.push(format!("{dsn} {}", text(&event)));
    }
    all
}

fn text(event: &DeviceEvent) -> String {
    match event {
        DeviceEvent::Changed(Change::Property { name, value, .. }) => {
            format!("{name}={}", value.as_ref().map_or_else(String::new, ToString::to_string))
        }
        DeviceEvent::PollFailed(error) => format!("failed: {error}"),
        DeviceEvent::Freshness(freshness) => freshness_text(freshness),
        other => format!("{other:?}"),
    }
}

fn freshness_text(freshness: &Freshness) -> String {
    match freshness {
        Freshness::Stale(StaleReason::ReadFailed(error)) => format!("Stale(ReadFailed({error}))"),
        other => format!("{other:?}"),
    }
}

fn report(manager: &DeviceManager, dsn: &str, value: i64) {
    let datapoint = read::one(&json!({"datapoint": {"value": value, "echo": true}})).unwrap();
    manager.apply(StreamEvent::Datapoint(DatapointEvent { dsn: dsn.into(), property: "intensity".into(), datapoint }));
}

#[tokio::test(start_paused = true)]
async fn changes_follow_devices_from_their_appearance_to_their_removal() {
    let cloud = TestCloud::with(&["A"]);
    let manager = DeviceManager::new(&cloud.client);
    let mut changes = manager.changes();
    manager.start(true);
    manager.ready().await.unwrap();
    assert_eq!(available(&mut changes), ["A Added", "A intensity=1", "A Polled"]);

    cloud.state().devices.insert("B".into(), (device("B"), BTreeMap::new()));
    cloud.state().set("B", "intensity", 7);
    cloud.state().set("A", "intensity", 2);
    tokio::time::sleep(16 * SECOND).await;
    assert_eq!(available(&mut changes), ["A intensity=2", "B Added", "B intensity=7", "B Polled"]);

    cloud.state().devices.remove("A");
    tokio::time::sleep(15 * SECOND).await;
    assert_eq!(available(&mut changes).last().unwrap(), "A Removed");
    assert!(manager.device("A").is_none());
    manager.stop();
    assert_eq!(available(&mut changes).last().unwrap(), "B Removed");
    drop(manager);
    settle().await;
    assert!(StreamExt::next(&mut changes).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn freshness_follows_the_stream_and_an_interruption_is_a_gap() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let device = manager.device("A").unwrap();
    let mut changes = manager.changes();
    let freshness = || freshness_text(&device.freshness());
    assert_eq!(freshness(), "Polled");

    manager.source_changed(DataSource::Dss, true);
    settle().await;
    assert_eq!(available(&mut changes), ["A Live"], "connecting is no gap: the device was not live before");
    report(&manager, "A", 2);
    assert_eq!(available(&mut changes), ["A intensity=2"]);

    // The stream skips an event.
    cloud.state().set("A", "intensity", 3);
    manager.reload();
    assert_eq!(freshness(), "Stale(EventsMissed)");
    settle().await;
    assert_eq!(available(&mut changes), ["A Stale(EventsMissed)", "A Gap", "A intensity=3", "A Live"]);

    // The stream is lost and comes back.
    manager.source_changed(DataSource::Cloud, false);
    settle().await;
    assert_eq!(available(&mut changes), ["A Stale(EventsMissed)", "A Gap", "A Polled"]);
    cloud.state().set("A", "intensity", 4);
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    assert_eq!(available(&mut changes), ["A intensity=4", "A Live"]);
}

#[tokio::test(start_paused = true)]
async fn gap_waits_for_a_read_that_began_after_the_interruption() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let mut changes = manager.changes();
    let value = |value: i64| json!([{"property": {"name": "intensity", "key": 1, "value": value}}]);
    // Each reply has the value from when the read began.
    let slow = |number: i64| Reply::Slow(2 * SECOND, 200, value(number));
    cloud.in_turn("A/properties.json", [slow(1), slow(3)]);
    manager.refresh();
    tokio::time::sleep(SECOND).await;
    manager.source_changed(DataSource::Cloud, false);
    tokio::time::sleep(SECOND + Duration::from_millis(10)).await;
    assert_eq!(available(&mut changes), ["A Stale(EventsMissed)"], "the first read is too old");
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(available(&mut changes), ["A Gap", "A intensity=3", "A Polled"]);
}

#[tokio::test(start_paused = true)]
async fn read_that_overtakes_the_stream_is_a_gap() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let mut changes = manager.changes();
    // The values 2 and 3 are on their way.
    cloud.state().set("A", "intensity", 3);
    manager.refresh();
    settle().await;
    assert_eq!(available(&mut changes), ["A Gap", "A intensity=3"]);
    manager.refresh();
    settle().await;
    assert!(available(&mut changes).is_empty(), "nothing has changed");
}

#[tokio::test(start_paused = true)]
async fn failed_read_after_an_interruption_is_reported_and_the_gap_follows_the_next_read() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let mut changes = manager.changes();
    cloud.reply_with("A/properties.json", Reply::Status(503, json!({"error": "overloaded"})));
    manager.reload();
    settle().await;
    let expected = ["A Stale(EventsMissed)", "A failed: overloaded", "A Stale(ReadFailed(overloaded))"];
    assert_eq!(available(&mut changes), expected);
    cloud.state().overrides.clear();
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(available(&mut changes), ["A Gap", "A Live"]);
}

#[tokio::test(start_paused = true)]
async fn device_that_is_not_polled_is_stale() {
    let cloud = TestCloud::with(&["A", "B"]);
    let manager = cloud.ready().await;
    let device = manager.device("A").unwrap();
    let mut changes = manager.changes();
    device.stop_polling();
    assert_eq!(available(&mut changes), ["A Stale(NotPolled)"]);
    manager.refresh();
    settle().await;
    assert!(available(&mut changes).is_empty(), "one read does not make it polled");
    device.start_polling();
    settle().await;
    assert_eq!(available(&mut changes), ["A Polled"]);
    manager.pause();
    assert_eq!(available(&mut changes), ["A Stale(NotPolled)", "B Stale(NotPolled)"]);
    manager.resume();
    settle().await;
    assert_eq!(available(&mut changes), ["A Polled", "B Polled"]);
    manager.stop();
    assert_eq!(freshness_text(&device.freshness()), "Stale(NotPolled)");
}

#[tokio::test(start_paused = true)]
async fn device_without_a_successful_read_says_why() {
    let cloud = TestCloud::with(&["A"]);
    cloud.in_turn("A/properties.json", [Reply::Slow(SECOND, 404, json!({"error": "gone"})), Reply::Cut]);
    let manager = DeviceManager::new(&cloud.client);
    manager.start(true);
    settle().await;
    let device = manager.device("A").unwrap();
    assert!(matches!(device.freshness(), Freshness::Stale(StaleReason::NotRead)));
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(freshness_text(&device.freshness()), "Stale(ReadFailed(gone))");
    let mut changes = manager.changes();
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(available(&mut changes), ["A failed: connection reset"], "the reason is still a failed read");
    let Freshness::Stale(StaleReason::ReadFailed(error)) = device.freshness() else { panic!("the last failure") };
    assert_eq!(error.kind(), ErrorKind::Network);
}

#[tokio::test(start_paused = true)]
async fn slow_reader_gets_one_gap_for_each_device_that_lost_events() {
    let cloud = TestCloud::with(&["A", "B", "C"]);
    let manager = cloud.ready().await;
    let mut slow = manager.changes();
    for value in 0..5000 {
        report(&manager, if value % 2 == 0 { "A" } else { "B" }, value + 2);
    }
    report(&manager, "C", 9);
    let mut events = available(&mut slow);
    assert_eq!(events.split_off(4096), ["A Gap", "B Gap", "C Gap"]);
    assert_eq!((events[0].as_str(), events[4095].as_str()), ("A intensity=2", "B intensity=4097"));
    let value = |dsn: &str| manager.device(dsn).unwrap().property("intensity").unwrap().snapshot().unwrap().value;
    assert_eq!((value("A"), value("B"), value("C")), (Some(5000.into()), Some(5001.into()), Some(9.into())));
}
