//! Changes of an account's address.

use cloud::testing::{PASSWORD, World};
use reqwest::Method;
use serde_json::{Value, json};

use crate::Fixture;
use crate::log::Log;

const NEW: &str = "jo.new@example.com";

#[tokio::test]
async fn address_change_logs_no_address_password_or_token() {
    let log = Log::listen();
    let fixture = Fixture::start().await;
    let url = fixture.cloud.url();
    let token = fixture.cloud.access_token(&fixture.world, World::END_USER).await;
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = reqwest::Client::builder().tls_certs_only([]).build().unwrap();
    let put = async |path: &str, body: Value| {
        let request = client.request(Method::PUT, format!("{url}{path}")).bearer_auth(&token);
        request.json(&body).send().await.unwrap().status().as_u16()
    };
    let change = |password: Option<&str>| json!({ "email": NEW, "current_password": password });
    assert_eq!(put("/users/update_email.json", change(Some("wrong-password"))).await, 422);
    assert_eq!(put("/users/update_email.json", change(None)).await, 200);
    let outbox = fixture.cloud.outbox().await;
    let [cancellation, confirmation] = [0, 1].map(|mail: usize| outbox[mail].token());
    assert_eq!(put("/users/confirmation.json", json!({ "confirmation_token": confirmation })).await, 200);
    let cancel = json!({ "cancellation_token": cancellation });
    assert_eq!(put("/users/update_email/cancel.json", cancel.clone()).await, 200);
    assert_eq!(put("/users/update_email/cancel.json", cancel).await, 422);
    for secret in [NEW, World::END_USER, PASSWORD, "wrong-password", confirmation, cancellation] {
        assert!(log.lines(&[secret]).is_empty(), "{secret}");
    }
}
