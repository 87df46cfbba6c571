//! The library emits exactly the golden requests and reads the golden responses.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

mod account;
mod cases;
mod privacy;
#[path = "support/server.rs"]
mod server;
mod support;
mod unexpected_responses;
mod write_outcomes;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use cases::{DSN, NOW, ROLE};
use devicecloud::{
    Address, Authorization, BoxFuture, Client, ClientBuilder, Clock, Config, ErrorKind, MemoryTokenStore, NewShare,
    Outcome, Result, Share,
};
use futures::TryStreamExt;
use serde_json::{Value, json};
use server::Server;
use support::golden;

/// A client with the token and the application of a golden request.
fn client(server: &Server, request: &Value) -> Client {
    builder(server, request).build().unwrap()
}

fn builder(server: &Server, request: &Value) -> ClientBuilder {
    let text = |value: &Value, or: &str| value.as_str().unwrap_or(or).to_owned();
    let variables = golden::variables();
    let known = |name: &str| variables[name].as_str().unwrap().to_owned();
    let header = text(&request["headers"]["authorization"], &format!("auth_token {}", known("access_token")));
    let user = &request["body"]["user"];
    let app_id = text(&user["application"]["app_id"], "app");
    let store = MemoryTokenStore::with(Authorization {
        access_token: header.trim_start_matches("auth_token ").into(),
        refresh_token: text(&user["refresh_token"], &known("refresh_token")).into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: NOW.parse().unwrap(),
    });
    let config = Config::local(&server.base, app_id, known("app_secret")).unwrap();
    // To read the platform's certificates takes longer than a call.
    Client::builder(config, Arc::new(store)).clock(Clock::mock(NOW.parse().unwrap())).no_platform_roots()
}

fn assert_request(name: &str, golden: &Value, server: &Server) {
    let seen = server.first();
    assert_eq!(seen.method, golden["method"], "{name}");
    let path = format!("/{}{}", golden["service"].as_str().unwrap(), golden["path"].as_str().unwrap());
    assert_eq!(seen.path, path, "{name}");
    let mut query: Vec<_> = golden["query"].as_array().into_iter().flatten().map(|q| q.as_str().unwrap()).collect();
    query.sort_unstable();
    assert_eq!(seen.query, query, "{name}");
    for header in ["authorization", "content-type"] {
        let found = seen.headers.get(header).map(|value| value.to_str().unwrap());
        assert_eq!(found, golden["headers"][header].as_str(), "{name}: {header}");
    }
    assert_eq!(seen.body.as_ref(), golden.get("body"), "{name}");
}

#[tokio::test]
async fn requests_are_emitted_and_responses_are_read() {
    for (name, run) in cases::all() {
        let file = golden::load(name);
        let status = u16::try_from(file["response"]["status"].as_u64().unwrap()).unwrap();
        for body in golden::samples(&file["response"]["body"]) {
            let body = if body.is_null() { String::new() } else { body.to_string() };
            let server = Server::answering(status, body.clone()).await;
            let result = run(client(&server, &file["request"])).await;
            assert_request(name, &file["request"], &server);
            match (status, result) {
                (200..300, result) => result.unwrap_or_else(|error| panic!("{name}: {error:?} for {body}")),
                (_, Ok(())) => panic!("{name}: an error is expected"),
                // The library tries a refresh, which is denied.
                (401, Err(error)) => assert_eq!(error.kind(), ErrorKind::Auth, "{name}"),
                (status, Err(error)) => {
                    assert_eq!(error.status(), Some(status), "{name}");
                    assert!(error.message().contains("text"), "{name}: {error:?}");
                }
            }
        }
    }
}

/// Whether the call completed within this many polls; otherwise it is dropped.
async fn ends_within(polls: usize, mut call: BoxFuture<'static, Result<()>>) -> bool {
    let mut polled = 0;
    poll_fn(|context| {
        if polled == polls {
            return Poll::Ready(false);
        }
        polled += 1;
        call.as_mut().poll(context).map(|_| true)
    })
    .await
}

