//! The client address behind proxies.

use console::Rate;
use reqwest::Method;
use serde_json::json;

use crate::browser::Browser;
use crate::world::*;

/// Signs in with `from` as the forwarded address. Returns the status and the browser.
async fn sign_in_from(world: &World, from: &str) -> (u16, Browser) {
    let mut browser = world.browser();
    let request = browser.request(Method::POST, "/api/session").header("x-forwarded-for", from);
    let answer = browser.send(request.json(&json!({ "email": NORTH_TECH, "password": PASSWORD }))).await;
    (answer.status, browser)
}

#[tokio::test]
async fn client_behind_a_trusted_proxy_keeps_its_address_for_limits_and_sessions() {
    let world = World::start_with(|config| {
        config.rate_limits.sign_in.per_address = Rate::per_minute(2);
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    for (from, status) in [
        ("203.0.113.1", 200),
        ("203.0.113.1", 200),
        ("203.0.113.1", 429),
        ("198.51.100.7, 203.0.113.1", 429),
        ("203.0.113.2", 200),
    ] {
        assert_eq!(sign_in_from(&world, from).await.0, status, "{from}");
    }
    let (_, mut browser) = sign_in_from(&world, "203.0.113.3").await;
    let sessions = browser.get("/api/account/sessions").await.body;
    assert!(sessions.to_string().contains(r#""203.0.113.2""#), "{sessions}");
}

#[tokio::test]
async fn client_without_a_trusted_proxy_cannot_choose_its_address() {
    let world = World::start_with(|config| {
        config.rate_limits.sign_in.per_address = Rate::per_minute(1);
        config.trusted_proxies = vec!["192.0.2.0/24".parse().unwrap()];
    })
    .await;
    let (status, mut browser) = sign_in_from(&world, "203.0.113.1, 192.0.2.1").await;
    assert_eq!(status, 200);
    assert_eq!(sign_in_from(&world, "203.0.113.2, 192.0.2.1").await.0, 429);
    let sessions = browser.get("/api/account/sessions").await.body.to_string();
    assert!(sessions.contains(r#""127.0.0.1""#) && !sessions.contains("203.0.113"), "{sessions}");
}
