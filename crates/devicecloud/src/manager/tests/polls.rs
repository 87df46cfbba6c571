//! Polling of devices.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::error::ErrorKind;
use crate::live::ManagedDevices;
use crate::model::{DataSource, Device};

const PROPERTIES: &str = "A/properties.json";

#[tokio::test(start_paused = true)]
async fn next_poll_follows_5_seconds_after_success_or_failure() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let device = manager.device("A").unwrap();
    assert!(device.is_polling());
    let mut events = device.events();
    tokio::time::sleep(Duration::from_millis(4990)).await;
    assert_eq!(cloud.count(PROPERTIES), 1, "the first read counts as the first poll");
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(cloud.count(PROPERTIES), 2);
    cloud.reply_with(PROPERTIES, Reply::Status(500, json!({"error": "broken"})));
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 3);
    let DeviceEvent::PollFailed(error) = next_of(&mut events).await else { panic!("a failure") };
    assert_eq!(error.message(), "broken");
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 4, "the failed poll is not retried");
}

#[tokio::test(start_paused = true)]
async fn poll_times_out_after_5_seconds() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.device("A").unwrap().events();
    cloud.reply_with(PROPERTIES, Reply::Slow(6 * SECOND, 200, json!([])));
    tokio::time::sleep(Duration::from_millis(9_990)).await;
    assert!(received(&mut events).await.is_empty());
    tokio::time::sleep(Duration::from_millis(20)).await;
    let DeviceEvent::PollFailed(error) = next_of(&mut events).await else { panic!("a failure") };
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(cloud.count(PROPERTIES), 2);
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 3);
}

#[tokio::test(start_paused = true)]
async fn poll_interval_and_timeout_are_configurable() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let device = manager.device("A").unwrap();
    device.set_poll_interval(60 * SECOND);
    device.set_poll_timeout(SECOND);
    tokio::time::sleep(6 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 2);
    let mut events = device.events();
    cloud.reply_with(PROPERTIES, Reply::Slow(2 * SECOND, 200, json!([])));
    tokio::time::sleep(Duration::from_millis(59_500)).await;
    assert_eq!(cloud.count(PROPERTIES), 3);
    assert!(matches!(next_of(&mut events).await, DeviceEvent::PollFailed(_)));
}

#[tokio::test(start_paused = true)]
async fn infinite_interval_never_polls() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.device("A").unwrap().set_poll_interval(Duration::MAX);
    manager.device("A").unwrap().set_poll_timeout(Duration::MAX);
    tokio::time::sleep(100 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 2);
    manager.refresh();
    settle().await;
    assert_eq!(cloud.count(PROPERTIES), 3);
}

#[tokio::test(start_paused = true)]
async fn polling_can_be_stopped_and_started() {
    let cloud = TestCloud::with(&["A", "B"]);
    let manager = cloud.ready().await;
    let device = manager.device("A").unwrap();
    device.stop_polling();
    assert!(!device.is_polling() && manager.device("B").unwrap().is_polling());
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 1);
    device.start_polling();
    assert!(device.is_polling());
    settle().await;
    assert_eq!(cloud.count(PROPERTIES), 2, "at once");
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 3);
}

#[tokio::test(start_paused = true)]
async fn hanging_device_does_not_delay_others() {
    let dsns: Vec<_> = (0..40).map(|n| format!("D{n:02}")).collect();
    let cloud = TestCloud::with(&dsns.iter().map(String::as_str).collect::<Vec<_>>());
    let manager = cloud.ready().await;
    cloud.reply_with("D00/properties.json", Reply::Slow(1000 * SECOND, 200, json!([])));
    tokio::time::sleep(11 * SECOND).await;
    assert_eq!(cloud.count("D39/properties.json"), 3);
    assert_eq!(manager.state(), DeviceManagerState::Ready);
}

#[tokio::test(start_paused = true)]
async fn at_most_16_devices_are_polled_concurrently_and_fairly() {
    let dsns: Vec<_> = (0..40).map(|n| format!("D{n:02}")).collect();
    let cloud = TestCloud::with(&dsns.iter().map(String::as_str).collect::<Vec<_>>());
    let manager = cloud.ready().await;
    let requests = cloud.count("/properties.json");
    cloud.reply_with("/properties.json", Reply::Slow(4 * SECOND, 200, json!([])));
    manager.refresh();
    settle().await;
    assert_eq!(cloud.count("/properties.json") - requests, 16);
    tokio::time::sleep(9 * SECOND).await;
    for dsn in dsns {
        assert!(cloud.count(&format!("{dsn}/properties.json")) >= 2, "{dsn}");
    }
}

struct ManagedNames;

impl DetailProvider for ManagedNames {
    fn managed_property_names(&self, device: &Device) -> Vec<String> {
        assert_eq!(device.dsn.as_str(), "A");
        vec!["intensity".into(), "fan".into()]
    }
}

#[tokio::test(start_paused = true)]
async fn connected_stream_reads_each_device_once_and_stops_polling() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    tokio::time::sleep(61 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 2);
    assert!(cloud.paths().iter().all(|path| !path.contains("names")), "all properties without a detail provider");
    assert!(!manager.device("A").unwrap().is_polling());
    assert_eq!(cloud.count(LIST), 5, "the list is still polled");
}

