//! The WebSocket stream (docs/wire.md#stream).

use std::time::Duration;

use cloud::testing::{TestCloud, World};
use futures::{SinkExt, StreamExt};
use platform::testing::PATIENCE;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::client::Fixture;

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub(crate) async fn open(fixture: &Fixture, path: &str, key: &str) -> Result<Socket, Error> {
    let url = format!("{}{path}?stream_key={key}", fixture.cloud.url().replace("http", "ws"));
    connect_async(url).await.map(|(socket, _)| socket)
}

pub(crate) async fn frame(socket: &mut Socket) -> String {
    let message = timeout(PATIENCE, socket.next()).await.expect("a frame in time").expect("an open socket");
    message.expect("a frame").into_text().expect("text").to_string()
}

pub(crate) async fn event(socket: &mut Socket) -> Value {
    let frame = frame(socket).await;
    let (length, json) = frame.split_once('|').unwrap();
    assert_eq!(length.parse::<usize>().unwrap(), json.len());
    serde_json::from_str(json).unwrap()
}

/// Opens a stream with a new session. Returns the subscription's path, too.
pub(crate) async fn subscribe(fixture: &Fixture, email: &str, body: Value) -> (String, Socket) {
    let (subscription, socket) = subscribe_with(fixture, &fixture.token(email).await, body).await;
    (format!("/api/v1/subscriptions/{}", subscription["id"]), socket)
}

/// Opens a stream with the session of this token, and its subscription.
pub(crate) async fn subscribe_with(fixture: &Fixture, token: &str, mut body: Value) -> (Value, Socket) {
    body["subscription_type"] = json!("datapoint,datapointack,connectivity,location,registration");
    let subscription = fixture.post(token, "/api/v1/subscriptions", body).await.body["subscription"].take();
    let socket = open(fixture, "/stream/stream", subscription["stream_key"].as_str().unwrap()).await.unwrap();
    (subscription, socket)
}

/// Waits until the socket is closed. Returns the close code.
pub(crate) async fn closed(mut socket: Socket) -> Option<u16> {
    while let Some(Ok(message)) = timeout(PATIENCE, socket.next()).await.expect("an end in time") {
        if let Message::Close(frame) = message {
            return frame.map(|frame| frame.code.into());
        }
    }
    None
}

#[tokio::test]
async fn reader_gets_datapoints_acks_and_connectivity_in_order() {
    let fixture = Fixture::start().await;
    let (_, mut socket) = subscribe(&fixture, World::PARTNER_ADMIN_A, json!({})).await;
    let token = fixture.token(World::ADMIN).await;
    let device = fixture.cloud.device("DEV-A1").await;
    let generation = device.connect().await;
    let id = fixture.command(&token, "DEV-A1", "intensity", json!(30)).await;
    device.ack(&id, 200, 0).await;
    device.report(&[("note", json!("café | 🌸"))]).await;
    device.disconnect(generation).await;

    let online = event(&mut socket).await;
    assert_eq!((&online["seq"], &online["connection"]["status"]), (&json!("1"), &json!("Online")));
    let commanded = event(&mut socket).await;
    assert_eq!(commanded["metadata"]["event_type"], "datapoint");
    assert_eq!((&commanded["datapoint"]["id"], &commanded["datapoint"]["echo"]), (&json!(id), &json!(false)));
    let acked = event(&mut socket).await;
    assert_eq!(acked["metadata"]["event_type"], "datapointack");
    assert_eq!(acked["datapoint"]["ack_status"], 200);
    assert_eq!(acked["datapointack"], acked["datapoint"]);
    let reported = event(&mut socket).await;
    assert_eq!(reported["datapoint"]["value"], "café | 🌸");
    assert_eq!((&reported["datapoint"]["echo"], &reported["datapoint"]["user_uuid"]), (&json!(true), &json!(null)));
    let offline = event(&mut socket).await;
    assert_eq!((&offline["seq"], &offline["connection"]["status"]), (&json!("5"), &json!("Offline")));
}

