//! Writes with acknowledgements.

use super::*;
use crate::api::DEFAULT_ACK_WAIT;
use crate::error::{Error, ErrorKind, Outcome, Result};
use crate::model::{Ack, AckMessage, DataSource, Datapoint};

const LATER: &str = "2026-11-20T10:00:03Z";
const ASK: &str = "apiv1/devices/40/properties/intensity/datapoints/d.json";

/// A property that is acknowledged after this many polls; `None` means never.
async fn cloud(acked_after: Option<usize>) -> (TestCloud, DeviceManager, ManagedProperty) {
    let cloud = TestCloud::with(&["A"]);
    let intensity = json!({"name": "intensity", "key": 7, "base_type": "integer", "value": 1, "ack_enabled": true});
    cloud.state().devices.get_mut("A").unwrap().1.insert("intensity".into(), intensity);
    let manager = cloud.ready().await;
    let property = manager.device("A").unwrap().property("intensity").unwrap();
    manager.device("A").unwrap().stop_polling();
    cloud.reply_with("properties/7/datapoints.json", Reply::Status(201, pending()));
    let answer = |body| Reply::Status(200, body);
    match acked_after {
        Some(tries) => {
            let pendings = std::iter::repeat_n(answer(pending()), tries - 1);
            cloud.in_turn(ASK, pendings.chain([answer(acked())]));
        }
        None => cloud.reply_with(ASK, answer(pending())),
    }
    (cloud, manager, property)
}

fn pending() -> Value {
    json!({"datapoint": {"id": "d", "value": 30, "created_at": NOW, "updated_at": NOW, "metadata": {"by": "jo"}}})
}

fn acked() -> Value {
    let mut body = pending();
    let acked = json!({"updated_at": LATER, "acked_at": LATER, "ack_status": 200, "ack_message": "done"});
    body["datapoint"].as_object_mut().unwrap().extend(acked.as_object().unwrap().clone());
    body
}

async fn timed(future: impl Future<Output = Result<Datapoint>>) -> (Result<Datapoint>, Duration) {
    let start = tokio::time::Instant::now();
    let result = future.await;
    (result, start.elapsed())
}

fn timed_out(result: Result<Datapoint>) {
    let error: Error = result.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Timeout, "Ack enable property polling time out"));
    assert_eq!((error.outcome(), error.is_retryable()), (Outcome::Done, false));
    assert_eq!(error.datapoint().unwrap().id.as_str(), "d");
}

#[tokio::test(start_paused = true)]
async fn write_polls_every_second_until_acknowledged() {
    let (cloud, _manager, property) = cloud(Some(3)).await;
    let device = cloud.clone();
    let (result, waited) = timed(property.create_datapoint(30).metadata("by", "jo").send()).await;
    assert_eq!(result.unwrap().acked_at, Some(LATER.parse().unwrap()));
    assert_eq!((device.count(ASK), waited), (3, 3 * SECOND));
    let written = cloud.script.seen().into_iter().find(|seen| seen.method == "POST").unwrap();
    assert_eq!(written.body, json!({"datapoint": {"value": 30, "metadata": {"by": "jo"}}}));
}

#[tokio::test(start_paused = true)]
async fn acknowledged_value_is_stored_and_sent_as_a_change() {
    let (_world, manager, property) = cloud(Some(1)).await;
    let mut events = manager.device("A").unwrap().events();
    property.create_datapoint(30).send().await.unwrap();
    let known = property.snapshot().unwrap();
    assert_eq!((known.value, known.data_updated_at), (Some(30.into()), Some(LATER.parse().unwrap())));
    assert_eq!((known.ack_status, known.ack_message), (200, AckMessage::Text("done".into())));
    assert_eq!(known.acked_at, Some(LATER.parse().unwrap()));
    assert_eq!(known.metadata["by"], "jo");
    assert_eq!(known.last_update_source, DataSource::Cloud);
    let DeviceEvent::Changed(Change::Property { name, changed, value }) = next_of(&mut events).await else {
        panic!("a change")
    };
    assert_eq!((name.as_str(), value), ("intensity", Some(30.into())));
    let changed: Vec<_> = changed.into_iter().collect();
    assert_eq!(changed, ["ackMessage", "ackStatus", "ackedAt", "dataUpdatedAt", "metadata", "value"]);
}

#[tokio::test(start_paused = true)]
async fn rejected_value_is_not_stored_and_the_device_is_read_again() {
    let (cloud, manager, property) = cloud(Some(1)).await;
    let mut rejected = acked();
    rejected["datapoint"]["ack_status"] = json!(422);
    cloud.reply_with(ASK, Reply::Status(200, rejected));
    let read = cloud.count("A/properties.json");
    let written = property.create_datapoint(30).send().await.unwrap();
    assert_eq!(written.ack(), Ack::Refused(AckMessage::Text("done".into())));
    let known = property.snapshot().unwrap();
    assert_eq!((known.value, known.ack_status), (Some(1.into()), 422));
    settle().await;
    assert_eq!(cloud.count("A/properties.json"), read + 1);
    assert!(!manager.device("A").unwrap().is_polling(), "once");
}

