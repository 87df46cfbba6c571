//! Single sign-on: the token of one application opens a session of another application of the same manufacturer.

use cloud::testing::{APP_ID, APP_SECRET, World};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Fixture, answer};
use crate::sessions::{is_signed_in, refresh};

const OTHER: (&str, &str) = ("other-app", "other-secret");

async fn fixture() -> Fixture {
    let fixture = Fixture::start().await;
    let (app_id, secret) = OTHER;
    fixture.cloud.operator().ensure_application(&fixture.world.oem, app_id, "Other", &secret.into()).await.unwrap();
    fixture
}

async fn exchange(fixture: &Fixture, body: Value) -> Answer {
    fixture.call(Method::POST, "/api/v1/token_sign_in.json", None, Some(body)).await
}

fn body(token: &str) -> Value {
    json!({ "token": token, "app_id": OTHER.0, "app_secret": OTHER.1, "provider": "local" })
}

#[tokio::test]
async fn token_of_one_application_signs_in_to_another() {
    let fixture = fixture().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let session = exchange(&fixture, body(&token)).await;
    assert_eq!((session.status, &session.body["code"]), (200, &json!("ok")));
    assert_eq!((&session.body["role"], &session.body["expires_in"]), (&json!("OEM::Partner::Admin"), &json!(86_400)));
    assert_eq!(session.body["role_tags"][0]["value"], "A");
    assert_ne!(session.body["access_token"], token);
    for token in [&json!(token), &session.body["access_token"]] {
        assert!(is_signed_in(&fixture, token).await);
    }
    assert_eq!(refresh(&fixture, &session.body["refresh_token"]).await.status, 200);
}

#[tokio::test]
async fn token_exchange_accepts_a_form() {
    let fixture = fixture().await;
    let token = fixture.token(World::END_USER).await;
    let form = format!("token={token}&app_id={APP_ID}&app_secret={APP_SECRET}");
    let request = fixture.request(Method::POST, "/user/api/v1/token_sign_in.json").body(form);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(answer(request.send().await.unwrap()).await.status, 200);
}

#[tokio::test]
async fn failed_token_exchange_has_its_own_error_format() {
    let fixture = fixture().await;
    let token = fixture.token(World::ADMIN).await;
    let (expired, machine) = (fixture.token(World::OBSERVER).await, fixture.token(World::MACHINE).await);
    fixture.cloud.expire_access_tokens_of(World::OBSERVER).await;
    let foreign = fixture.cloud.operator().ensure_oem("Other OEM").await.unwrap();
    fixture.cloud.operator().ensure_application(&foreign, "foreign", "Foreign", &"secret".into()).await.unwrap();
    let with = |member: &str, value: Value| {
        let mut body = body(&token);
        body[member] = value;
        body
    };
    let table = [
        (json!({}), 422),
        (with("token", json!(null)), 422),
        (with("token", json!(7)), 422),
        (with("token", json!("t".repeat(256))), 422),
        (with("app_id", json!(7)), 422),
        (with("app_id", json!("wrong")), 404),
        (with("app_secret", json!("wrong")), 404),
        (with("app_secret", json!(null)), 404),
        (with("token", json!("0".repeat(32))), 401),
        (body(&expired), 401),
        // A machine account signs in through its own application only.
        (body(&machine), 401),
        (json!({ "token": token, "app_id": "foreign", "app_secret": "secret" }), 401),
    ];
    for (body, status) in table {
        let answer = exchange(&fixture, body.clone()).await;
        assert_eq!(answer.status, status, "{body} {}", answer.body);
        assert!(answer.body["errors"].as_str().is_some_and(|text| !text.contains("message")), "{}", answer.body);
    }
}
