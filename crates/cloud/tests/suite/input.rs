//! Invalid input: it gets a clear error and is not stored.

use cloud::testing::World;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Fixture, answer};

const INTENSITY: &str = "/apiv1/dsns/DEV-A1/properties/intensity/datapoints";

#[tokio::test]
async fn invalid_value_is_refused_and_not_stored() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let pairs: serde_json::Map<_, _> = (0..11).map(|n| (n.to_string(), json!(n))).collect();
    let table = [
        (json!({}), "value"),
        (json!({ "datapoint": {} }), "value"),
        (json!({ "datapoint": 7 }), "datapoint"),
        (json!({ "datapoint": { "value": null } }), "value"),
        (json!({ "datapoint": { "value": "thirty" } }), "value"),
        (json!({ "datapoint": { "value": 0 } }), "value"),
        (json!({ "datapoint": { "value": 51 } }), "value"),
        (json!({ "datapoint": { "value": [30] } }), "value"),
        (json!({ "datapoint": { "value": 30, "metadata": pairs } }), "metadata"),
        (json!({ "datapoint": { "value": 30, "metadata": "text" } }), "metadata"),
        (json!({ "datapoint": { "value": 30, "metadata": { "a": [] } } }), "metadata"),
        (json!({ "datapoint": { "value": 30, "metadata": { "a": "x".repeat(1025) } } }), "metadata"),
        (json!({ "datapoint": { "value": 30, "metadata": { "a": "\0" } } }), "metadata"),
        (json!({ "datapoint": { "value": 30, "metadata": { "\0": 1 } } }), "metadata"),
    ];
    for (body, field) in table {
        let answer = fixture.post(&token, INTENSITY, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}");
        assert!(answer.body["errors"][field][0].is_string(), "{body} {}", answer.body);
    }
    assert_eq!(fixture.get(&token, INTENSITY).await.body, json!([]));
}

#[tokio::test]
async fn numeric_texts_unknown_members_and_missing_content_type_are_accepted() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let metadata = json!({ "by": "a test", "n": 1, "none": null });
    let body = json!({ "datapoint": { "value": "30", "metadata": metadata, "unknown": {} }, "more": 1 });
    let datapoint = fixture.post(&token, INTENSITY, body).await.body["datapoint"].take();
    assert_eq!((&datapoint["value"], &datapoint["metadata"]), (&json!(30), &metadata));
    // No content type, as some clients send it.
    let request = fixture.request(Method::POST, INTENSITY).header("authorization", &token);
    let response = request.body(r#"{"datapoint":{"value":31,"metadata":null}}"#).send().await.unwrap();
    assert_eq!(answer(response).await.status, 201);
    // A JSON content type without a body.
    let request = fixture.request(Method::GET, INTENSITY).header("authorization", &token);
    let response = request.header("content-type", "application/json").send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/json; charset=utf-8");
    assert_eq!(answer(response).await.status, 200);
}

#[tokio::test]
async fn string_keeps_every_allowed_character() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    for text in ["", "café 🌸 \"quoted\" \\ | '; drop table device; --", "tab \t and\nline", &"x".repeat(1024)] {
        fixture.command(&token, "DEV-A1", "note", json!(text)).await;
        assert_eq!(fixture.property(&token, "DEV-A1", "note").await["value"], text);
    }
}

#[tokio::test]
async fn only_the_device_writes_an_output_property() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let path = "/apiv1/dsns/DEV-A1/properties/hours/datapoints";
    let answer = fixture.post(&token, path, json!({ "datapoint": { "value": 1 } })).await;
    assert_eq!(answer.status, 422);
    assert!(answer.body["errors"]["base"][0].is_string());
}

#[tokio::test]
async fn body_that_is_no_object_gets_400_and_a_large_one_413() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let post = async |body: String| {
        let request = fixture.request(Method::POST, INTENSITY).header("authorization", &token);
        answer(request.body(body).send().await.unwrap()).await
    };
    for body in ["{", "[1]", "7", "\u{1}"] {
        let refused = post(body.to_owned()).await;
        assert_eq!(refused.status, 400, "{body}");
        assert!(refused.body["error"].is_string(), "{body}");
    }
    let large = post(" ".repeat(1024 * 1024 + 1)).await;
    assert_eq!((large.status, large.body["error"].is_string()), (413, true));
}

#[tokio::test]
async fn unknown_path_or_method_gets_a_json_error() {
    let fixture = Fixture::start().await;
    for (method, path, status) in [
        (Method::GET, "/", 404),
        (Method::GET, "/no/such/call", 404),
        (Method::PUT, "/users/sign_in", 405),
        (Method::GET, "/apiv1/dsns/%00", 400),
        (Method::GET, "/stream?stream_key=%00", 400),
    ] {
        let answer = fixture.call(method, path, None, None).await;
        assert_eq!((answer.status, answer.body["error"].is_string()), (status, true), "{path}");
    }
}

#[tokio::test]
async fn subscription_is_validated_by_field() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let table = [
        (json!({ "name": 7 }), 422),
        (json!({ "name": "n".repeat(256) }), 422),
        (json!({ "dsn": 7 }), 422),
        (json!({ "dsn": "d".repeat(20_000) }), 422),
        (json!({ "client_type": "toaster" }), 422),
        (json!({ "subscription_type": "everything" }), 422),
        (json!({ "batch_size": 5 }), 422),
        (json!({ "batch_size": "x" }), 422),
        (json!({ "dsn": "NO-SUCH" }), 404),
        (json!({ "dsn": "DEV-A1,DEV-B1" }), 404),
        (json!({ "dsn": "DEV-A1,DEV-A1" }), 201),
        (json!({ "dsn": ["DEV-A1", "DEV-A2"], "subscription_type": ["connectivity"], "batch_size": 1 }), 201),
        (json!({ "dsn": "*" }), 201),
        (json!({}), 201),
    ];
    for (body, status) in table {
        let answer = fixture.post(&token, "/api/v1/subscriptions", body.clone()).await;
        assert_eq!(answer.status, status, "{body} {}", answer.body);
    }
    let list = fixture.get(&token, "/api/v1/subscriptions").await.body;
    let dsns: Vec<Value> = list.as_array().unwrap().iter().map(|item| item["subscription"]["dsn"].clone()).collect();
    assert_eq!(dsns, [json!("DEV-A1"), json!("DEV-A1,DEV-A2"), json!(null), json!(null)]);
}

#[tokio::test]
async fn subscription_is_visible_only_to_its_owner() {
    let fixture = Fixture::start().await;
    let (owner, other) = (fixture.token(World::PARTNER_ADMIN_A).await, fixture.token(World::ADMIN).await);
    let created = fixture.post(&owner, "/api/v1/subscriptions", json!({})).await.body;
    let path = format!("/subscription/api/v1/subscriptions/{}", created["subscription"]["id"]);
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(fixture.call(method, &path, Some(&other), None).await.status, 404);
    }
    assert_eq!(fixture.get(&owner, &path).await.body, created);
    assert_eq!(fixture.call(Method::DELETE, &path, Some(&owner), None).await.status, 204);
    for (method, path) in
        [(Method::GET, &path), (Method::DELETE, &path), (Method::GET, &"/api/v1/subscriptions/x".into())]
    {
        assert_eq!(fixture.call(method, path, Some(&owner), None).await.status, 404);
    }
}
