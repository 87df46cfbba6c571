use reqwest::Method;
use serde_json::json;

use crate::world::*;

#[tokio::test]
async fn body_of_ten_megabytes_gets_payload_too_large() {
    let world = World::start().await;
    let body = format!("{{\"email\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    let rows = [
        (world.browser(), Method::POST, "/api/session".to_owned()),
        (world.signed_in(NORTH_TECH).await, Method::PUT, format!("/api/devices/dsns/{NORTH}/settings")),
        (world.signed_in(NORTH_TECH).await, Method::DELETE, "/api/session".to_owned()),
    ];
    for (mut browser, method, path) in rows {
        let request = browser.request(method, &path).header("content-type", "application/json").body(body.clone());
        let answer = browser.send(request).await;
        assert_eq!((answer.status, answer.code()), (413, "too_large"), "{path}");
    }
}

#[tokio::test]
async fn writes_from_another_site_are_refused_and_change_nothing() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let path = format!("/api/devices/dsns/{NORTH}/settings");
    let foreign = [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site"), ("origin", "null")];
    for (name, value) in foreign {
        for (method, path) in
            [(Method::PUT, path.as_str()), (Method::DELETE, "/api/session"), (Method::POST, "/api/session")]
        {
            let request = browser.request(method, path).header(name, value).json(&json!({ "fan": 5 }));
            let answer = browser.send(request).await;
            assert_eq!((answer.status, answer.code()), (403, "foreign_origin"), "{name}: {value}");
        }
    }
    assert_eq!(browser.get("/api/session").await.body["roleName"], "Admin");
    assert!(world.cloud.device(NORTH).await.pending().await.is_empty());
}

#[tokio::test]
async fn form_content_type_is_refused() {
    let world = World::start().await;
    let mut browser = world.browser();
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        let body = json!({ "email": ADMIN, "password": PASSWORD }).to_string();
        let request = browser.request(Method::POST, "/api/session").header("content-type", kind).body(body);
        assert_eq!(browser.send(request).await.status, 415, "{kind}");
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_of_the_api_are_problems() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    for path in ["/api", "/api/", "/api/nothing", "/api/devices/", "/api/devices/dsns"] {
        let answer = browser.get(path).await;
        assert_eq!((answer.status, answer.code()), (404, "not_found"), "{path}");
    }
    let answer = browser.delete("/api/devices").await;
    assert_eq!((answer.status, answer.code()), (405, "method_not_allowed"));
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let world = World::start().await;
    let mut browser = world.browser();
    for path in ["/api/session", "/api/nothing", "/devices/SC-N1", "/assets/nothing.js"] {
        let answer = browser.get(path).await;
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        for part in [
            "default-src 'self'; script-src 'self'; style-src 'self' 'nonce-",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "object-src 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(answer.headers["referrer-policy"], "same-origin", "{path}");
        assert!(!answer.headers["x-app-version"].is_empty(), "{path}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{path}");
    }
    // The browser tests assert that of pages, because they build the web application.
    for (path, expected) in [("/api/session", "application/json"), ("/api/nothing", "application/problem+json")] {
        let content_type = browser.get(path).await.headers["content-type"].clone();
        assert!(content_type.to_str().unwrap().starts_with(expected), "{path}: {content_type:?}");
    }
    assert_eq!(browser.get("/api/nothing").await.headers["cache-control"], "no-store");
    let nonces: Vec<_> =
        [browser.get("/").await, browser.get("/").await].map(|it| it.headers["content-security-policy"].clone()).into();
    assert_ne!(nonces[0], nonces[1], "a nonce is used once");
}

#[tokio::test]
async fn plain_http_on_a_public_address_is_refused() {
    let cloud = console::CloudConfig::local("http://127.0.0.1:1", "app", "secret").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("console.db").display());
    console::init_database(&database).await.unwrap();
    let mut config = console::ConsoleConfig::new(database, cloud, "service@example.com", PASSWORD, [7; 32]);
    config.listen = "0.0.0.0:0".parse().unwrap();
    let clock = platform::run::clock::Clock::system();
    let refused = console::Console::start(config, clock, platform::run::random::Random::system()).await;
    assert!(matches!(refused, Err(console::StartError::Config(console::ConfigError::InsecureHttp))));
}
