//! Events of a device.

use super::*;
use crate::live::ManagedDevices;
use crate::model::{CommandState, ConnectionStatus, DataSource, Datapoint, PropertyValue, read};
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
    let body = json!({"value": 40, "created_at": NOW, "updated_at": NOW, "echo": true, "metadata": {"by": "jo"}});
    manager.apply(StreamEvent::Datapoint(event("A", "intensity", &body)));
    let expected = Change::Property {
        name: "intensity".into(),
        changed: fields(&["value", "dataUpdatedAt", "metadata", "reportedValue", "reportedAt"]),
        value: Some(40.into()),
    };
    assert_eq!(changes(received(&mut events).await), [expected]);
    let later = "2026-11-20T10:00:05Z";
    let body = json!({"value": 40, "created_at": NOW, "updated_at": later, "metadata": {"by": "jo"},
        "ack_status": 200, "ack_message": 7, "acked_at": later});
    let mut stored = body.clone();
    stored.as_object_mut().unwrap().extend([
        ("name".to_owned(), json!("intensity")),
        ("key".to_owned(), json!(1)),
        ("data_updated_at".to_owned(), json!(later)),
    ]);
    cloud.state().put("A", stored);
    manager.apply(StreamEvent::DatapointAck(event("A", "intensity", &body)));
    let property = manager.device("A").unwrap().property("intensity").unwrap().snapshot().unwrap();
    assert_eq!((property.ack_status, property.acked_at), (200, Some(later.parse().unwrap())));
    assert_eq!(property.last_update_source, DataSource::Dss);
    let expected = Change::Property {
        name: "intensity".into(),
        changed: fields(&["dataUpdatedAt", "ackStatus", "ackMessage", "ackedAt"]),
        value: Some(40.into()),
    };
    assert_eq!(changes(received(&mut events).await), [expected]);
}

#[tokio::test(start_paused = true)]
async fn unknown_or_outdated_stream_events_change_nothing() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::fmt().with_writer(log.clone()).finish());
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    let mut events = manager.device("A").unwrap().events();
    let body = |at: &str| json!({"value": 40, "created_at": at, "updated_at": at, "echo": true});
    cloud.state().put("A", json!({"name": "intensity", "key": 1, "value": 40, "data_updated_at": NOW}));
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
async fn rejected_value_is_not_stored_and_the_device_is_read_after_each_acknowledgement() {
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
        assert_eq!(cloud.count("/properties.json") - read, 1, "{status}");
        assert_eq!(value(&manager), Some(7.into()), "{status}");
    }
}

/// The names of changed fields of `level`, or of the device, and gaps.
async fn summary(events: &mut DeviceEvents) -> Vec<String> {
    let text = |event| match event {
        DeviceEvent::Changed(Change::Property { name, changed, .. }) => format!("{name} {changed:?}"),
        DeviceEvent::Changed(Change::Field(changed)) => format!("{changed:?}"),
        other => format!("{other:?}"),
    };
    received(events).await.into_iter().map(text).collect()
}

/// A property of a device that is live, with a command in this state.
fn level(state: &str, acked_at: Option<&str>) -> Value {
    json!({"name": "level", "key": 2, "base_type": "integer", "value": 30, "data_updated_at": NOW, "ack_enabled": true,
        "acked_at": acked_at, "ack_status": acked_at.map(|_| 200), "reported_value": 20, "reported_at": NOW,
        "command": {"id": "c", "value": 30, "state": state, "created_at": NOW}})
}