#[tokio::test]
async fn stream_contains_only_the_scope_and_filter_of_the_subscription() {
    let fixture = Fixture::start().await;
    let (_, mut everything) = subscribe(&fixture, World::OBSERVER, json!({})).await;
    let (_, mut partner) = subscribe(&fixture, World::PARTNER_OBSERVER_A, json!({})).await;
    let (_, mut owner) = subscribe(&fixture, World::END_USER, json!({ "property_name": "fan" })).await;
    let (_, mut one) = subscribe(&fixture, World::ADMIN, json!({ "dsn": "DEV-A2" })).await;
    for dsn in ["DEV-B1", "DEV-S1", "DEV-U1", "DEV-A1", "DEV-A2"] {
        let device = fixture.cloud.device(dsn).await;
        device.report(&[("note", json!(dsn)), ("fan", json!(1))]).await;
    }
    async fn dsns(socket: &mut Socket, count: usize) -> Vec<String> {
        let mut found = Vec::new();
        for _ in 0..count {
            let event = event(socket).await;
            assert_eq!(event["seq"], (found.len() + 1).to_string());
            found.push(event["metadata"]["dsn"].as_str().unwrap().to_owned());
        }
        found
    }
    let all = ["DEV-B1", "DEV-B1", "DEV-U1", "DEV-U1", "DEV-A1", "DEV-A1", "DEV-A2", "DEV-A2"];
    assert_eq!(dsns(&mut everything, 8).await, all);
    assert_eq!(dsns(&mut partner, 4).await, all[4..]);
    assert_eq!(dsns(&mut owner, 1).await, ["DEV-U1"]);
    assert_eq!(dsns(&mut one, 2).await, ["DEV-A2", "DEV-A2"]);
}

#[tokio::test]
async fn wrong_or_deleted_stream_key_fails_the_handshake() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let mut subscription = fixture.post(&token, "/api/v1/subscriptions", json!({})).await.body["subscription"].take();
    let key = subscription["stream_key"].take();
    let key = key.as_str().unwrap();
    let path = format!("/api/v1/subscriptions/{}", subscription["id"]);
    // The key outlives its sockets.
    for _ in 0..2 {
        drop(open(&fixture, "/stream", key).await.unwrap());
    }
    assert_eq!(fixture.get("", &format!("/stream?stream_key={key}")).await.status, 400, "not a WebSocket request");
    assert_eq!(fixture.call(Method::DELETE, &path, Some(&token), None).await.status, 204);
    for key in [key, "", "wrong"] {
        match open(&fixture, "/stream", key).await {
            Err(Error::Http(response)) => assert_eq!(response.status(), 401),
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) async fn with_heartbeats() -> Fixture {
    Fixture::on(TestCloud::start_with(|config| config.heartbeat = Duration::from_millis(20)).await).await
}

#[tokio::test]
async fn heartbeats_continue_after_any_answer_of_the_client() {
    let fixture = with_heartbeats().await;
    let (path, mut socket) = subscribe(&fixture, World::ADMIN, json!({})).await;
    for answer in ["1|Z", "Z", "1|X", "anything"] {
        assert_eq!(frame(&mut socket).await, "1|Z");
        socket.send(Message::text(answer)).await.unwrap();
    }
    let token = fixture.token(World::ADMIN).await;
    assert_eq!(fixture.get(&token, &path).await.body["subscription"]["connection_status"], "Online");
}

#[tokio::test]
async fn socket_ends_when_its_subscription_is_deleted() {
    let fixture = Fixture::start().await;
    let (path, socket) = subscribe(&fixture, World::ADMIN, json!({})).await;
    let token = fixture.token(World::ADMIN).await;
    fixture.call(Method::DELETE, &path, Some(&token), None).await;
    assert_eq!(closed(socket).await, Some(1008));
}

#[tokio::test]
async fn socket_is_closed_when_events_are_lost_on_the_bus() {
    let fixture = Fixture::start().await;
    let (_, socket) = subscribe(&fixture, World::ADMIN, json!({})).await;
    fixture.cloud.lose_events();
    assert_eq!(closed(socket).await, Some(1013));
}

#[tokio::test]
async fn revoked_permissions_silence_the_stream_at_the_next_heartbeat() {
    let fixture = with_heartbeats().await;
    let (_, mut partner) = subscribe(&fixture, World::PARTNER_ADMIN_A, json!({})).await;
    let device = fixture.cloud.device("DEV-A1").await;
    fixture.cloud.revoke_roles(World::PARTNER_ADMIN_A).await;
    // Heartbeats that were sent before may still arrive, so the silence begins after a few rounds and then lasts.
    let mut silent = 0;
    for _ in 0..25 {
        device.report(&[("fan", json!(1))]).await;
        let frames = [frame(&mut partner).await, frame(&mut partner).await];
        silent = if frames == ["1|Z", "1|Z"] { silent + 1 } else { 0 };
    }
    assert!(silent > 5, "silent for {silent} rounds");
}

#[tokio::test]
async fn stopping_the_cloud_closes_the_streams() {
    let fixture = Fixture::start().await;
    let (_, socket) = subscribe(&fixture, World::ADMIN, json!({})).await;
    let ((), code) = tokio::join!(fixture.cloud.shutdown(), closed(socket));
    assert_eq!(code, Some(1001));
}
