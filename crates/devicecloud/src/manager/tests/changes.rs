//! Events of a device.

use super::*;
use crate::live::ManagedDevices;
use crate::model::{ConnectionStatus, DataSource, Datapoint, PropertyValue, read};
use crate::stream::{DatapointEvent, StreamEvent};

fn datapoint(body: &Value) -> Datapoint {
    read::one(&json!({"datapoint": body})).unwrap()
}

fn event(dsn: &str, property: &str, body: &Value) -> DatapointEvent {
    DatapointEvent { dsn: dsn.into(), property: property.into(), datapoint: datapoint(body) }
}

fn fields(names: &[&str]) -> ChangedFields {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn changes(events: Vec<DeviceEvent>) -> Vec<Change> {
    let change = |event| match event {
        DeviceEvent::Changed(change) => change,
        other => panic!("{other:?}"),
    };
    events.into_iter().map(change).collect()
}

fn value(manager: &DeviceManager) -> Option<PropertyValue> {
    manager.device("A").unwrap().property("intensity").unwrap().snapshot().unwrap().value
}

#[tokio::test(start_paused = true)]
async fn poll_sends_changes_of_changed_and_new_properties() {
    let cloud = TestCloud::with(&["A"]);
    cloud.state().set("A", "fan", 1);
    let manager = cloud.ready().await;
    let device = manager.device("A").unwrap();
    let mut events = device.events();
    tokio::time::sleep(6 * SECOND).await;
    assert!(received(&mut events).await.is_empty(), "nothing changed");
    cloud.state().set("A", "intensity", 30);
    cloud.state().set("A", "mode", "eco");
    tokio::time::sleep(5 * SECOND).await;
    let expected = [
        Change::Property { name: "intensity".into(), changed: fields(&["value"]), value: Some(30.into()) },
        Change::Property { name: "mode".into(), changed: fields(&[]), value: Some("eco".into()) },
    ];
    assert_eq!(changes(received(&mut events).await), expected);
    assert_eq!(device.properties().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn list_sends_changes_of_device_fields() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.device("A").unwrap().events();
    let changed = json!({"dsn": "A", "key": 40, "connection_status": "Offline", "product_name": "Lobby", "lat": "1.5"});
    cloud.state().devices.get_mut("A").unwrap().0 = changed;
    tokio::time::sleep(16 * SECOND).await;
    let expected = [Change::Field(fields(&["connectionStatus", "productName", "lat"]))];
    assert_eq!(changes(received(&mut events).await), expected);
}

#[tokio::test(start_paused = true)]
async fn changed_coordinates_send_a_change() {
    for name in ["lat", "lng"] {
        let cloud = TestCloud::with(&["A"]);
        let manager = cloud.ready().await;
        let mut events = manager.device("A").unwrap().events();
        cloud.state().devices.get_mut("A").unwrap().0[name] = json!("44.769500");
        tokio::time::sleep(16 * SECOND).await;
        assert_eq!(changes(received(&mut events).await), [Change::Field(fields(&[name]))]);
    }
}

#[tokio::test(start_paused = true)]
async fn connectivity_event_updates_the_connection_status() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let device = manager.device("A").unwrap();
    let mut events = device.events();
    let connectivity = |status| StreamEvent::Connectivity { dsn: "A".into(), status, at: Some(NOW.parse().unwrap()) };
    manager.apply(connectivity(ConnectionStatus::Offline));
    manager.apply(connectivity(ConnectionStatus::Offline));
    assert_eq!(changes(received(&mut events).await), [Change::Field(fields(&["connectionStatus"]))]);
    assert_eq!(device.snapshot().connection_status, ConnectionStatus::Offline);
    assert_eq!(device.snapshot().last_update_source, DataSource::Dss);
    manager.apply(connectivity(ConnectionStatus::Online));
    assert_eq!(changes(received(&mut events).await), [Change::Field(fields(&["connectionStatus", "connectedAt"]))]);
}

#[tokio::test(start_paused = true)]
async fn datapoint_event_updates_the_named_property() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.device("A").unwrap().events();
    let body = json!({"value": 40, "created_at": NOW, "updated_at": NOW, "metadata": {"by": "jo"}});
    manager.apply(StreamEvent::Datapoint(event("A", "intensity", &body)));
    let expected = Change::Property {
        name: "intensity".into(),
        changed: fields(&["value", "dataUpdatedAt", "metadata"]),
        value: Some(40.into()),
    };
    assert_eq!(changes(received(&mut events).await), [expected]);
    let later = "2026-11-20T10:00:05Z";
    let body = json!({"value": 40, "created_at": NOW, "updated_at": later, "metadata": {"by": "jo"},
        "ack_status": 200, "ack_message": 7, "acked_at": later});
    manager.apply(StreamEvent::DatapointAck(event("A", "intensity", &body)));
    let expected = Change::Property {
        name: "intensity".into(),
        changed: fields(&["dataUpdatedAt", "ackStatus", "ackMessage", "ackedAt"]),
        value: Some(40.into()),
    };
    assert_eq!(changes(received(&mut events).await), [expected]);
    let property = manager.device("A").unwrap().property("intensity").unwrap().snapshot().unwrap();
    assert_eq!((property.ack_status, property.acked_at), (200, Some(later.parse().unwrap())));
    assert_eq!(property.last_update_source, DataSource::Dss);
}

