//! The feature `testing`: a mock cloud that answers every call, and its faults.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

#[path = "mock_cloud/bundle.rs"]
mod bundle;
mod cases;
#[path = "mock_cloud/faults.rs"]
mod faults;
#[path = "mock_cloud/models.rs"]
mod models;
#[path = "mock_cloud/streams.rs"]
mod streams;
mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cases::{DSN, LOCATION};
use devicecloud::api::FileContent;
use devicecloud::testing::{Fault, MockCloud};
use devicecloud::{Client, Config, ErrorKind, MemoryTokenStore, RuleAction, ScheduleAction};
use futures::{TryStreamExt, stream};
use serde_json::{Value, json};
use support::golden;

/// Golden files whose request is that of another file: the response depends on the state of the cloud.
const OTHER_STATE: [&str; 4] =
    ["admin/get_user.custody", "admin/users.partner", "datapoints/get.pending", "notifications/list.made"];

const METHODS: [&str; 4] = ["GET ", "POST ", "PUT ", "DELETE "];

#[tokio::test]
async fn every_call_gets_its_golden_answer() {
    let mut answered = 0;
    for (name, run) in cases::all() {
        let file = golden::load(name);
        if !(200..300).contains(&file["response"]["status"].as_u64().unwrap()) || OTHER_STATE.contains(&name) {
            continue;
        }
        let cloud = MockCloud::new();
        // Each case asserts what the library reads.
        run(cloud.client()).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let [request] = &*cloud.requests() else { panic!("{name} is one request") };
        let expected =
            format!("{} {}", file["request"]["method"].as_str().unwrap(), file["request"]["path"].as_str().unwrap());
        assert_eq!(request.call, expected.replacen(" /", " ", 1));
        assert_eq!(request.token.is_some(), file["request"]["headers"]["authorization"].is_string(), "{name}");
        answered += 1;
    }
    assert!(answered > 130, "{answered}");
}

#[tokio::test]
async fn calls_of_several_requests_are_answered() {
    let cloud = MockCloud::new();
    let client = cloud.client();
    client.devices().all().await.unwrap();
    let history = client.datapoints().list(DSN, "intensity").history();
    assert!(!history.try_collect::<Vec<_>>().await.unwrap().is_empty());
    let mut action = RuleAction::datapoint(DSN, "intensity", "=", 30).unwrap();
    action.action_uuid = cases::ACTION.into();
    client.rule_actions().update(action).await.unwrap();
    let mut action = ScheduleAction::new("fan", devicecloud::BaseType::Integer, 1);
    action.key = 92.into();
    client.schedule_actions().update_all([action]).await.unwrap();
    client.schedule_actions().delete_all(91).await.unwrap();
}

#[tokio::test]
async fn uploaded_file_is_downloaded() {
    let cloud = MockCloud::new();
    let files = cloud.client().files();
    let placeholder = files.create(44).send().await.unwrap();
    let chunks = FileContent::chunks(stream::iter([Ok("te"), Ok("xt")]));
    assert!(files.upload(&placeholder, chunks).await.unwrap().closed);
    let content: Vec<Vec<u8>> = files.download(LOCATION).await.unwrap().try_collect().await.unwrap();
    assert_eq!(content.concat(), b"text");
    let transfers = cloud.requests().into_iter().filter(|request| request.call.contains(" files/"));
    assert_eq!(
        transfers.map(|request| (request.call, request.token)).collect::<Vec<_>>(),
        [("PUT files/7".to_owned(), None), ("GET files/7".to_owned(), None)]
    );
}

#[tokio::test]
async fn test_replaces_answers_and_reads_requests() {
    let cloud = MockCloud::new();
    let client = cloud.client();
    cloud.answer("POST apiv1/dsns/{dsn}/properties/{name}/datapoints", 422, json!({"error": "too high"}));
    let error = client.datapoints().create("AC1", "intensity", 300).send().await.unwrap_err();
    assert_eq!((error.status(), error.message()), (Some(422), "too high"));
    let [request] = &*cloud.requests() else { panic!("one request") };
    assert!(
        request.is("POST apiv1/dsns/{any}/properties/intensity/datapoints") && !request.is("GET apiv1/devices.json")
    );
    assert_eq!(request.body, Some(json!({"datapoint": {"value": 300}})));

    cloud.answer_with("GET apiv1/devices.json", |request| {
        let page = if request.query.contains(&"page=2".to_owned()) { json!(null) } else { json!(2) };
        (200, json!({"devices": [{"device": {"dsn": request.query[1]}}], "next_page": page}))
    });
    let devices: Vec<_> = client.devices().list().items().try_collect().await.unwrap();
    assert_eq!(devices.iter().map(|device| device.dsn.as_str()).collect::<Vec<_>>(), ["page=1", "page=2"]);
    cloud.answer("DELETE api/v1/subscriptions/{id}", 204, Value::Null);
    client.subscriptions().delete(51).await.unwrap();
}

#[tokio::test]
async fn manual_clock_expires_tokens() {
    let cloud = MockCloud::new();
    let client = cloud.client();
    client.users().profile().await.unwrap();
    cloud.clock().advance(Duration::from_secs(86_400));
    client.users().profile().await.unwrap();
    let calls: Vec<_> = cloud.requests().into_iter().map(|request| request.call).collect();
    let profile = "GET users/get_user_profile.json";
    assert_eq!(calls, [profile, "POST users/refresh_token.json", profile]);
}

#[tokio::test]
async fn client_with_any_configuration_is_connected() {
    let config = Config::local("https://cloud.example.com", "app", "secret").unwrap();
    let cloud = MockCloud::new();
    let builder = Client::builder(config, Arc::new(MemoryTokenStore::new()));
    let client = cloud.connect(builder).request_timeout(Duration::from_secs(2)).build().unwrap();
    let error = client.devices().all().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Precondition, "nobody is signed in");
    client.sign_in("jo@example.com", &"correct horse".into()).await.unwrap();
    client.devices().all().await.unwrap();
}

/// The calls that the documentation of the library names: `GET apiv1/devices/{key}/addr`.
fn documented_calls(folder: &Path, calls: &mut Vec<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            documented_calls(&path, calls);
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let code = text
            .lines()
            .filter(|line| line.trim_start().starts_with("///"))
            .flat_map(|line| line.split('`').skip(1).step_by(2));
        calls.extend(code.filter(|code| METHODS.iter().any(|method| code.starts_with(method))).map(str::to_owned));
    }
}

#[test]
fn every_documented_call_is_known() {
    let mut calls = Vec::new();
    for folder in ["src/api", "src/session"] {
        documented_calls(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut calls);
    }
    assert!(calls.len() > 120, "{}", calls.len());
    let cloud = MockCloud::new();
    calls.iter().for_each(|call| cloud.fault(call, Fault::Cut));
}

#[test]
#[should_panic(expected = "the library has no call `GET apiv1/device.json`")]
fn mistyped_call_is_rejected() {
    MockCloud::new().fault("GET apiv1/device.json", Fault::Cut);
}