#[tokio::test(start_paused = true)]
async fn unacknowledged_write_is_polled_8_times() {
    let (cloud, manager, property) = cloud(None).await;
    let mut events = manager.device("A").unwrap().events();
    let (result, waited) = timed(property.create_datapoint(30).send()).await;
    timed_out(result);
    assert_eq!((cloud.count(ASK), waited), (8, 9 * SECOND), "the write fails when the ninth poll would be due");
    assert_eq!(property.snapshot().unwrap().value, Some(1.into()), "an unacknowledged value is not stored");
    assert!(received(&mut events).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn ack_wait_replaces_the_number_of_polls() {
    for (ack_wait, polls) in [(Duration::ZERO, 0), (2 * SECOND, 2), (DEFAULT_ACK_WAIT, 10)] {
        let (cloud, _manager, property) = cloud(None).await;
        let (result, waited) = timed(property.create_datapoint(30).ack_wait(ack_wait).send()).await;
        timed_out(result);
        assert_eq!((cloud.count(ASK), waited), (polls, ack_wait));
    }
}

#[tokio::test(start_paused = true)]
async fn ack_wait_is_exceeded_by_one_request_at_most() {
    let (cloud, _manager, property) = cloud(None).await;
    cloud.reply_with(ASK, Reply::Slow(7 * SECOND, 200, pending()));
    let (result, waited) = timed(property.create_datapoint(30).ack_wait(DEFAULT_ACK_WAIT).send()).await;
    timed_out(result);
    // Polls after 1 s and after 9 s.
    assert_eq!((cloud.count(ASK), waited), (2, 16 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn expired_write_ends_the_ack_polling() {
    let (cloud, _manager, property) = cloud(Some(1)).await;
    let mut expired = pending();
    expired["datapoint"]["expired"] = json!(true);
    cloud.reply_with(ASK, Reply::Status(200, expired));
    let (result, waited) = timed(property.create_datapoint(30).send()).await;
    assert_eq!(result.as_ref().unwrap_err().datapoint().unwrap().ack(), Ack::Expired);
    timed_out(result);
    assert_eq!((cloud.count(ASK), waited), (1, SECOND));
    assert_eq!(property.snapshot().unwrap().value, Some(1.into()));
}

#[tokio::test(start_paused = true)]
async fn ack_polling_settings_apply_and_survive_a_read() {
    let (cloud, manager, property) = cloud(None).await;
    property.set_ack_polling(2, 250);
    manager.device("A").unwrap().fetch_properties(&[]).await.unwrap();
    let (result, waited) = timed(property.create_datapoint(30).send()).await;
    timed_out(result);
    assert_eq!((cloud.count(ASK), waited), (2, Duration::from_millis(750)));
}

#[tokio::test(start_paused = true)]
async fn temporarily_failed_ack_poll_counts_as_a_poll() {
    for reply in [Reply::Cut, Reply::Status(503, json!({})), Reply::Status(429, json!({}))] {
        let (cloud, _manager, property) = cloud(Some(1)).await;
        cloud.reply_with(ASK, reply);
        timed_out(property.create_datapoint(30).send().await);
        assert_eq!(cloud.count(ASK), 8);
    }
}

#[tokio::test(start_paused = true)]
async fn error_response_ends_the_ack_polling() {
    let (cloud, _manager, property) = cloud(Some(1)).await;
    cloud.reply_with(ASK, Reply::Status(404, json!({"error": "gone"})));
    let error = property.create_datapoint(30).send().await.unwrap_err();
    assert_eq!((error.status(), error.message()), (Some(404), "gone"));
    assert_eq!((error.outcome(), error.datapoint().unwrap().id.as_str()), (Outcome::Done, "d"));
    assert_eq!(cloud.count(ASK), 1);
}

#[tokio::test(start_paused = true)]
async fn write_with_an_unreadable_response_has_no_acknowledgement() {
    let (cloud, _manager, property) = cloud(Some(1)).await;
    cloud.reply_with("properties/7/datapoints.json", Reply::Status(201, json!("ok")));
    let error = property.create_datapoint(30).send().await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Json, Outcome::Done));
    let written = error.datapoint().unwrap();
    assert!(written.id.is_blank());
    let now = Some(cloud.clock.now());
    assert_eq!((written.created_at, written.updated_at, written.created_at_from_device), (now, now, None));
    assert_eq!(cloud.count(ASK), 0);
}

#[tokio::test(start_paused = true)]
async fn property_without_acknowledgements_has_the_value_immediately() {
    let cloud = TestCloud::with(&["A"]);
    cloud
        .reply_with("properties/1/datapoints.json", Reply::Status(201, json!({"datapoint": {"id": "d", "value": 30}})));
    let manager = cloud.ready().await;
    let property = manager.device("A").unwrap().property("intensity").unwrap();
    let (result, waited) = timed(property.create_datapoint(30).send()).await;
    assert_eq!((result.unwrap().acked_at, waited), (None, Duration::ZERO));
    assert_eq!(property.snapshot().unwrap().value, Some(30.into()));
}

#[tokio::test(start_paused = true)]
async fn ack_write_to_a_device_without_key_is_rejected() {
    let (cloud, manager, property) = cloud(Some(1)).await;
    manager.device("A").unwrap().0.change_device(|device| device.key = "".into());
    let error = property.create_datapoint(30).send().await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Device A does not have a key"));
    assert!(cloud.script.seen().iter().all(|seen| seen.method == "GET"), "nothing was written");
}

#[tokio::test(start_paused = true)]
async fn ack_polling_does_not_keep_the_manager_alive() {
    let (cloud, manager, property) = cloud(Some(5)).await;
    let device = manager.device("A").unwrap();
    let waiting = tokio::spawn(async move { property.create_datapoint(30).send().await });
    tokio::time::sleep(SECOND / 2).await;
    drop(manager);
    tokio::time::sleep(SECOND).await;
    assert!(device.shared().is_none());
    waiting.await.unwrap().unwrap();
    assert_eq!(cloud.count(ASK), 5);
}