#[tokio::test(start_paused = true)]
async fn read_for_the_stream_requests_the_managed_names() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.set_detail_provider(Arc::new(ManagedNames));
    tokio::time::sleep(6 * SECOND).await;
    assert!(!cloud.paths().last().unwrap().contains("names"), "a poll requests all properties");
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    assert_eq!(cloud.paths().last().unwrap(), "apiv1/dsns/A/properties.json?names%5B%5D=intensity&names%5B%5D=fan");
}

/// Panics in the first two reads, and returns a name after them.
struct PanickingNames(AtomicUsize);

impl DetailProvider for PanickingNames {
    fn managed_property_names(&self, _: &Device) -> Vec<String> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => panic!("the table of names is missing"),
            1 => panic!("slot {}", 7),
            _ => vec!["intensity".into()],
        }
    }
}

#[tokio::test(start_paused = true)]
async fn panicking_detail_provider_fails_only_that_poll() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.set_detail_provider(Arc::new(PanickingNames(AtomicUsize::new(0))));
    let device = manager.device("A").unwrap();
    let mut events = device.events();
    manager.source_changed(DataSource::Dss, true);
    for text in ["the table of names is missing", "slot 7"] {
        let error = next_failure(&mut events).await;
        assert_eq!((error.kind(), error.message(), error.status()), (ErrorKind::General, text, None));
        manager.refresh();
    }
    cloud.state().set("A", "intensity", 2);
    settle().await;
    let with_names: Vec<_> = cloud.paths().into_iter().filter(|path| path.contains("names")).collect();
    assert_eq!(with_names, ["apiv1/dsns/A/properties.json?names%5B%5D=intensity"], "only the third read is sent");
    assert_eq!(device.property("intensity").unwrap().snapshot().unwrap().value, Some(2.into()));
    let lists = cloud.count(LIST);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(cloud.count(LIST) - lists, 4, "the list is still polled");
    manager.source_changed(DataSource::Cloud, false);
    let reads = cloud.count(PROPERTIES);
    tokio::time::sleep(11 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES) - reads, 3, "the device is polled without the stream");
    assert_eq!(manager.state(), DeviceManagerState::Ready);
}

#[tokio::test(start_paused = true)]
async fn failed_read_for_the_stream_is_repeated_after_the_poll_interval() {
    for stops in [false, true] {
        let cloud = TestCloud::with(&["A"]);
        let manager = cloud.ready().await;
        cloud.reply_with(PROPERTIES, Reply::Status(500, json!({})));
        manager.source_changed(DataSource::Dss, true);
        tokio::time::sleep(11 * SECOND).await;
        assert_eq!(cloud.count(PROPERTIES), 4, "one poll, and three attempts for the stream");
        assert!(!manager.device("A").unwrap().is_polling());
        if stops {
            manager.pause();
            tokio::time::sleep(60 * SECOND).await;
            assert_eq!(cloud.count(PROPERTIES), 4, "not while paused");
            continue;
        }
        cloud.state().overrides.clear();
        tokio::time::sleep(60 * SECOND).await;
        assert_eq!(cloud.count(PROPERTIES), 5, "not after a success");
    }
}

#[tokio::test(start_paused = true)]
async fn connecting_stream_with_refresh_reads_each_device_once() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    tokio::time::sleep(SECOND).await;
    manager.refresh();
    manager.source_changed(DataSource::Dss, true);
    manager.refresh();
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), 2);
}

#[tokio::test(start_paused = true)]
async fn any_other_source_starts_polling() {
    for (source, connected) in [
        (DataSource::Cloud, false),
        (DataSource::Cloud, true),
        (DataSource::Dss, false),
        (DataSource::Lan, true),
        (DataSource::Cached, true),
        (DataSource::Local, true),
    ] {
        let cloud = TestCloud::with(&["A"]);
        let manager = cloud.ready().await;
        manager.source_changed(DataSource::Dss, true);
        tokio::time::sleep(SECOND).await;
        manager.source_changed(source, connected);
        tokio::time::sleep(11 * SECOND).await;
        assert!(manager.device("A").unwrap().is_polling(), "{source:?} {connected}");
        assert_eq!(cloud.count(PROPERTIES), 5, "{source:?} {connected}");
    }
}

#[tokio::test(start_paused = true)]
async fn device_added_while_streaming_is_read_once() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    cloud.state().devices.insert("B".into(), (device("B"), BTreeMap::new()));
    cloud.state().set("B", "intensity", 1);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(cloud.count("B/properties.json"), 1);
}

#[tokio::test(start_paused = true)]
async fn source_change_during_a_pause_applies_after_resume() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    manager.pause();
    manager.source_changed(DataSource::Cloud, false);
    settle().await;
    let before = cloud.count(PROPERTIES);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), before, "no poll during the pause");
    manager.resume();
    tokio::time::sleep(6 * SECOND).await;
    assert_eq!(cloud.count(PROPERTIES), before + 2);
}
