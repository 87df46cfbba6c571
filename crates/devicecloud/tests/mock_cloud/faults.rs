//! Every call with every fault, and the documented kind of its error.

use std::time::Duration;

use devicecloud::testing::{ALL_CALLS, Fault, MockCloud};
use devicecloud::{ErrorKind, Outcome};
use serde_json::{Value, json};

use crate::cases::{self, DSN};
use crate::support::golden;

const FAULTS: [Fault; 6] = [
    Fault::Delay(Duration::from_secs(31)),
    Fault::Status(401),
    Fault::RetryAfter(Duration::from_secs(7)),
    Fault::Status(500),
    Fault::Cut,
    Fault::HtmlPage,
];

/// The kind and the status of the error of a call.
fn expected(name: &str, has_token: bool, fault: Fault) -> (ErrorKind, Option<u16>) {
    use ErrorKind::{Auth, General, Json, Network, Server, Timeout};
    let is_notification = name.starts_with("notifications/");
    let without_status = |kind| (if is_notification { General } else { kind }, None);
    match fault {
        Fault::Delay(_) => without_status(Timeout),
        Fault::Cut => without_status(Network),
        Fault::HtmlPage => without_status(Json),
        // The refresh fails in the same way.
        Fault::Status(401) if has_token || name.starts_with("users/sign_in") => (Auth, Some(401)),
        Fault::Status(status) if name.starts_with("users/sign_out") => (Auth, Some(status)),
        Fault::RetryAfter(_) if name.starts_with("users/sign_out") => (Auth, Some(429)),
        Fault::Status(status) => (Server, Some(status)),
        Fault::RetryAfter(_) => (Server, Some(429)),
        other => panic!("{other:?}"),
    }
}

/// Whether the write happened. A read changes nothing.
fn expected_outcome(is_read: bool, fault: Fault) -> Outcome {
    match fault {
        _ if is_read => Outcome::NotSent,
        Fault::Status(401) | Fault::RetryAfter(_) => Outcome::NotSent,
        _ => Outcome::Unknown,
    }
}

#[tokio::test(start_paused = true)]
async fn every_call_with_every_fault_has_the_documented_error() {
    for (name, run) in cases::all() {
        let request = golden::load(name)["request"].take();
        let has_token = request["headers"]["authorization"].is_string();
        for fault in FAULTS {
            let cloud = MockCloud::new();
            cloud.fault(ALL_CALLS, fault);
            let error = run(cloud.client()).await.expect_err(name);
            assert_eq!((error.kind(), error.status()), expected(name, has_token, fault), "{name} {fault:?}: {error:?}");
            let is_read = request["method"] == "GET";
            assert_eq!(error.outcome(), expected_outcome(is_read, fault), "{name} {fault:?}: {error:?}");
            let is_sign_out = name.starts_with("users/sign_out");
            if let Fault::RetryAfter(delay) = fault
                && !is_sign_out
            {
                assert_eq!(error.retry_after(), Some(delay), "{name}");
            }
            let sent = cloud.requests().iter().filter(|one| is_request(&one.call, &request)).count();
            match fault {
                Fault::Delay(_) | Fault::HtmlPage | Fault::Status(401) => assert_eq!(sent, 1, "{name} {fault:?}"),
                // Reads are tried three times.
                _ if is_read => assert_eq!(sent, 3, "{name} {fault:?}"),
                _ if request["method"] == "POST" => assert_eq!(sent, 1, "{name} {fault:?}"),
                _ => assert!((1..=3).contains(&sent), "{name} {fault:?}: {sent}"),
            }
        }
    }
}

#[tokio::test]
async fn answer_without_needed_data_is_done() {
    let needy = [
        ("users/sign_in", "POST users/sign_in.json"),
        ("users/refresh_token", "POST users/refresh_token.json"),
        ("files/create", "POST apiv1/properties/{key}/datapoints.json"),
    ];
    for (name, call) in needy {
        let (_, run) = cases::all().into_iter().find(|(case, _)| *case == name).unwrap();
        let cloud = MockCloud::new();
        cloud.answer(call, 200, json!({}));
        let error = run(cloud.client()).await.expect_err(name);
        assert_eq!((error.outcome(), error.is_retryable()), (Outcome::Done, false), "{name}: {error:?}");
    }
}

/// Whether it is the request of the golden file, and not the refresh of a token.
fn is_request(call: &str, request: &Value) -> bool {
    let (method, path) = call.split_once(' ').unwrap();
    request["method"] == method && request["path"].as_str().unwrap().trim_start_matches('/') == path
}

#[tokio::test(start_paused = true)]
async fn fault_applies_to_its_call_until_it_is_cleared() {
    let cloud = MockCloud::new();
    let client = cloud.client();
    cloud.fault("GET apiv1/dsns/{dsn}", Fault::Status(500));
    assert_eq!(client.devices().get(DSN).send().await.unwrap_err().status(), Some(500));
    client.devices().get_by_key(41).send().await.unwrap();
    cloud.fault("GET apiv1/dsns/{dsn}", Fault::HtmlPage);
    assert_eq!(client.devices().get(DSN).send().await.unwrap_err().kind(), ErrorKind::Json, "the last fault counts");
    cloud.clear_faults();
    client.devices().get(DSN).send().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fault_once_is_overcome_by_a_retry_and_a_refresh() {
    for (fault, requests) in [
        (Fault::Cut, 2),
        (Fault::Status(503), 2),
        (Fault::RetryAfter(Duration::from_secs(9)), 2),
        (Fault::Status(401), 3),
    ] {
        let cloud = MockCloud::new();
        cloud.fault_once("GET apiv1/devices.json", fault);
        let started = tokio::time::Instant::now();
        cloud.client().devices().all().await.unwrap();
        assert_eq!(cloud.requests().len(), requests, "{fault:?}");
        let waited = if let Fault::RetryAfter(delay) = fault { delay } else { Duration::ZERO };
        assert_eq!(started.elapsed(), waited, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn short_delay_is_not_an_error() {
    let cloud = MockCloud::new();
    cloud.fault(ALL_CALLS, Fault::Delay(Duration::from_secs(29)));
    cloud.client().devices().all().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn file_transfers_have_faults() {
    for (fault, kind) in [
        (Fault::Delay(Duration::from_secs(31)), ErrorKind::Timeout),
        (Fault::Status(406), ErrorKind::Server),
        (Fault::Cut, ErrorKind::Network),
    ] {
        let cloud = MockCloud::new();
        let files = cloud.client().files();
        let file = files.create(44).send().await.unwrap();
        cloud.fault("PUT files/{file}", fault);
        cloud.fault("GET files/{file}", fault);
        assert_eq!(files.upload(&file, "text").await.unwrap_err().kind(), kind);
        assert_eq!(files.open(&file).await.err().unwrap().kind(), kind);
    }
}
