//! The manager against a local HTTP and WebSocket server.

use std::sync::{Arc, Mutex};

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::harness::{Call, Harness};
use crate::client::Client;
use crate::clock::Clock;
use crate::config::Config;
use crate::live::{LiveStreamManager, LiveStreamState};
use crate::model::SubscriptionType;
use crate::session::{Authorization, MemoryTokenStore};

/// The requests that the cloud received.
#[derive(Clone)]
struct SentRequest(mpsc::UnboundedSender<String>, Arc<Mutex<Value>>);

async fn create(State(seen): State<SentRequest>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    assert_eq!(headers["authorization"], "auth_token a");
    *seen.1.lock().unwrap() = body;
    seen.0.send("create".to_owned()).unwrap();
    let subscription = json!({"subscription": {"id": 51, "stream_key": "key"}});
    (StatusCode::CREATED, Json(subscription)).into_response()
}

async fn remove(State(seen): State<SentRequest>, Path(id): Path<String>) -> StatusCode {
    seen.0.send(format!("delete {id}")).unwrap();
    StatusCode::NO_CONTENT
}

async fn stream(State(seen): State<SentRequest>, Query(query): Query<Value>, upgrade: WebSocketUpgrade) -> Response {
    assert_eq!(query, json!({"stream_key": "key"}));
    upgrade.on_upgrade(async move |mut socket: WebSocket| {
        let event = json!({
            "seq": "1",
            "metadata": {"dsn": "A", "event_type": "connectivity"},
            "connection": {"status": "Online"},
        });
        let event = event.to_string();
        socket.send(Message::text(format!("{}|{event}", event.len()))).await.unwrap();
        while let Some(Ok(_)) = socket.recv().await {}
        seen.0.send("closed".to_owned()).unwrap();
    })
}

#[tokio::test]
async fn live_stream_subscribes_receives_and_cleans_up() {
    let (sender, mut seen) = mpsc::unbounded_channel();
    let body = Arc::new(Mutex::new(Value::Null));
    let router = Router::new()
        .route("/subscription/api/v1/subscriptions", post(create))
        .route("/subscription/api/v1/subscriptions/{id}", delete(remove))
        .route("/stream/stream", get(stream))
        .with_state(SentRequest(sender, body.clone()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = Config::local(&format!("http://{}", listener.local_addr().unwrap()), "app", "secret").unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let tokens = Authorization {
        access_token: "a".into(),
        refresh_token: "r".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: Clock::system().now(),
    };
    let client = Client::new(config, Arc::new(MemoryTokenStore::with(tokens))).unwrap();

    let harness = Harness::new(&[], 0);
    harness.add_device("A");
    harness.add_device("B");
    let types = vec![SubscriptionType::Datapoint, SubscriptionType::Connectivity];
    let manager = LiveStreamManager::start(&client, harness.devices.clone(), types);
    assert_eq!(seen.recv().await.as_deref(), Some("create"));
    let expected = json!({
        "name": "JS_DSS", "description": "DATAPOINT", "property_name": "*", "client_type": "mobile", "batch_size": "1",
        "dsn": "A,B", "subscription_type": "datapoint,connectivity",
    });
    assert_eq!(*body.lock().unwrap(), expected);
    let mut states = manager.states();
    while states.next().await != Some(LiveStreamState::Connected) {}
    while !harness.call().contains(&Call::Applied("A".to_owned())) {
        tokio::task::yield_now().await;
    }
    manager.stop();
    while states.next().await.is_some() {}
    let mut end = [seen.recv().await.unwrap(), seen.recv().await.unwrap()];
    end.sort();
    assert_eq!(end, ["closed", "delete 51"]);
}