#[tokio::test(start_paused = true)]
async fn unknown_or_outdated_stream_events_change_nothing() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::fmt().with_writer(log.clone()).finish());
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.device("A").unwrap().events();
    let body = |at: &str| json!({"value": 40, "created_at": at, "updated_at": at});
    manager.apply(StreamEvent::Datapoint(event("A", "intensity", &body(NOW))));
    received(&mut events).await;
    manager.apply(StreamEvent::Datapoint(event(
        "A",
        "intensity",
        &json!({"value": 7, "updated_at": "2026-11-20T09:59:59Z"}),
    )));
    manager.apply(StreamEvent::Datapoint(event("A", "no_such_property", &body(NOW))));
    assert!(!log.text().contains("not in the list"));
    manager.apply(StreamEvent::Datapoint(event("X", "intensity", &body(NOW))));
    assert!(log.text().contains("the stream sent an event of an unknown device"));
    manager.apply(StreamEvent::Connectivity { dsn: "X".into(), status: ConnectionStatus::Online, at: None });
    for other in [StreamEvent::Connected, StreamEvent::Disconnected, StreamEvent::Gap] {
        manager.apply(other);
    }
    assert!(received(&mut events).await.is_empty());
    assert_eq!(manager.devices().len(), 1);
    assert_eq!(value(&manager), Some(40.into()));
}

#[tokio::test(start_paused = true)]
async fn read_that_began_before_a_stream_event_does_not_revert_it() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let body = json!([{"property": {"name": "intensity", "key": 1, "value": 1}}]);
    cloud.reply_with("/properties.json", Reply::Slow(2 * SECOND, 200, body));
    cloud.reply_with(LIST, Reply::Slow(2 * SECOND, 200, json!([{"device": device("A")}])));
    manager.refresh();
    tokio::time::sleep(SECOND).await;
    manager.apply(StreamEvent::Datapoint(event("A", "intensity", &json!({"value": 40}))));
    manager.apply(StreamEvent::Connectivity { dsn: "A".into(), status: ConnectionStatus::Offline, at: None });
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(value(&manager), Some(40.into()));
    let status = || manager.device("A").unwrap().snapshot().connection_status;
    assert_eq!(status(), ConnectionStatus::Offline);
    cloud.state().overrides.clear();
    tokio::time::sleep(20 * SECOND).await;
    assert_eq!((value(&manager), status()), (Some(1.into()), ConnectionStatus::Online), "later reads are applied");
}

#[tokio::test(start_paused = true)]
async fn rejected_value_is_not_stored_and_the_device_is_read_again() {
    for (status, good) in [(0, true), (200, true), (-1, true), (204, false), (422, false), (500, false), (1, false)] {
        let cloud = TestCloud::with(&["A"]);
        let manager = cloud.ready().await;
        manager.source_changed(DataSource::Dss, true);
        settle().await;
        let read = cloud.count("/properties.json");
        let body = json!({"value": 40, "created_at": NOW, "updated_at": NOW, "acked_at": NOW, "ack_status": status});
        manager.apply(StreamEvent::DatapointAck(event("A", "intensity", &body)));
        let known = manager.device("A").unwrap().property("intensity").unwrap().snapshot().unwrap();
        assert_eq!(known.value, Some(if good { 40 } else { 1 }.into()), "{status}");
        assert_eq!((known.ack_status, known.acked_at), (status, Some(NOW.parse().unwrap())));
        cloud.state().set("A", "intensity", 7);
        settle().await;
        assert_eq!(cloud.count("/properties.json") - read, usize::from(!good), "{status}");
        assert_eq!(value(&manager), Some(if good { 40 } else { 7 }.into()), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn expired_value_is_not_stored_and_the_device_is_read_again() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let read = cloud.count("/properties.json");
    let body = json!({"value": 40, "created_at": NOW, "updated_at": NOW, "expired": true});
    manager.apply(StreamEvent::DatapointAck(event("A", "intensity", &body)));
    assert_eq!(value(&manager), Some(1.into()));
    settle().await;
    assert_eq!(cloud.count("/properties.json"), read + 1);
}

#[tokio::test(start_paused = true)]
async fn slow_receiver_gets_a_gap_and_delays_nothing() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.device("A").unwrap().events();
    for value in 0..1000 {
        manager.apply(StreamEvent::Datapoint(event("A", "intensity", &json!({"value": value + 2}))));
    }
    let mut received = received(&mut events).await;
    assert!(matches!(received.pop(), Some(DeviceEvent::Gap)));
    assert_eq!(changes(received).len(), 64);
    assert_eq!(value(&manager), Some(1001.into()));
}

#[tokio::test(start_paused = true)]
async fn events_of_a_dropped_device_end() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.device("A").unwrap().events();
    manager.stop();
    while !matches!(next_of(&mut events).await, DeviceEvent::Removed) {}
    assert!(tokio::time::timeout(SECOND, events.next()).await.unwrap().is_none());
}