#[tokio::test]
async fn dropped_call_does_not_harm_others() {
    // The session's own calls have separate tests.
    for (name, run) in cases::all().into_iter().filter(|(name, _)| !name.starts_with("users/")) {
        let file = golden::load(name);
        let status = u16::try_from(file["response"]["status"].as_u64().unwrap()).unwrap();
        if status >= 300 {
            continue;
        }
        let server = Server::answering(status, golden::samples(&file["response"]["body"])[0].to_string()).await;
        let client = client(&server, &file["request"]);
        let mut polls = 0;
        while !ends_within(polls, run(client.clone())).await {
            polls += 1;
        }
        assert!(polls > 1, "{name} never waits");
        run(client).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

#[tokio::test]
async fn every_error_format_is_read() {
    for name in golden::names().iter().filter(|name| name.starts_with("errors/")) {
        let file = golden::load(name);
        let response = &file["response"];
        let status = u16::try_from(response["status"].as_u64().unwrap()).unwrap();
        let body = response["text"].as_str().map_or_else(|| response["body"].to_string(), str::to_owned);
        let server = Server::answering(status, body).await;
        let error = client(&server, &Value::Null).users().profile().await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(status)), "{name}");
        assert_eq!(error.message(), file["message"], "{name}");
    }
}

#[test]
fn only_calls_without_a_session_send_no_authorization() {
    let unsigned = ["sign_in", "request_password_reset", "confirm", "reset_password", "cancel_email_change"];
    for name in golden::names() {
        let request = golden::load(&name)["request"].take();
        // Stream keys and file URLs need no token.
        if request.is_null() || request["service"] == "stream" {
            continue;
        }
        let call = name.split(['/', '.']).nth(1).unwrap();
        let is_unsigned = name.starts_with("users/") && unsigned.contains(&call);
        assert_eq!(request["headers"].get("authorization").is_none(), is_unsigned, "{name}");
    }
}

#[test]
fn every_golden_file_has_a_case() {
    let covered: Vec<_> = cases::all().into_iter().map(|(name, _)| name).collect();
    for name in golden::names() {
        // The next page of a history and an empty batch need more than one request.
        let unsent = ["datapoints/pages.next", "datapoints/batch.422"].contains(&name.as_str());
        let elsewhere = name.starts_with("errors/") || name.starts_with("stream/") || unsent;
        assert!(elsewhere || covered.contains(&name.as_str()), "{name} is used by no test");
    }
}

#[test]
fn golden_samples_match_their_patterns() {
    for name in golden::names() {
        let pattern = &golden::load(&name)["response"]["body"];
        for sample in golden::samples(pattern) {
            golden::matches(pattern, Some(&sample), &name).unwrap();
        }
    }
    assert!(golden::matches(&serde_json::json!({"a": "<time>"}), Some(&serde_json::json!({"a": "now"})), "").is_err());
    assert!(golden::matches(&serde_json::json!({"a": "<text>"}), Some(&serde_json::json!({})), "").is_err());
}

#[tokio::test]
async fn datapoint_and_subscription_without_a_response_have_blank_ids() {
    for body in ["", "[]", "{\"unexpected\": true}", "null"] {
        let server = Server::answering(201, body.to_owned()).await;
        let client = client(&server, &Value::Null);
        let written = client.datapoints().create(DSN, "intensity", 30).send().await.unwrap();
        assert!(written.id.is_blank(), "{body}");
        // A subscription without the key of its stream is of no use.
        let error = client.subscriptions().create().send().await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Json, Outcome::Done), "{body}");
    }
}

#[tokio::test]
async fn unknown_response_returns_the_resource_as_it_was_sent() {
    let server = Server::answering(200, "7".to_owned()).await;
    let client = client(&server, &Value::Null);
    let contact = client.contacts().update(71).firstname("Jo").send().await.unwrap();
    assert_eq!((contact.id.as_str(), contact.firstname.as_deref()), ("71", Some("Jo")));
    let end: devicecloud::Time = "2026-12-01T08:00:00Z".parse().unwrap();
    let share = NewShare::for_device(DSN, "guest@example.com").end_date_at(end);
    let shares = client.shares().create_several([share.clone(), share.role_name(ROLE)]).send().await.unwrap();
    assert!(
        shares.iter().all(|share| share.id.is_blank() && share.resource_id == DSN && share.end_date_at == Some(end))
    );
    assert_eq!((&shares[0].role_name, shares[1].role_name.as_deref()), (&None, Some(ROLE)));
    let mut share = shares[0].clone();
    share.id = 81.into();
    assert_eq!(client.shares().update(&share).send().await.unwrap(), share);
}

