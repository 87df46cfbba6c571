//! A stream ends immediately with the session that created its subscription. No heartbeat is sent during these tests.

use cloud::testing::{PASSWORD, World};
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Error;

use crate::client::Fixture;
use crate::passwords::{self, NEW};
use crate::sessions::{refresh, sign_in};
use crate::stream::{Socket, closed, event, open, subscribe_with, with_heartbeats};

/// A session with an open stream.
struct Session {
    token: String,
    refresh_token: Value,
    key: String,
    socket: Socket,
}

impl Session {
    async fn begin(fixture: &Fixture) -> Self {
        let session = sign_in(fixture, World::ADMIN, PASSWORD).await.body;
        let token = session["access_token"].as_str().unwrap().to_owned();
        let (subscription, socket) = subscribe_with(fixture, &token, json!({})).await;
        let key = subscription["stream_key"].as_str().unwrap().to_owned();
        Self { token, refresh_token: session["refresh_token"].clone(), key, socket }
    }

    async fn has_ended(self, fixture: &Fixture) {
        assert_eq!(closed(self.socket).await, Some(1008));
        match open(fixture, "/stream/stream", &self.key).await {
            Err(Error::Http(response)) => assert_eq!(response.status(), 401),
            other => panic!("{other:?}"),
        }
    }

    async fn goes_on(mut self, fixture: &Fixture) {
        fixture.cloud.device("DEV-A1").await.report(&[("fan", json!(1))]).await;
        assert_eq!(event(&mut self.socket).await["metadata"]["dsn"], "DEV-A1");
    }
}

#[tokio::test]
async fn signing_out_ends_the_streams_of_this_session_and_no_others() {
    let fixture = Fixture::start().await;
    let (one, other) = (Session::begin(&fixture).await, Session::begin(&fixture).await);
    assert_eq!(fixture.post(&one.token, "/users/sign_out", json!({})).await.status, 200);
    one.has_ended(&fixture).await;
    other.goes_on(&fixture).await;
}

#[tokio::test]
async fn changed_password_ends_the_streams_of_other_sessions() {
    let fixture = Fixture::start().await;
    let (own, other) = (Session::begin(&fixture).await, Session::begin(&fixture).await);
    assert_eq!(passwords::change(&fixture, &own.token, PASSWORD, NEW).await.status, 204);
    other.has_ended(&fixture).await;
    own.goes_on(&fixture).await;
}

#[tokio::test]
async fn password_reset_by_mail_ends_every_stream() {
    let fixture = Fixture::start().await;
    let session = Session::begin(&fixture).await;
    let token = passwords::token(&fixture, World::ADMIN).await;
    assert_eq!(passwords::reset(&fixture, &token, NEW).await.status, 204);
    session.has_ended(&fixture).await;
}

#[tokio::test]
async fn changed_address_ends_every_stream() {
    let fixture = Fixture::start().await;
    let session = Session::begin(&fixture).await;
    let address = json!({ "email": "ada@example.com", "current_password": PASSWORD });
    assert_eq!(fixture.call(Method::PUT, "/users/update_email", Some(&session.token), Some(address)).await.status, 200);
    session.has_ended(&fixture).await;
}

#[tokio::test]
async fn stream_outlives_the_tokens_of_its_session() {
    let fixture = Fixture::start().await;
    let session = Session::begin(&fixture).await;
    assert_eq!(refresh(&fixture, &session.refresh_token).await.status, 200);
    session.goes_on(&fixture).await;
}

/// The operator's commands do not notify the nodes, so the heartbeat finds the revoked session.
#[tokio::test]
async fn operator_ends_the_streams_with_the_next_heartbeat() {
    let fixture = with_heartbeats().await;
    let session = Session::begin(&fixture).await;
    fixture.cloud.operator().lock_user(&fixture.world.oem, World::ADMIN).await.unwrap();
    session.has_ended(&fixture).await;
}

#[tokio::test]
async fn twenty_first_stream_of_a_user_ends_the_oldest() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let mut sockets = Vec::new();
    for _ in 0..20 {
        sockets.push(subscribe_with(&fixture, &token, json!({})).await.1);
    }
    let (_, mut newest) = subscribe_with(&fixture, &token, json!({})).await;
    assert_eq!(closed(sockets.remove(0)).await, Some(1008));
    fixture.cloud.device("DEV-A1").await.report(&[("fan", json!(1))]).await;
    for socket in sockets.iter_mut().chain([&mut newest]) {
        assert_eq!(event(socket).await["metadata"]["dsn"], "DEV-A1");
    }
}

#[tokio::test]
async fn hundred_and_first_session_ends_the_streams_of_the_oldest() {
    let fixture = Fixture::start().await;
    let (oldest, next) = (Session::begin(&fixture).await, Session::begin(&fixture).await);
    for _ in 2..101 {
        assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 200);
    }
    oldest.has_ended(&fixture).await;
    next.goes_on(&fixture).await;
}
