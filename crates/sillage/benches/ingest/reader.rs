//! A subscriber of the live stream that counts events.

use cloud::RoleKind;
use std::sync::Arc;

use cloud::operator::{NewUser, Oem, Operator, Role};
use futures::StreamExt;
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::node::Node;

const ROLE: &str = "OEM::Admin";
const EMAIL: &str = "admin@example.com";
const SECRET: &str = "Correct-Horse-1";
/// Number of events after which permits are returned.
const READ: usize = 100;

pub(crate) struct Reader {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    seq: usize,
    room: Arc<Semaphore>,
}

impl Reader {
    /// Each event returns a permit to `room`.
    pub(crate) async fn subscribe(operator: &Operator, oem: &Oem, node: &Node, room: Arc<Semaphore>) -> Self {
        let url = subscribe(operator, oem, node).await;
        Self { socket: connect_async(url).await.unwrap().0, seq: 0, room }
    }

    /// Reads `events` events and fails if one is missing.
    pub(crate) async fn read(&mut self, events: usize) {
        let last = self.seq + events;
        while self.seq < last {
            let Message::Text(frame) = self.socket.next().await.expect("the stream goes on").unwrap() else { continue };
            let Some((_, event)) = frame.split_once(r#"|{"seq":""#) else { continue };
            self.seq += 1;
            let seq: usize = event.split('"').next().unwrap().parse().unwrap();
            assert_eq!(seq, self.seq, "no event is lost");
            if self.seq.is_multiple_of(READ) {
                self.room.add_permits(READ);
            }
        }
    }
}

/// Subscribes an administrator to all datapoints and returns the address of the stream.
pub(crate) async fn subscribe(operator: &Operator, oem: &Oem, node: &Node) -> String {
    let secret = SecretString::from(SECRET);
    operator.ensure_application(oem, "bench", "bench", &secret).await.unwrap();
    let role = Role { name: ROLE.into(), kind: RoleKind::OemAdmin, label_key: None };
    operator.ensure_role(oem, &role).await.unwrap();
    let user = NewUser {
        email: EMAIL.into(),
        password: secret,
        role: Some(ROLE.into()),
        confirmed: true,
        ..NewUser::default()
    };
    operator.ensure_user(oem, &user).await.unwrap();

    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::new();
    let post = async |path: &str, token: &str, body: Value| -> Value {
        let request = http.post(format!("{}{path}", node.url)).json(&body);
        let answer = request.header("Authorization", format!("auth_token {token}")).send().await.unwrap();
        answer.error_for_status().unwrap().json().await.unwrap()
    };
    let application = json!({ "app_id": "bench", "app_secret": SECRET });
    let user = json!({ "user": { "email": EMAIL, "password": SECRET, "application": application } });
    let session = post("/users/sign_in.json", "", user).await;
    let token = session["access_token"].as_str().unwrap();
    let subscription = json!({ "subscription_type": "datapoint" });
    let subscription = post("/api/v1/subscriptions.json", token, subscription).await;
    let key = subscription["subscription"]["stream_key"].as_str().unwrap();
    format!("{}/stream/stream?stream_key={key}", node.url.replace("http", "ws"))
}