#[tokio::test(start_paused = true)]
async fn command_states_of_a_live_device_are_changes_after_one_read_for_each_event() {
    let cloud = TestCloud::with(&["A"]);
    cloud
        .state()
        .put("A", json!({"name": "level", "key": 2, "base_type": "integer", "value": 20, "ack_enabled": true}));
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let mut events = manager.device("A").unwrap().events();
    let known = || manager.device("A").unwrap().property("level").unwrap().snapshot().unwrap();
    let reads = || cloud.count("/properties.json");
    let before = reads();

    // Somebody writes a value.
    cloud.state().put("A", level("pending", None));
    let body = json!({"id": "c", "value": 30, "created_at": NOW, "updated_at": NOW});
    manager.apply(StreamEvent::Datapoint(event("A", "level", &body)));
    let expected = [r#"level {"dataUpdatedAt", "value"}"#, r#"level {"command", "reportedAt", "reportedValue"}"#]
        .map(str::to_owned);
    assert_eq!(summary(&mut events).await, expected);
    assert_eq!((known().command.unwrap().state, reads()), (CommandState::Pending, before + 1));

    // The device reports another value before it has received the command.
    let later = "2026-11-20T10:00:02Z";
    let report = json!({"value": 21, "created_at": later, "updated_at": later, "echo": true});
    manager.apply(StreamEvent::Datapoint(event("A", "level", &report)));
    assert_eq!((known().value, known().reported_value), (Some(30.into()), Some(21.into())), "the command is pending");
    settle().await;
    summary(&mut events).await;
    let before = reads();

    // The device acknowledges, and reports while the read for the acknowledgement is in progress: that read is too old.
    let later = "2026-11-20T10:00:05Z";
    let mut acked = level("acknowledged", Some(later));
    acked["reported_value"] = json!(30);
    acked["reported_at"] = json!(later);
    cloud.reply_with("/properties.json", Reply::Slow(SECOND, 200, json!([{"property": acked}])));
    let body =
        json!({"id": "c", "value": 30, "created_at": NOW, "updated_at": later, "acked_at": later, "ack_status": 200});
    manager.apply(StreamEvent::DatapointAck(event("A", "level", &body)));
    tokio::time::sleep(SECOND / 2).await;
    let report = json!({"value": 30, "created_at": later, "updated_at": later, "echo": true});
    manager.apply(StreamEvent::Datapoint(event("A", "level", &report)));
    tokio::time::sleep(2 * SECOND).await;
    let seen = summary(&mut events).await;
    assert!(["ackStatus", "ackedAt", "command"].iter().all(|field| seen[0].contains(field)), "{seen:?}");
    assert!(!seen.contains(&"Gap".to_owned()), "{seen:?}");
    assert_eq!((known().command.unwrap().state, reads()), (CommandState::Acknowledged, before + 2));
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(reads(), before + 2, "it is not polled");
}

#[tokio::test(start_paused = true)]
async fn command_whose_former_state_a_read_has_skipped_is_a_gap_while_live() {
    let cloud = TestCloud::with(&["A"]);
    let put = |id: &str, state: &str| {
        let mut level = level(state, None);
        level["command"]["id"] = json!(id);
        cloud.state().put("A", level);
    };
    let level = json!({"name": "level", "key": 2, "base_type": "integer", "value": 30, "data_updated_at": NOW,
        "ack_enabled": true, "reported_value": 20, "reported_at": NOW});
    cloud.state().put("A", level);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let device = manager.device("A").unwrap();
    let mut events = device.events();
    let only_the_command = r#"level {"command"}"#.to_owned();
    for (id, state, is_gap) in
        [("c", "pending", false), ("c", "expired", false), ("d", "pending", true), ("e", "expired", true)]
    {
        put(id, state);
        device.fetch_properties(&[]).await.unwrap();
        let gap = is_gap.then(|| "Gap".to_owned());
        let expected: Vec<_> = gap.into_iter().chain([only_the_command.clone()]).collect();
        assert_eq!(summary(&mut events).await, expected, "{id} {state}");
    }
}

#[tokio::test(start_paused = true)]
async fn report_of_a_live_device_without_a_command_causes_no_read() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let read = cloud.count("/properties.json");
    let body = json!({"value": 40, "created_at": NOW, "updated_at": NOW, "echo": true});
    manager.apply(StreamEvent::Datapoint(event("A", "intensity", &body)));
    tokio::time::sleep(SECOND).await;
    let known = manager.device("A").unwrap().property("intensity").unwrap().snapshot().unwrap();
    assert_eq!((known.reported_value, known.reported_at), (Some(40.into()), Some(NOW.parse().unwrap())));
    assert_eq!(cloud.count("/properties.json"), read);
}

#[tokio::test(start_paused = true)]
async fn new_property_of_a_live_device_is_read_when_it_reports() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let mut events = manager.device("A").unwrap().events();
    cloud.state().set("A", "fan", 3);
    manager.apply(StreamEvent::Datapoint(event("A", "fan", &json!({"value": 3, "echo": true}))));
    assert_eq!(summary(&mut events).await, ["Gap", "fan {}"]);
}

#[tokio::test(start_paused = true)]
async fn connectivity_that_a_list_finds_first_is_a_gap_while_live() {
    let cloud = TestCloud::with(&["A"]);
    let manager = cloud.ready().await;
    manager.source_changed(DataSource::Dss, true);
    settle().await;
    let mut events = manager.device("A").unwrap().events();
    cloud.state().devices.get_mut("A").unwrap().0["connection_status"] = json!("Offline");
    tokio::time::sleep(16 * SECOND).await;
    assert_eq!(summary(&mut events).await, ["Gap", r#"{"connectionStatus"}"#]);
    cloud.state().devices.get_mut("A").unwrap().0["product_name"] = json!("Lobby");
    tokio::time::sleep(16 * SECOND).await;
    assert_eq!(summary(&mut events).await, [r#"{"productName"}"#], "only lists contain the name");
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
        manager.apply(StreamEvent::Datapoint(event("A", "intensity", &json!({"value": value + 2, "echo": true}))));
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
