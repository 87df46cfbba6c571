//! Limits of connections, streams and sessions.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::world::*;

#[tokio::test]
async fn connection_that_completes_no_header_is_closed() {
    let world = World::start_with(|config| config.connections.first_request = Duration::from_millis(50)).await;
    for part in ["", "GET /api/session HTTP/1.1\r\nhost: a\r\n"] {
        let mut connection = TcpStream::connect(world.console.addr()).await.unwrap();
        connection.write_all(part.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // Ends when the console closes the connection.
        let _ = connection.read_to_string(&mut answer).await;
        assert_eq!(answer, "");
    }
    assert_eq!(world.browser().get("/api/session").await.status, 200);
}

#[tokio::test]
async fn browsers_are_told_to_stay_with_https() {
    let world = World::start_with(|config| config.public_url = Some("https://console.example".parse().unwrap())).await;
    for path in ["/", "/api/session", "/api/nothing", "/healthz"] {
        let answer = world.browser().get(path).await;
        assert_eq!(answer.headers["strict-transport-security"], "max-age=31536000; includeSubDomains", "{path}");
    }
    let plain = World::start().await.browser().get("/").await;
    assert!(plain.headers.get("strict-transport-security").is_none(), "of plain http browsers ignore it");
}

#[tokio::test]
async fn newest_stream_of_a_user_ends_the_oldest_and_not_its_session() {
    let world = World::start_with(|config| config.streams_per_user = 2).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut other = world.signed_in(NORTH_ADMIN).await.follow(&[]).await;
    let (mut first, mut second) = (browser.follow(&[]).await, browser.follow(&[]).await);
    let mut third = browser.follow(&[]).await;
    assert_eq!(first.until_event("end").await, json!({ "reason": "too_many_streams" }));
    assert_eq!(first.next().await, None);
    assert_eq!(browser.get("/api/session").await.body["user"]["email"], NORTH_TECH);
    world.cloud.device(NORTH).await.connect().await;
    for stream in [&mut second, &mut third, &mut other] {
        assert_eq!(stream.next().await, Some(("list".to_owned(), json!({}))));
    }
}

#[tokio::test]
async fn sign_in_beyond_the_limit_ends_the_session_that_was_unused_the_longest() {
    let world = World::start_with(|config| config.session.per_user = 2).await;
    let mut others = world.signed_in(NORTH_ADMIN).await;
    let mut first = world.signed_in(NORTH_TECH).await;
    world.clock.advance(SignedDuration::from_mins(2));
    let mut second = world.signed_in(NORTH_TECH).await;
    let mut stream = second.follow(&[]).await;
    world.clock.advance(SignedDuration::from_mins(2));
    assert_eq!(first.get("/api/devices").await.status, 200);
    world.clock.advance(SignedDuration::from_mins(2));

    let mut third = world.signed_in(NORTH_TECH).await;
    assert_eq!(stream.until_event("end").await, json!({ "reason": "too_many_sessions" }));
    assert_eq!(second.get("/api/session").await.body, Value::Null);
    for browser in [&mut first, &mut third, &mut others] {
        assert_eq!(browser.get("/api/devices").await.status, 200);
    }
    assert_eq!(first.get("/api/account/sessions").await.body.as_array().unwrap().len(), 2);
}