#[tokio::test]
async fn role_label_is_sent_without_missing_members() {
    let table = [
        (None, ("zone", "north"), json!({"role_name": ROLE, "key": "zone", "value": "north"})),
        (Some("text"), ("zone", ""), json!({"role_name": ROLE, "description": "text"})),
        (Some(" "), (" ", "north"), json!({"role_name": ROLE})),
        (Some("text"), ("a", "b"), json!({"role_name": ROLE, "description": "text", "key": "a", "value": "b"})),
    ];
    for (description, (key, value), expected) in table {
        for wrapped in [true, false] {
            let server = Server::answering(200, "{}".to_owned()).await;
            let labels = client(&server, &Value::Null).role_labels();
            let write = if wrapped { labels.enable_role_label_on_device(41, ROLE) } else { labels.associate(41, ROLE) };
            let write = match description {
                Some(text) => write.description(text),
                None => write,
            };
            write.label(key, value).send().await.unwrap();
            let body = if wrapped { json!({"role_label": expected}) } else { expected.clone() };
            assert_eq!(server.first().body, Some(body));
        }
    }
}

#[tokio::test]
async fn error_without_text_has_the_status_text() {
    let server = Server::answering(500, String::new()).await;
    let client = client(&server, &Value::Null);
    let (datapoints, files) = (client.datapoints().without_retry(), client.files().without_retry());
    let location = "https://cloud.example.com/apiv1/datapoints/7.json";
    let errors = [
        datapoints.create(DSN, "intensity", 30).send().await.unwrap_err(),
        datapoints.create_by_key(43, 30).send().await.unwrap_err(),
        client.properties().without_retry().list(DSN).send().await.unwrap_err(),
        client.properties().without_retry().get(DSN, "intensity").await.unwrap_err(),
        files.create(44).send().await.unwrap_err(),
        files.get(location).await.unwrap_err(),
        files.complete(location).await.unwrap_err(),
        files.mark_fetched(location).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.kind(), error.message()), (ErrorKind::Server, "Internal Server Error"));
    }
}

#[tokio::test]
async fn read_with_an_unexpected_shape_is_a_json_error() {
    for body in ["", "OK", "7", "<html>"] {
        let server = Server::answering(200, body.to_owned()).await;
        let error = client(&server, &Value::Null).users().profile().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Json, "{body}");
    }
}

#[tokio::test]
async fn repeated_next_page_ends_the_stream() {
    let page = r#"{"total": 2, "next_page": 2, "devices": [{"device": {"key": 1}}]}"#;
    let server = Server::answering(200, page.to_owned()).await;
    let list = client(&server, &Value::Null).devices().list();
    let devices: Vec<_> = list.items().try_collect().await.unwrap();
    assert_eq!((devices.len(), server.count()), (2, 2));
}

#[tokio::test]
async fn repeated_history_page_ends_the_stream() {
    let page =
        r#"{"meta": {"next_page": "b"}, "datapoints": [{"datapoint": {"id": "b"}}, {"datapoint": {"id": "a"}}]}"#;
    let server = Server::answering(200, page.to_owned()).await;
    let history = client(&server, &Value::Null).datapoints().list(DSN, "fan").history();
    let ids: Vec<_> = history.map_ok(|datapoint| datapoint.id.to_string()).try_collect().await.unwrap();
    assert_eq!((ids, server.count()), (["a", "b", "a", "b"].map(str::to_owned).to_vec(), 2));
}

