//! The device list after the first one: polling, added devices, pauses.

use super::*;

#[tokio::test(start_paused = true)]
async fn ready_manager_reads_the_list_every_15_seconds() {
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with("/properties.json", Reply::Slow(20 * SECOND, 200, json!([{"property": {"name": "p"}}])));
    let manager = cloud.ready().await;
    assert_eq!(cloud.count(LIST), 1, "the list is not read while properties are fetched");
    tokio::time::sleep(Duration::from_millis(14_990)).await;
    assert_eq!(cloud.count(LIST), 1);
    tokio::time::sleep(SECOND).await;
    assert_eq!(cloud.count(LIST), 2);
    tokio::time::sleep(15 * SECOND).await;
    assert_eq!(cloud.count(LIST), 3);
    assert_eq!(manager.state(), DeviceManagerState::Ready);
}

#[tokio::test(start_paused = true)]
async fn later_list_failure_is_tolerated() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.events();
    cloud.reply_with(LIST, Reply::Status(500, json!({})));
    tokio::time::sleep(31 * SECOND).await;
    assert_eq!(cloud.count(LIST), 3);
    assert_eq!(manager.state(), DeviceManagerState::Ready);
    assert_eq!(manager.devices().len(), 1);
    assert_eq!(cloud.count("A/properties.json"), 7);
    assert!(tokio::time::timeout(Duration::from_millis(1), events.next()).await.is_err(), "no events");
}

#[tokio::test(start_paused = true)]
async fn new_devices_are_fetched_and_removed_ones_released() {
    let cloud = TestCloud::with(&["A", "B"]);
    let manager = cloud.ready().await;
    let managed = manager.device("B").unwrap();
    let mut events = manager.events();
    cloud.state().devices.remove("B");
    cloud.state().devices.insert("C".into(), (device("C"), BTreeMap::new()));
    cloud.state().set("C", "intensity", 3);
    let DeviceManagerEvent::Devices { added, removed } = next(&mut events).await else {
        panic!("a change of the list")
    };
    assert_eq!((added, removed), (vec!["C".into()], vec!["B".into()]));
    assert!(matches!(next(&mut events).await, DeviceManagerEvent::State(DeviceManagerState::FetchingDeviceProperties)));
    manager.ready().await.unwrap();
    assert_eq!(cloud.count("C/properties.json"), 1);
    assert!(manager.device("B").is_none());
    assert_eq!(managed.snapshot().dsn.as_str(), "B", "the last known data can still be read");
    assert!(!managed.is_polling());
    let before = cloud.count("B/properties.json");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(cloud.count("B/properties.json"), before);
}

#[tokio::test(start_paused = true)]
async fn adding_a_device_fetches_the_list() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    cloud.state().unlisted.insert("H".into(), (device("H"), BTreeMap::new()));
    manager.add("H").unwrap();
    assert_eq!(manager.state(), DeviceManagerState::FetchingDeviceList);
    manager.ready().await.unwrap();
    assert_eq!((cloud.count(LIST), cloud.count("dsns/H")), (2, 2), "the list, the device, its properties");
    assert!(manager.device("H").is_some());
    tokio::time::sleep(16 * SECOND).await;
    assert!(manager.device("H").is_some(), "an added device stays although it is not in the list");
    assert_eq!(manager.add(" ").unwrap_err().message(), "DSN is required");
}

#[tokio::test(start_paused = true)]
async fn unknown_added_device_is_reported_once() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.events();
    manager.add("H").unwrap();
    assert!(matches!(next(&mut events).await, DeviceManagerEvent::State(DeviceManagerState::FetchingDeviceList)));
    let DeviceManagerEvent::DeviceInitFailed { dsn, error } = next(&mut events).await else { panic!("a failure") };
    assert_eq!((dsn.as_str(), error.status()), ("H", Some(404)));
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(cloud.count("dsns/H"), 1);
}

#[tokio::test(start_paused = true)]
async fn added_device_survives_temporary_failures() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    cloud.state().unlisted.insert("H".into(), (device("H"), BTreeMap::new()));
    manager.add("H").unwrap();
    manager.ready().await.unwrap();
    cloud.reply_with("dsns/H", Reply::Status(500, json!({})));
    tokio::time::sleep(40 * SECOND).await;
    assert!(manager.device("H").is_some());
}

#[tokio::test(start_paused = true)]
async fn pause_cancels_all_requests_and_resume_restarts_them() {
    let cloud = TestCloud::with(&["A", "B"]);
    let manager = cloud.ready().await;
    manager.pause();
    assert_eq!(manager.state(), DeviceManagerState::Paused);
    settle().await;
    let before = cloud.script.seen().len();
    tokio::time::sleep(1000 * SECOND).await;
    assert_eq!(cloud.script.seen().len(), before);
    manager.resume();
    assert_eq!(manager.state(), DeviceManagerState::Ready);
    settle().await;
    assert_eq!(cloud.script.seen().len(), before + 3, "the list and both devices");
    tokio::time::sleep(16 * SECOND).await;
    assert_eq!(cloud.count(LIST), 3);
    assert_eq!(cloud.count("A/properties.json"), 5);
}

