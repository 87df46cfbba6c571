//! Requests with form-encoded bodies, and JSON bodies without wrappers (docs/wire.md#requests).

use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, World};
use reqwest::Method;
use serde_json::json;

use crate::client::{Fixture, answer};

#[tokio::test]
async fn sign_in_refresh_and_sign_out_accept_forms_and_bare_bodies() {
    let fixture = Fixture::start().await;
    let post = async |path: &str, body: String, is_form: bool| {
        let mut request = fixture.request(Method::POST, path).body(body);
        if is_form {
            request = request.header("content-type", "application/x-www-form-urlencoded");
        }
        answer(request.send().await.unwrap()).await
    };
    let (email, path) = (World::ADMIN, "/users/sign_in.json");
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    let bare = json!({ "email": email, "password": PASSWORD, "application": application }).to_string();
    let wrapped = json!({ "user": { "email": email, "password": PASSWORD, "application": application } }).to_string();
    let nested = format!(
        "user[email]={email}&user[password]={PASSWORD}&user[application][app_id]={APP_ID}&user[application][app_secret]={APP_SECRET}"
    );
    let flat = format!("email={email}&password={PASSWORD}&app_id={APP_ID}&app_secret={APP_SECRET}");
    for (body, is_form) in [(&wrapped, false), (&bare, false), (&bare, true), (&nested, true), (&flat, true)] {
        assert_eq!(post(path, body.clone(), is_form).await.status, 200, "{body}");
    }
    let mut session = post(path, flat, true).await.body;
    // The whole previous answer, as some clients send it.
    let refreshed = post("/users/refresh_token", json!({ "user": session }).to_string(), false).await;
    assert_eq!(refreshed.status, 200);
    session = refreshed.body;
    let refresh = format!("refresh_token={}", session["refresh_token"].as_str().unwrap());
    session = post("/users/refresh_token", refresh, true).await.body;
    let access = format!("user[access_token]={}", session["access_token"].as_str().unwrap());
    assert_eq!(post("/users/sign_out", access, true).await.status, 200);
    assert_eq!(post(path, "user=text&password=x".to_owned(), true).await.status, 422);
    assert_eq!(post(path, "user=text&user[email]=x".to_owned(), true).await.status, 400);
}
