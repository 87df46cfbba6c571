//! Live data against a local WebSocket server, with the golden frames.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use devicecloud::{Client, Config, MemoryTokenStore, PropertyValue, StreamEvent, StreamHandle, Subscription};
use serde_json::Value;
use support::golden;
use tokio::sync::mpsc;

/// The server side: frames to send into the current connection (`None` closes it), and received frames.
struct Cloud {
    base: String,
    key: Arc<Mutex<String>>,
    connections: mpsc::UnboundedReceiver<Connection>,
}

struct Connection {
    send: mpsc::UnboundedSender<Message>,
    received: mpsc::UnboundedReceiver<String>,
}

#[derive(Clone)]
struct Shared {
    key: Arc<Mutex<String>>,
    opened: mpsc::UnboundedSender<Connection>,
}

impl Cloud {
    async fn start(key: &str) -> Self {
        let (opened, connections) = mpsc::unbounded_channel();
        let key = Arc::new(Mutex::new(key.to_owned()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let shared = Shared { key: Arc::clone(&key), opened };
        let router = Router::new().route("/stream/stream", get(accept)).with_state(shared);
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { base, key, connections }
    }

    /// A stream with this key, which reconnects without delay.
    fn open(&self, key: &str) -> StreamHandle {
        let config = Config::local(&self.base, "app", "secret").unwrap();
        let client = Client::builder(config, Arc::new(MemoryTokenStore::new())).reconnect_delay(Duration::ZERO);
        client.build().unwrap().stream(&subscription(key))
    }

    async fn next(&mut self) -> Connection {
        self.connections.recv().await.unwrap()
    }
}

fn subscription(key: &str) -> Subscription {
    let mut subscription = Subscription::default();
    subscription.stream_key = key.into();
    subscription
}

async fn accept(
    State(shared): State<Shared>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    assert!(!headers.contains_key("authorization"), "the handshake needs no token beside the stream key");
    let expected = format!("stream_key={}", shared.key.lock().unwrap());
    if query != Some(expected) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    upgrade.on_upgrade(move |socket| serve(socket, shared))
}

async fn serve(mut socket: WebSocket, shared: Shared) {
    let (send, mut to_send) = mpsc::unbounded_channel::<Message>();
    let (arrived, received) = mpsc::unbounded_channel();
    shared.opened.send(Connection { send, received }).unwrap();
    loop {
        tokio::select! {
            message = to_send.recv() => match message {
                Some(message) => socket.send(message).await.unwrap(),
                None => return,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => { let _ = arrived.send(text.to_string()); }
                Some(Ok(_)) => {}
                _ => return,
            },
        }
    }
}

fn framed(event: &Value) -> Message {
    let text = event.to_string();
    Message::text(format!("{}|{text}", text.len()))
}

fn key() -> String {
    golden::variables()["stream_key"].as_str().unwrap().to_owned()
}

/// The golden events, each with both of its samples.
fn events() -> Vec<(String, Value)> {
    let mut events = Vec::new();
    for name in golden::names() {
        let file = golden::load(&name);
        if let Some(event) = file.get("event") {
            for sample in golden::samples(event) {
                golden::matches(event, Some(&sample), &name).unwrap();
                events.push((name.clone(), sample));
            }
        }
    }
    events
}

#[tokio::test]
async fn golden_events_are_read() {
    let mut cloud = Cloud::start(&key()).await;
    let mut handle = cloud.open(&key());
    let connection = cloud.next().await;
    assert!(matches!(handle.next().await, Some(StreamEvent::Connected)));
    let events = events();
    assert_eq!(events.len(), 14, "seven files, two samples of each");
    for (name, event) in events {
        connection.send.send(framed(&event)).unwrap();
        let read = handle.next().await.unwrap();
        match (name.as_str(), read) {
            ("stream/datapoint" | "stream/datapoint.reported", StreamEvent::Datapoint(read)) => {
                assert_eq!((read.dsn.as_str(), read.property.as_str()), ("AC000W000000001", "intensity"));
                assert_eq!(read.datapoint.value, Some(PropertyValue::Integer(30)));
                assert_eq!(read.datapoint.echo, name.ends_with("reported"));
            }
            ("stream/datapointack", StreamEvent::DatapointAck(read)) => {
                assert_eq!(read.datapoint.ack_status, 200);
                assert!(read.datapoint.acked_at.is_some());
            }
            (name, StreamEvent::Connectivity { dsn, status, at }) => {
                assert_eq!(dsn.as_str(), "AC000W000000001");
                assert_eq!(format!("stream/connectivity.{}", status.as_str().to_lowercase()), name);
                assert!(at.is_some());
            }
            ("stream/location" | "stream/registration", StreamEvent::Other(read)) => {
                assert_eq!(
                    (read.dsn.as_str(), format!("stream/{}", read.event_type)),
                    ("AC000W000000001", name.clone())
                );
                assert_eq!(read.json, event);
                assert!(!format!("{read:?}").contains("metadata"), "the content is hidden");
            }
            (name, other) => panic!("{name}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn heartbeat_is_echoed_and_keep_alive_is_not() {
    let mut cloud = Cloud::start(&key()).await;
    let _handle = cloud.open(&key());
    let mut connection = cloud.next().await;
    for name in ["stream/keep_alive", "stream/heartbeat"] {
        connection.send.send(Message::text(golden::load(name)["frame"].as_str().unwrap())).unwrap();
    }
    let answer = connection.received.recv().await;
    assert_eq!(answer.as_deref(), golden::load("stream/heartbeat")["answer"].as_str());
    assert_eq!(golden::load("stream/keep_alive")["answer"], Value::Null);
}

#[tokio::test]
async fn lost_stream_reconnects_with_the_same_key_until_rejected() {
    let mut cloud = Cloud::start(&key()).await;
    let mut handle = cloud.open(&key());
    for _ in 0..2 {
        let connection = cloud.next().await;
        assert!(matches!(handle.next().await, Some(StreamEvent::Connected)));
        drop(connection);
        assert!(matches!(handle.next().await, Some(StreamEvent::Disconnected)));
    }
    let connection = cloud.next().await;
    assert!(matches!(handle.next().await, Some(StreamEvent::Connected)));
    *cloud.key.lock().unwrap() = "another".to_owned();
    drop(connection);
    assert!(matches!(handle.next().await, Some(StreamEvent::Disconnected)));
    assert!(matches!(handle.next().await, Some(StreamEvent::GaveUp(_))));
    assert!(handle.next().await.is_none());
}

#[tokio::test]
async fn missed_event_sends_a_gap() {
    let mut cloud = Cloud::start(&key()).await;
    let mut handle = cloud.open(&key());
    let connection = cloud.next().await;
    let mut event = golden::samples(&golden::load("stream/connectivity.online")["event"])[0].clone();
    for seq in ["1", "2", "4"] {
        event["seq"] = seq.into();
        connection.send.send(framed(&event)).unwrap();
    }
    assert!(matches!(handle.next().await, Some(StreamEvent::Connected)));
    let mut gaps = Vec::new();
    for _ in 0..4 {
        gaps.push(matches!(handle.next().await, Some(StreamEvent::Gap)));
    }
    assert_eq!(gaps, [false, false, true, false]);
}

#[tokio::test]
async fn no_message_closes_the_stream() {
    let mut cloud = Cloud::start(&key()).await;
    let mut handle = cloud.open(&key());
    let connection = cloud.next().await;
    let event = framed(&golden::samples(&golden::load("stream/connectivity.online")["event"])[0]);
    let messages = [
        Message::text(""),
        Message::text("|"),
        Message::text("5|\u{0}\u{fffd}"),
        Message::text("[".repeat(100_000)),
        Message::binary(vec![]),
        Message::binary(vec![0xff, 0xfe, b'|']),
        Message::Ping(b"still there?".as_slice().into()),
        Message::Pong(vec![].into()),
        event.clone(),
        // Text as a binary message.
        Message::binary(event.into_data()),
    ];
    for message in messages {
        connection.send.send(message).unwrap();
    }
    assert!(matches!(handle.next().await, Some(StreamEvent::Connected)));
    assert!(matches!(handle.next().await, Some(StreamEvent::Gap)), "one of the messages may have been an event");
    for _ in 0..2 {
        assert!(matches!(handle.next().await, Some(StreamEvent::Connectivity { .. })));
    }
}

#[tokio::test]
async fn unknown_stream_key_is_rejected() {
    let file = golden::load("stream/open.401");
    assert_eq!(file["response"]["status"], 401);
    let cloud = Cloud::start(&key()).await;
    for key in ["f0000000000000000000000000000000", ""] {
        let mut handle = cloud.open(key);
        assert!(matches!(handle.next().await, Some(StreamEvent::GaveUp(_))));
        assert!(handle.next().await.is_none());
    }
}

#[tokio::test]
async fn handshake_matches_the_golden_file() {
    // The server accepts no other path and no other query.
    let file = golden::load("stream/open");
    assert_eq!((&file["request"]["path"], &file["request"]["service"]), (&"/stream".into(), &"stream".into()));
    assert_eq!(file["request"]["query"][0], format!("stream_key={}", key()));
    let mut cloud = Cloud::start(&key()).await;
    let mut handle = cloud.open(&key());
    cloud.next().await;
    assert!(matches!(handle.next().await, Some(StreamEvent::Connected)));
}

#[tokio::test]
async fn dropped_handle_closes_the_connection() {
    let mut cloud = Cloud::start(&key()).await;
    let handle = cloud.open(&key());
    let mut connection = cloud.next().await;
    drop(handle);
    assert_eq!(connection.received.recv().await, None);
}
