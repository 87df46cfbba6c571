//! Waiting for an acknowledgement without a manager.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::*;
use crate::api::testing::client;
use crate::error::{Error, ErrorKind, Outcome};
use crate::http::testing::{Reply, ScriptedTransport};
use crate::model::{Ack, AckMessage};

const SECOND: Duration = Duration::from_secs(1);
const LATER: &str = "2026-11-20T10:00:03Z";

fn datapoint(members: &Value) -> Reply {
    let mut datapoint = json!({"id": "d", "value": 30});
    datapoint.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    Reply::Status(200, json!({"datapoint": datapoint}))
}

fn pending() -> Reply {
    datapoint(&json!({}))
}

fn acked(status: i64) -> Reply {
    datapoint(&json!({"acked_at": LATER, "ack_status": status, "ack_message": "done"}))
}

async fn write(script: &ScriptedTransport, ack_wait: Duration) -> (Result<Datapoint>, Duration) {
    let began = Instant::now();
    let datapoints = client(script, true).datapoints();
    let result = datapoints.create("A", "intensity", 30).metadata("by", "jo").and_wait(ack_wait).await;
    (result, began.elapsed())
}

fn assert_missing(error: &Error, kind: ErrorKind, id: &str) {
    assert_eq!((error.kind(), error.outcome(), error.is_retryable()), (kind, Outcome::Done, false), "{error:?}");
    let datapoint = error.datapoint().unwrap();
    assert_eq!((datapoint.id.as_str(), &datapoint.value), (id, &Some(30.into())), "{error:?}");
    assert!(!format!("{error:?}").contains("30"), "the value is not shown: {error:?}");
}

#[tokio::test(start_paused = true)]
async fn write_waits_for_the_acknowledgement_without_a_manager() {
    let refused = Ack::Refused(AckMessage::Text("done".into()));
    for (status, expected) in [(0, Ack::Accepted), (200, Ack::Accepted), (422, refused)] {
        let script = ScriptedTransport::new([pending(), pending(), pending(), acked(status)]);
        let (result, waited) = write(&script, DEFAULT_ACK_WAIT).await;
        assert_eq!((result.unwrap().ack(), waited), (expected, 3 * SECOND), "{status}");
        let seen: Vec<_> = script.seen().into_iter().map(|seen| (seen.method, seen.url)).collect();
        let property = "https://cloud.test/device/apiv1/dsns/A/properties/intensity/datapoints";
        let poll = ("GET".to_owned(), format!("{property}/d.json"));
        assert_eq!(seen, [("POST".to_owned(), property.to_owned()), poll.clone(), poll.clone(), poll]);
        assert_eq!(script.seen()[0].body, json!({"datapoint": {"value": 30, "metadata": {"by": "jo"}}}));
    }
}

#[tokio::test(start_paused = true)]
async fn device_key_is_polled_and_a_property_key_is_rejected_before_the_write() {
    let script = ScriptedTransport::new([pending(), acked(200)]);
    let datapoints = client(&script, true).datapoints();
    datapoints.create_by_device(41, "intensity", 30).and_wait(SECOND).await.unwrap();
    assert_eq!(script.count("apiv1/devices/41/properties/intensity/datapoints/d.json"), 1);
    let error = datapoints.create_by_key(43, 30).and_wait(SECOND).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Device key is required"));
    assert_eq!((error.outcome(), error.datapoint()), (Outcome::NotSent, None));
    assert_eq!(script.seen().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn missing_acknowledgement_is_an_error_with_the_datapoint() {
    // How long to wait, how long each poll takes, and how often the datapoint is polled.
    let millis = Duration::from_millis;
    let table = [
        (10_000, 0, 10),
        (2500, 0, 3),
        (500, 0, 1),
        (0, 0, 0),
        (10_000, 700, 6),
        (10_000, 29_000, 1),
        (10_000, 9_500, 1),
        (1, 29_000, 1),
    ];
    for (ack_wait, duration, polls) in table {
        let (ack_wait, duration) = (millis(ack_wait), millis(duration));
        let script = ScriptedTransport::from_fn(move |seen, _| match pending() {
            Reply::Status(status, body) if seen.method == "GET" => Reply::Slow(duration, status, body),
            written => written,
        });
        let (result, waited) = write(&script, ack_wait).await;
        let error = result.unwrap_err();
        assert_missing(&error, ErrorKind::Timeout, "d");
        assert_eq!(error.message(), "Ack enable property polling time out");
        assert_eq!(script.count("datapoints/d.json"), polls, "{ack_wait:?}, {duration:?}");
        assert!(waited >= ack_wait, "{ack_wait:?}, {duration:?}: {waited:?}");
        assert!(waited <= ack_wait + duration, "{ack_wait:?}, {duration:?}: {waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn polls_without_a_response_end_with_the_wait() {
    let script = ScriptedTransport::from_fn(|seen, _| match seen.method.as_str() {
        "GET" => Reply::Slow(100 * SECOND, 200, json!({})),
        _ => pending(),
    });
    let (result, waited) = write(&script, 40 * SECOND).await;
    assert_missing(&result.unwrap_err(), ErrorKind::Timeout, "d");
    // Two polls, from 1 s and from 32 s on, each ended by the timeout of a request (30 s).
    assert_eq!((script.count("datapoints/d.json"), waited), (2, 62 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn failure_after_the_write_is_done_and_carries_the_datapoint() {
    let denied = || Reply::Status(401, json!({"error": "expired"}));
    let table = [
        ([pending(), Reply::Status(404, json!({"error": "gone"}))], ErrorKind::Server, 1),
        ([pending(), denied()], ErrorKind::Auth, 1),
        ([pending(), Reply::Text(200, "<html>")], ErrorKind::Json, 1),
        ([pending(), Reply::Cut], ErrorKind::Timeout, 3),
        ([pending(), Reply::Status(503, json!({}))], ErrorKind::Timeout, 3),
        ([pending(), datapoint(&json!({"expired": true}))], ErrorKind::Timeout, 1),
        ([pending(), Reply::Status(200, json!({"unexpected": true}))], ErrorKind::Timeout, 3),
        ([pending(), Reply::Status(200, json!({"datapoint": {"id": "e", "acked_at": LATER}}))], ErrorKind::Timeout, 3),
    ];
    for (replies, kind, secs) in table {
        let case = format!("{:?}", replies[1]);
        let (result, waited) = write(&ScriptedTransport::new(replies), 3 * SECOND).await;
        assert_missing(&result.unwrap_err(), kind, "d");
        assert_eq!(waited, secs * SECOND, "{case}");
    }
    for body in [json!(null), json!({"unexpected": true}), json!({"datapoint": {"value": 30}})] {
        let script = ScriptedTransport::new([Reply::Status(201, body)]);
        assert_missing(&write(&script, SECOND).await.0.unwrap_err(), ErrorKind::Json, "");
        assert_eq!(script.seen().len(), 1);
    }
}
