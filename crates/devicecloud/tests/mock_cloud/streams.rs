//! Live data of the mock cloud.

use std::time::Duration;

use devicecloud::testing::{Fault, MockCloud, events};
use devicecloud::{ConnectionStatus, Outcome, PropertyValue, StreamEvent, StreamHandle, Time};
use serde_json::Value;

use crate::cases::{DSN, NOW};
use crate::support::golden;

fn now() -> Time {
    NOW.parse().unwrap()
}

async fn open(cloud: &MockCloud) -> StreamHandle {
    let client = cloud.client();
    let subscription = client.subscriptions().create().send().await.unwrap();
    client.stream(&subscription)
}

fn event(value: i64) -> Value {
    events::datapoint(DSN, "intensity", value, true, now())
}

fn value(event: Option<StreamEvent>) -> Option<PropertyValue> {
    match event {
        Some(StreamEvent::Datapoint(event)) => event.datapoint.value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn events_match_the_golden_files() {
    let online = ConnectionStatus::Online;
    for (name, event) in [
        ("stream/datapoint", events::datapoint(DSN, "intensity", 30, false, now())),
        ("stream/datapoint.reported", events::datapoint(DSN, "intensity", 30, true, now())),
        ("stream/datapointack", events::datapoint_ack(DSN, "intensity", 30, 200, now())),
        ("stream/connectivity.online", events::connectivity(DSN, &online, now())),
        ("stream/connectivity.offline", events::connectivity(DSN, &ConnectionStatus::Offline, now())),
    ] {
        let mut pattern = golden::load(name)["event"].take();
        // The cloud numbers the events of a connection.
        pattern.as_object_mut().unwrap().remove("seq");
        golden::matches(&pattern, Some(&event), name).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn stream_delivers_events_and_reconnects_after_a_cut() {
    let cloud = MockCloud::new();
    let mut stream = open(&cloud).await;
    for round in 0..3 {
        assert!(matches!(stream.next().await, Some(StreamEvent::Connected)));
        assert_eq!(cloud.open_streams(), 1);
        cloud.publish(&event(round));
        cloud.publish(&events::connectivity(DSN, &ConnectionStatus::Offline, now()));
        assert_eq!(value(stream.next().await), Some(round.into()));
        assert!(matches!(stream.next().await, Some(StreamEvent::Connectivity { .. })));
        cloud.cut_streams();
        assert!(matches!(stream.next().await, Some(StreamEvent::Disconnected)));
        cloud.publish(&event(99));
    }
    assert!(matches!(stream.next().await, Some(StreamEvent::Connected)));
    drop(stream);
    while cloud.open_streams() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn lost_event_is_a_gap() {
    let cloud = MockCloud::new();
    let mut stream = open(&cloud).await;
    assert!(matches!(stream.next().await, Some(StreamEvent::Connected)));
    cloud.publish(&event(1));
    cloud.lose_event();
    cloud.publish(&event(2));
    assert_eq!(value(stream.next().await), Some(1.into()));
    assert!(matches!(stream.next().await, Some(StreamEvent::Gap)));
    assert_eq!(value(stream.next().await), Some(2.into()));
}

#[tokio::test(start_paused = true)]
async fn idle_stream_stays_open_by_heartbeats() {
    let cloud = MockCloud::new();
    let mut stream = open(&cloud).await;
    assert!(matches!(stream.next().await, Some(StreamEvent::Connected)));
    assert!(tokio::time::timeout(Duration::from_secs(600), stream.next()).await.is_err());
    cloud.publish(&event(1));
    assert_eq!(value(stream.next().await), Some(1.into()));
}

#[tokio::test(start_paused = true)]
async fn stream_survives_every_fault_but_a_rejected_key() {
    let delay = Duration::from_secs(31);
    for fault in [Fault::Delay(delay), Fault::RetryAfter(delay), Fault::Status(500), Fault::Cut, Fault::HtmlPage] {
        let cloud = MockCloud::new();
        cloud.fault_once("GET stream", fault);
        let mut stream = open(&cloud).await;
        let Some(StreamEvent::ConnectFailed(error)) = stream.next().await else { panic!("{fault:?}") };
        let expected = matches!(fault, Fault::RetryAfter(_)).then_some(delay);
        assert_eq!((error.retry_after(), error.outcome()), (expected, Outcome::NotSent), "{fault:?}");
        assert!(matches!(stream.next().await, Some(StreamEvent::Connected)), "{fault:?}");
        assert_eq!(cloud.requests().iter().filter(|request| request.is("GET stream")).count(), 2);
    }
    let cloud = MockCloud::new();
    cloud.fault("GET stream", Fault::Status(401));
    let mut stream = open(&cloud).await;
    assert!(matches!(stream.next().await, Some(StreamEvent::GaveUp(error)) if error.status() == Some(401)));
    assert!(stream.next().await.is_none());
}