#[tokio::test]
async fn unpaged_history_is_the_newest_datapoints() {
    let server = Server::answering(200, r#"[{"datapoint": {"id": "a"}}, {"datapoint": {"id": "b"}}]"#.to_owned()).await;
    let history = client(&server, &Value::Null).datapoints().list(DSN, "fan").history();
    let ids: Vec<_> = history.map_ok(|datapoint| datapoint.id.to_string()).try_collect().await.unwrap();
    assert_eq!((ids, server.count()), (["b", "a"].map(str::to_owned).to_vec(), 1));
}

#[tokio::test]
async fn datapoint_limit_outside_1_to_100_becomes_100() {
    for (count, sent) in [(-1, "100"), (0, "100"), (1, "1"), (100, "100"), (101, "100")] {
        let server = Server::answering(200, "[]".to_owned()).await;
        client(&server, &Value::Null).datapoints().list_by_key(43).limit(count).send().await.unwrap();
        assert_eq!(server.first().query, [format!("limit={sent}")], "{count}");
    }
}

#[tokio::test]
async fn connection_history_limit_outside_1_to_1000_becomes_1000() {
    for (count, sent) in [(-1, "1000"), (0, "1000"), (1, "1"), (1000, "1000"), (1001, "1000")] {
        let server = Server::answering(200, "[]".to_owned()).await;
        client(&server, &Value::Null).devices().connection_history(DSN).limit(count).send().await.unwrap();
        assert_eq!(server.first().query, [format!("limit={sent}")], "{count}");
    }
}

#[tokio::test]
async fn batch_results_are_matched_by_property_in_order_and_missing_ones_are_unknown() {
    let answer = |dsn: &str, name: &str, value: i64| json!({"dsn": dsn, "name": name, "status": 201, "datapoint": {"id": "d", "value": value}});
    let refused = json!({"dsn": "B", "name": "fan", "status": 422, "errors": {"value": ["5ec2e7"]}, "error": "5ec2e7"});
    let as_sent = json!({"dsn": "C", "name": "fan", "status": 201});
    let body = json!([answer("A", "level", 9), refused, answer("A", "fan", 1), 7, {}, answer("A", "fan", 2), as_sent]);
    let server = Server::answering(201, body.to_string()).await;
    let batch = client(&server, &Value::Null).datapoints().batch();
    let batch = batch.add("A", "fan", 1).add("B", "fan", 3).add("B", "level", 4).add("A", "fan", 2);
    let results = batch.add("C", "fan", 5).add("A", "level", 9).add("A", "fan", 6).send().await.unwrap();
    let texts = results.iter().map(|entry| match &entry.result {
        Ok(written) => format!("{} {} {:?}", entry.dsn, entry.property_name, written.value.as_ref().unwrap().as_i64()),
        Err(error) => format!("{} {} {:?} {:?}", entry.dsn, entry.property_name, error.status(), error.outcome()),
    });
    let expected = [
        "A fan Some(1)",
        "B fan Some(422) NotSent",
        "B level None Unknown",
        "A fan Some(2)",
        "C fan Some(5)",
        "A level Some(9)",
        "A fan None Unknown",
    ];
    assert_eq!(texts.collect::<Vec<_>>(), expected);
    assert!(!format!("{results:?}").contains("5ec2e7"), "the text of the cloud is hidden");
    for body in ["", "[]", "[7]", "null", "[{\"dsn\": \"A\", \"name\": \"fan\", \"status\": \"x\"}]"] {
        let server = Server::answering(201, body.to_owned()).await;
        let results = client(&server, &Value::Null).datapoints().batch().add("A", "fan", 2).send().await.unwrap();
        let error = results[0].result.as_ref().unwrap_err();
        assert_eq!((error.kind(), error.outcome(), error.is_retryable()), (ErrorKind::Json, Outcome::Unknown, false));
    }
}

#[tokio::test]
async fn response_larger_than_the_limit_is_an_error_and_is_requested_once() {
    for (limit, is_read) in [(64, true), (63, false)] {
        for status in [200, 422] {
            let server = Server::answering(status, format!("[{}]", " ".repeat(62))).await;
            let client = builder(&server, &Value::Null).response_limit(limit).build().unwrap();
            let result = client.properties().list(DSN).send().await;
            let found = result.as_ref().map_err(|error| (error.kind(), error.status(), error.is_retryable()));
            match (status, is_read) {
                (200, true) => assert_eq!(found.unwrap().len(), 0),
                (200, false) => assert_eq!(found.unwrap_err(), (ErrorKind::Json, None, false)),
                _ => assert_eq!(found.unwrap_err(), (ErrorKind::Server, Some(422), false)),
            }
            assert_eq!(server.count(), 1);
        }
    }
}

#[tokio::test]
async fn refused_connection_is_a_network_error_without_url() {
    let mut server = Server::answering(200, String::new()).await;
    server.base = "http://127.0.0.1:1".to_owned();
    let error = client(&server, &Value::Null).devices().without_retry().get(DSN).send().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert!(error.is_retryable() && !format!("{error:?}").contains(DSN), "{error:?}");
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn missing_arguments_and_sessions_are_rejected_before_sending() {
    let server = Server::answering(200, "[]".to_owned()).await;
    let signed_in = client(&server, &Value::Null);
    let signed_out = signed_in.with_store(Arc::new(MemoryTokenStore::new()));
    let expect =
        |error: devicecloud::Error, kind, message: &str| assert_eq!((error.kind(), error.message()), (kind, message));
    let missing = |error, message| expect(error, ErrorKind::InvalidArgument, message);
    missing(signed_in.devices().get(" ").send().await.unwrap_err(), "DSN is required");
    missing(signed_in.devices().get("..").send().await.unwrap_err(), "Invalid path argument");
    missing(signed_in.devices().list().page(0).send().await.unwrap_err(), "Page and page size start at 1");
    missing(signed_in.properties().list("").send().await.unwrap_err(), "DSN is required");
    missing(signed_in.datapoints().create("", "p", 1).send().await.unwrap_err(), "DSN is required");
    missing(signed_in.datapoints().create(DSN, " ", 1).send().await.unwrap_err(), "Property name is required");
    missing(signed_in.datapoints().create(DSN, "p", f64::NAN).send().await.unwrap_err(), "Invalid property value");
    missing(signed_in.datapoints().create_by_key(" ", 1).send().await.unwrap_err(), "Property key is required");
    missing(signed_in.datapoints().create_by_device("", "p", 1).send().await.unwrap_err(), "Device key is required");
    missing(signed_in.datapoints().batch().send().await.unwrap_err(), "Datapoint is required");
    missing(signed_in.datapoints().batch().add("", "p", 1).send().await.unwrap_err(), "DSN is required");
    missing(signed_in.datapoints().batch().add(DSN, "", 1).send().await.unwrap_err(), "Property name is required");
    missing(signed_in.datapoints().list("", "p").send().await.unwrap_err(), "DSN is required");
    missing(signed_in.datapoints().list_by_key("").send().await.unwrap_err(), "Property key is required");
    missing(signed_in.properties().get(DSN, " ").await.unwrap_err(), "Property name is required");
    missing(signed_in.properties().get_by_device("", "p").await.unwrap_err(), "Device key is required");
    missing(signed_in.properties().get_by_key("").await.unwrap_err(), "Property key is required");
    missing(signed_in.properties().list_by_device("").send().await.unwrap_err(), "Device key is required");
    missing(signed_in.datapoints().get("", "p", "d").await.unwrap_err(), "Device key is required");
    missing(signed_in.datapoints().get(41, "", "d").await.unwrap_err(), "Property name is required");
    missing(signed_in.datapoints().get(41, "p", "").await.unwrap_err(), "Datapoint id is required");
    missing(signed_in.files().create("").send().await.unwrap_err(), "Property key is required");
    for location in ["", " ", "https://cloud.example.com/"] {
        missing(signed_in.files().get(location).await.unwrap_err(), "Location path is empty");
        missing(signed_in.files().complete(location).await.unwrap_err(), "Location path is empty");
        missing(signed_in.files().mark_fetched(location).await.unwrap_err(), "Location path is empty");
        missing(signed_in.files().download(location).await.unwrap_err(), "Location path is empty");
    }
    missing(signed_in.subscriptions().get(" ").await.unwrap_err(), "Subscription Id is required");
    missing(signed_in.subscriptions().delete("").await.unwrap_err(), "Subscription Id is required");
    let no_dsns = signed_in.subscriptions().create().dsns(Vec::<String>::new());
    missing(no_dsns.send().await.unwrap_err(), "DSN is required");
    missing(signed_in.subscriptions().create().dsns(["A,B"]).send().await.unwrap_err(), "Invalid DSN");
    let devices = signed_in.devices();
    missing(devices.get_by_key("").send().await.unwrap_err(), "Device key is required");
    missing(devices.rename(" ", "").await.unwrap_err(), "Device key is required");
    missing(devices.rename(41, " ").await.unwrap_err(), "Display name is requried");
    missing(devices.unregister("").await.unwrap_err(), "Device key is required");
    missing(devices.factory_reset("").await.unwrap_err(), "Device key is required");
    missing(devices.address("").await.unwrap_err(), "Device key is required");
    missing(devices.set_address("", &Address::default()).await.unwrap_err(), "Device key is required");
    missing(devices.time_zone("").await.unwrap_err(), "Device key is required");
    missing(devices.set_time_zone("", "").await.unwrap_err(), "Device key is required");
    missing(devices.set_time_zone(41, " ").await.unwrap_err(), "Time zone is required");
    missing(signed_in.notifications().list("").await.unwrap_err(), "Device key is required");
    missing(devices.connection_history(" ").send().await.unwrap_err(), "DSN is required");
    missing(devices.connection_history_by_key("").send().await.unwrap_err(), "Device key is required");
    missing(devices.set_location(" ", 0.0, 0.0).send().await.unwrap_err(), "Display key not found");
    for (lat, lng) in [(90.1, 0.0), (-90.1, 0.0), (0.0, 180.1), (0.0, -180.1), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
        missing(devices.set_location(41, lat, lng).send().await.unwrap_err(), "Invalid location");
    }
    let data = devices.data(DSN);
    missing(devices.data(" ").list().send().await.unwrap_err(), "DSN is required");
    missing(devices.data("").create("", "").await.unwrap_err(), "DSN is required");
    missing(devices.data("").get("").await.unwrap_err(), "DSN is required");
    missing(data.create(" ", "v").await.unwrap_err(), "Datum key is required");
    missing(data.get("").await.unwrap_err(), "Datum key is required");
    missing(data.update("", "v").await.unwrap_err(), "Datum key is required");
    missing(data.delete(" ").await.unwrap_err(), "Datum key is required");
    missing(data.get("..").await.unwrap_err(), "Invalid path argument");
    let data = signed_in.user_data();
    missing(data.create(" ", "v").await.unwrap_err(), "Datum key is required");
    missing(data.get("").await.unwrap_err(), "Datum key is required");
    missing(data.update("", "v").await.unwrap_err(), "Datum key is required");
    missing(data.delete(" ").await.unwrap_err(), "Datum key is required");
    let shares = signed_in.shares();
    let share = |dsn: &str, email: &str| NewShare::for_device(dsn, email);
    missing(shares.get(" ").await.unwrap_err(), "ShareId is required");
    missing(shares.delete("").await.unwrap_err(), "ShareId is requried");
    let unfetched = shares.update(&Share::default()).send().await.unwrap_err();
    missing(unfetched, "Only shares fetched from Ayla service can be updated");
    missing(shares.create(share("", "")).send().await.unwrap_err(), "DSN is required");
    missing(shares.create(share(DSN, " ")).send().await.unwrap_err(), "Email is required");
    missing(shares.create(share(DSN, "a@b").role_name("")).send().await.unwrap_err(), "Role name is empty");
    missing(shares.create_several([]).send().await.unwrap_err(), "Share is required");
    missing(shares.create_several([share(DSN, "a@b"), share(DSN, "")]).send().await.unwrap_err(), "Email is required");
    missing(signed_in.contacts().update(" ").firstname("Jo").send().await.unwrap_err(), "Invalid contact");
    missing(signed_in.contacts().delete("").await.unwrap_err(), "Invalid contact");
    let labels = signed_in.role_labels();
    missing(devices.role_labels("").await.unwrap_err(), "Device ID is empty");
    missing(labels.list(" ").await.unwrap_err(), "Device ID is empty");
    missing(labels.associate("", "").send().await.unwrap_err(), "Device ID is empty");
    missing(labels.disassociate("", "").send().await.unwrap_err(), "Device ID is empty");
    missing(labels.enable_role_label_on_device("", "").send().await.unwrap_err(), "Device ID is empty");
    missing(labels.enable_role_label_on_device(41, " ").send().await.unwrap_err(), "Role name is empty");
    missing(labels.associate(41, " ").send().await.unwrap_err(), "Role name is empty");
    missing(labels.disassociate(41, " ").send().await.unwrap_err(), "Role name is empty");
    missing(labels.find_devices(" ").send().await.unwrap_err(), "Role name is empty");
    missing(labels.update_role_label("", "").send().await.unwrap_err(), "Role ID is empty");
    missing(labels.update_role_label(61, "").send().await.unwrap_err(), "Role name is empty");
    missing(labels.disable_role_label(" ").await.unwrap_err(), "Role ID is empty");
    missing(labels.get("").await.unwrap_err(), "Role ID is empty");
    let first = |error, message| expect(error, ErrorKind::Precondition, message);
    first(signed_out.devices().data("").create("", "").await.unwrap_err(), "No session is active");
    first(signed_out.devices().data("").list().send().await.unwrap_err(), "No session is active");
    let shares = signed_out.shares();
    first(shares.owned().await.unwrap_err(), "No session is active");
    first(shares.received().await.unwrap_err(), "No session is active");
    first(shares.get("").await.unwrap_err(), "No session is active");
    first(shares.delete("").await.unwrap_err(), "No session is active");
    first(shares.create(share("", "")).send().await.unwrap_err(), "No session is active");
    first(shares.create_several([]).send().await.unwrap_err(), "No session is active");
    first(shares.update(&Share::default()).send().await.unwrap_err(), "No session is active");
    first(signed_out.contacts().update("").send().await.unwrap_err(), "No session is active");
    first(signed_out.contacts().list().await.unwrap_err(), "No session is active");
    let data = signed_out.user_data();
    first(data.create("", "").await.unwrap_err(), "No session is active");
    first(data.list().send().await.unwrap_err(), "No session is active");
    let labels = signed_out.role_labels();
    first(labels.list("").await.unwrap_err(), "Session manager is required");
    first(labels.get("").await.unwrap_err(), "Session manager is required");
    first(labels.find_devices("").send().await.unwrap_err(), "Session manager is required");
    first(labels.associate("", "").send().await.unwrap_err(), "Session manager is required");
    first(labels.disassociate("", "").send().await.unwrap_err(), "Session manager is required");
    first(labels.enable_role_label_on_device("", "").send().await.unwrap_err(), "Session manager is required");
    first(labels.update_role_label("", "").send().await.unwrap_err(), "Session manager is required");
    first(labels.disable_role_label("").await.unwrap_err(), "Session manager is required");
    first(signed_out.devices().role_labels("").await.unwrap_err(), "Session manager is required");
    first(signed_out.devices().rename("", "").await.unwrap_err(), "No session is active");
    first(signed_out.devices().set_location("", 0.0, 0.0).send().await.unwrap_err(), "No session is active");
    first(signed_out.notifications().list("").await.unwrap_err(), "No session is active");
    first(signed_out.devices().connection_history("").send().await.unwrap_err(), "No session is active");
    first(signed_out.devices().factory_reset("").await.unwrap_err(), "No session is active");
    first(signed_out.devices().time_zone("").await.unwrap_err(), "No session is active");
    first(signed_out.devices().get("").send().await.unwrap_err(), "Session manager is required");
    first(signed_out.devices().all().await.unwrap_err(), "Session manager is required");
    first(signed_out.properties().list("").send().await.unwrap_err(), "Session is not active");
    first(signed_out.datapoints().create(DSN, "p", 1).send().await.unwrap_err(), "Session is not active");
    first(signed_out.datapoints().batch().send().await.unwrap_err(), "Session is not active");
    first(signed_out.datapoints().list_by_key("").send().await.unwrap_err(), "Session is not active");
    first(signed_out.properties().get_by_key("").await.unwrap_err(), "Session is not active");
    first(signed_out.files().create("").send().await.unwrap_err(), "Session is not active");
    first(signed_out.files().get("").await.unwrap_err(), "Session is not active");
    first(signed_out.users().profile().await.unwrap_err(), "No session is active");
    first(signed_out.refresh().await.unwrap_err(), "No session is active");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn extra_headers_are_sent_and_invalid_ones_rejected() {
    let server = Server::answering(200, "[]".to_owned()).await;
    let config = || Config::local(&server.base, "app", "secret").unwrap();
    let tokens = || {
        Arc::new(MemoryTokenStore::with(Authorization {
            access_token: "a".into(),
            refresh_token: "r".into(),
            expires_in_secs: 86_400,
            role: None,
            created_at: Clock::system().now(),
        }))
    };
    let client = Client::builder(config(), tokens()).header("x-tenant", "blue").build().unwrap();
    client.devices().all().await.unwrap();
    assert_eq!(server.first().headers["x-tenant"], "blue");
    for (name, value) in [("bad name", "v"), ("x", "line\nbreak")] {
        let error = Client::builder(config(), tokens()).header(name, value).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}
