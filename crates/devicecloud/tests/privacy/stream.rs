//! What a stream receives.

use axum::Router;
use axum::extract::WebSocketUpgrade;
use axum::extract::ws::Message;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, get};
use devicecloud::{StreamEvent, Subscription};

use super::log::Log;
use super::*;

const KEY: &str = "c0000000000000";

/// The golden events with the mark as the value of their datapoints, and frames that cannot be read.
fn frames() -> Vec<Message> {
    let mut frames = vec![
        Message::text(format!("5|{MARK}")),
        Message::text(format!("[{MARK}")),
        Message::binary(MARK.as_bytes().to_vec()),
        Message::binary(vec![0xff; 16]),
    ];
    for name in golden::names() {
        if let Some(event) = golden::load(&name).get("event") {
            let mut event = marked(event);
            for member in ["value", "metadata", "ack_message"] {
                event["datapoint"][member] = MARK.into();
            }
            let event = event.to_string();
            frames.push(Message::text(format!("{}|{event}", event.len() + 1)));
        }
    }
    frames
}

/// A client of a server with this answer to the handshake, and a subscription.
async fn connect(answer: MethodRouter) -> (Client, Subscription) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().route("/stream/stream", answer);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let config = Config::local(&base, "app", "secret").unwrap();
    let mut subscription = Subscription::default();
    subscription.stream_key = KEY.into();
    (Client::builder(config, Arc::new(MemoryTokenStore::new())).build().unwrap(), subscription)
}

#[tokio::test]
async fn no_frame_of_a_stream_is_logged_or_shown_in_debug_output() {
    let accept = async |upgrade: WebSocketUpgrade| {
        upgrade.on_upgrade(async |mut socket| {
            for frame in frames() {
                socket.send(frame).await.unwrap();
            }
        })
    };
    let (client, subscription) = connect(get(accept)).await;

    let log = Log::start();
    let mut stream = client.stream(&subscription);
    let mut events = Vec::new();
    while !matches!(events.last(), Some(StreamEvent::Disconnected)) {
        events.push(stream.next().await.unwrap());
    }
    let datapoints = events.iter().filter(|event| matches!(event, StreamEvent::Datapoint(_))).count();
    assert!(datapoints >= 2 && log.text().contains("a frame of the stream was skipped"), "{events:?}");
    assert_private(&format!("{events:?} {subscription:?} {stream:?}"), "Debug output");
    assert_private(&log.text(), "stream");
    let statistics = client.statistics();
    assert_eq!((statistics.stream_connects, statistics.calls), (1, 0));
}

#[tokio::test]
async fn no_refusal_of_a_handshake_is_logged_or_shown_in_debug_output() {
    for status in [StatusCode::UNAUTHORIZED, StatusCode::SERVICE_UNAVAILABLE, StatusCode::OK] {
        let refuse = async move || (status, json!({"error": MARK}).to_string());
        let (client, subscription) = connect(get(refuse)).await;
        let log = Log::start();
        let event = client.stream(&subscription).next().await.unwrap();
        let is_error = matches!(event, StreamEvent::ConnectFailed(_) | StreamEvent::GaveUp(_));
        assert!(is_error && log.text().contains("the stream"), "{event:?}");
        assert_private(&format!("{event:?} {}", log.text()), status.as_str());
    }
}
