//! Starting a manager until it is ready.

use super::*;
use crate::error::ErrorKind;

#[tokio::test(start_paused = true)]
async fn start_fetches_the_list_and_then_properties_one_by_one() {
    let cloud = TestCloud::with(&["A", "B", "C"]);
    let body = json!([{"property": {"name": "intensity", "value": 1}}]);
    cloud.reply_with("/properties.json", Reply::Slow(SECOND, 200, body));
    let manager = DeviceManager::new(&cloud.client);
    let mut events = manager.events();
    assert_eq!(manager.state(), DeviceManagerState::Uninitialized);
    manager.start(true);
    assert_eq!(manager.state(), DeviceManagerState::FetchingDeviceList);
    settle().await;
    assert_eq!(manager.state(), DeviceManagerState::FetchingDeviceProperties);
    for requests in 1..=3 {
        assert_eq!(cloud.count("/properties.json"), requests, "one request at a time");
        tokio::time::sleep(SECOND).await;
    }
    assert_eq!(manager.state(), DeviceManagerState::Ready);
    let expected =
        [LIST, "apiv1/dsns/A/properties.json", "apiv1/dsns/B/properties.json", "apiv1/dsns/C/properties.json"];
    assert_eq!(cloud.paths(), expected);
    let dsns: Vec<_> = manager.devices().iter().map(|device| device.dsn().to_string()).collect();
    assert_eq!(dsns, ["A", "B", "C"]);

    let mut messages = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(1), events.next()).await {
        messages.push(format!("{event:?}"));
    }
    let expected = [
        "State(FetchingDeviceList)",
        "Devices { added: [Dsn(A), Dsn(B), Dsn(C)], removed: [] }",
        "State(FetchingDeviceProperties)",
        "State(Ready)",
    ];
    assert_eq!(messages, expected);
}

#[tokio::test(start_paused = true)]
async fn manager_without_auto_fetch_is_ready_without_requests() {
    let cloud = TestCloud::with(&["A"]);
    let manager = DeviceManager::new(&cloud.client);
    manager.start(false);
    assert_eq!(manager.state(), DeviceManagerState::Ready);
    manager.ready().await.unwrap();
    tokio::time::sleep(100 * SECOND).await;
    assert!(cloud.script.seen().is_empty());
    assert!(manager.devices().is_empty());
}

#[tokio::test(start_paused = true)]
async fn manager_without_auto_fetch_reads_added_devices() {
    let cloud = TestCloud::with(&["A", "B"]);
    let manager = DeviceManager::new(&cloud.client);
    manager.start(false);
    manager.add("B").unwrap();
    assert_eq!(manager.state(), DeviceManagerState::FetchingDeviceList);
    manager.ready().await.unwrap();
    assert_eq!(cloud.paths(), ["apiv1/dsns/B", "apiv1/dsns/B/properties.json"]);
    tokio::time::sleep(16 * SECOND).await;
    assert_eq!((cloud.count(LIST), cloud.count("dsns/A")), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn devices_added_before_start_are_read_at_start() {
    for auto_fetch in [false, true] {
        let cloud = TestCloud::with(&["A"]);
        cloud.state().unlisted.insert("H".into(), (device("H"), BTreeMap::new()));
        let manager = DeviceManager::new(&cloud.client);
        manager.add("H").unwrap();
        settle().await;
        assert!(cloud.script.seen().is_empty());
        manager.start(auto_fetch);
        manager.ready().await.unwrap();
        assert!(manager.device("H").is_some());
        assert_eq!(manager.device("A").is_some(), auto_fetch);
    }
}

#[tokio::test(start_paused = true)]
async fn device_without_properties_is_an_init_error_but_does_not_block_ready() {
    let cloud = TestCloud::with(&["A", "B", "C"]);
    cloud.reply_with("A/properties.json", Reply::Status(500, json!({"error": "broken"})));
    cloud.reply_with("B/properties.json", Reply::Status(200, json!([])));
    let manager = DeviceManager::new(&cloud.client);
    let mut events = manager.events();
    manager.start(true);
    manager.ready().await.unwrap();
    let message = |dsn: &str| manager.device(dsn).unwrap().init_error().map(|error| error.message().to_owned());
    assert_eq!(message("A").as_deref(), Some("broken"));
    assert_eq!(message("B").as_deref(), Some("The device has no properties"));
    assert_eq!(message("C"), None);
    let mut failed = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(1), events.next()).await {
        if let DeviceManagerEvent::DeviceInitFailed { dsn, error } = event {
            failed.push((dsn.to_string(), error.kind()));
        }
    }
    assert_eq!(failed, [("A".to_owned(), ErrorKind::Server), ("B".to_owned(), ErrorKind::General)]);

    cloud.state().overrides.clear();
    tokio::time::sleep(6 * SECOND).await;
    assert_eq!((message("A"), message("B")), (None, None), "the next poll clears the error");
}

#[tokio::test(start_paused = true)]
async fn failed_first_list_is_an_error_with_the_status_text() {
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with(LIST, Reply::Status(503, json!({"error": "words of the cloud"})));
    let manager = DeviceManager::new(&cloud.client);
    let mut events = manager.events();
    manager.start(true);
    let error = manager.ready().await.unwrap_err();
    assert_eq!((error.kind(), error.status(), error.message()), (ErrorKind::Server, Some(503), "Service Unavailable"));
    assert_eq!(manager.state(), DeviceManagerState::Error);
    assert!(matches!(next(&mut events).await, DeviceManagerEvent::State(DeviceManagerState::FetchingDeviceList)));
    let DeviceManagerEvent::InitFailed(error) = next(&mut events).await else { panic!("an init failure") };
    assert_eq!(error.message(), "Service Unavailable");
    assert!(matches!(next(&mut events).await, DeviceManagerEvent::State(DeviceManagerState::Error)));
    let requests = cloud.script.seen().len();
    tokio::time::sleep(100 * SECOND).await;
    assert_eq!(cloud.script.seen().len(), requests, "no request until the next start");

    cloud.state().overrides.clear();
    manager.start(true);
    manager.ready().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn failed_first_list_is_logged() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).with_max_level(tracing::Level::ERROR).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with(LIST, Reply::Status(503, json!({})));
    let manager = DeviceManager::new(&cloud.client);
    manager.start(true);
    manager.ready().await.unwrap_err();
    let text = log.text();
    assert!(text.contains("the device list could not be fetched") && text.contains("503"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn ready_fails_for_an_unstarted_or_stopped_manager() {
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with(LIST, Reply::Slow(10 * SECOND, 200, json!([])));
    let manager = DeviceManager::new(&cloud.client);
    let manager_unavailable = |result: crate::Result<()>| {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No device manager is available"));
    };
    manager_unavailable(manager.ready().await);
    manager.start(true);
    let waiting = tokio::spawn({
        let manager = manager.clone();
        async move { manager.ready().await }
    });
    settle().await;
    manager.stop();
    manager_unavailable(waiting.await.unwrap());
    assert_eq!(manager.state(), DeviceManagerState::Uninitialized);
}