#[tokio::test(start_paused = true)]
async fn resume_restarts_an_interrupted_first_list() {
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with(LIST, Reply::Slow(SECOND, 200, json!([{"device": device("A")}])));
    let manager = DeviceManager::new(&cloud.client);
    manager.start(true);
    settle().await;
    manager.pause();
    tokio::time::sleep(10 * SECOND).await;
    assert!(manager.devices().is_empty(), "the answer to a cancelled request is ignored");
    manager.resume();
    assert_eq!(manager.state(), DeviceManagerState::FetchingDeviceList);
    manager.ready().await.unwrap();
    assert_eq!(cloud.count(LIST), 2);
}

#[tokio::test(start_paused = true)]
async fn stop_releases_everything_and_start_begins_again() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let before = manager.device("A").unwrap();
    manager.stop();
    assert!(manager.devices().is_empty());
    settle().await;
    let requests = cloud.script.seen().len();
    tokio::time::sleep(100 * SECOND).await;
    assert_eq!(cloud.script.seen().len(), requests);
    manager.start(true);
    manager.ready().await.unwrap();
    assert_ne!(manager.device("A").unwrap(), before);
}

#[tokio::test(start_paused = true)]
async fn dropped_manager_sends_no_requests() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let other = manager.clone();
    drop(manager);
    let device = other.device("A").unwrap();
    let requests = cloud.script.seen().len();
    tokio::time::sleep(6 * SECOND).await;
    assert!(cloud.script.seen().len() > requests, "a clone keeps the manager alive");
    drop(other);
    settle().await;
    let requests = cloud.script.seen().len();
    tokio::time::sleep(100 * SECOND).await;
    assert_eq!(cloud.script.seen().len(), requests);
    assert!(!device.is_polling());
}

#[tokio::test(start_paused = true)]
async fn frequent_refreshes_do_not_starve_the_list() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    cloud.reply_with(LIST, Reply::Slow(2 * SECOND, 200, json!([{"device": device("A")}, {"device": device("B")}])));
    for _ in 0..5 {
        manager.refresh();
        tokio::time::sleep(SECOND).await;
    }
    assert!(manager.device("B").is_some());
}

#[tokio::test(start_paused = true)]
async fn refresh_before_ready_is_remembered() {
    let cloud = TestCloud::with(&["A", "B"]);
    cloud.reply_with("/properties.json", Reply::Slow(SECOND, 200, json!([{"property": {"name": "p"}}])));
    let manager = DeviceManager::new(&cloud.client);
    manager.start(true);
    tokio::time::sleep(SECOND / 2).await;
    manager.refresh();
    manager.ready().await.unwrap();
    tokio::time::sleep(SECOND / 2).await;
    assert_eq!((cloud.count(LIST), cloud.count("A/properties.json")), (2, 2));
    assert_eq!(cloud.count("B/properties.json"), 1, "the first read of B began after the refresh");
}

#[tokio::test(start_paused = true)]
async fn pause_drops_pending_reads() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let late = json!([{"property": {"name": "intensity", "key": 1, "value": 9}}]);
    cloud.in_turn("A/properties.json", [Reply::Slow(2 * SECOND, 200, late), Reply::Cut]);
    manager.refresh();
    settle().await;
    manager.pause();
    settle().await;
    manager.resume();
    tokio::time::sleep(10 * SECOND).await;
    let value = manager.device("A").unwrap().property("intensity").unwrap().snapshot().unwrap().value;
    assert_eq!(value, Some(1.into()));
}

#[tokio::test(start_paused = true)]
async fn slow_manager_receiver_gets_lagged() {
    let cloud = TestCloud::with(&[]);
    let manager = DeviceManager::new(&cloud.client);
    let mut events = manager.events();
    for _ in 0..200 {
        manager.start(false);
        manager.stop();
    }
    for _ in 0..256 {
        assert!(matches!(next(&mut events).await, DeviceManagerEvent::State(_)));
    }
    assert!(matches!(next(&mut events).await, DeviceManagerEvent::Lagged));
    manager.start(false);
    assert!(matches!(next(&mut events).await, DeviceManagerEvent::State(DeviceManagerState::Ready)));
}

#[tokio::test(start_paused = true)]
async fn device_without_serial_number_is_skipped() {
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with(LIST, Reply::Status(200, json!([{"device": {"key": 1}}, {"device": device("A")}, null])));
    let manager = cloud.ready().await;
    assert_eq!(manager.devices().len(), 1);
}
