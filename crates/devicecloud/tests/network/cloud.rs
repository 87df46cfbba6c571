use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, Version};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{any, get};
use axum::serve::Listener;

/// A fake cloud that records requests.
#[derive(Clone, Default)]
pub(crate) struct Cloud(Arc<Mutex<Vec<ReceivedRequest>>>);

#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) version: Version,
}

impl Cloud {
    pub(crate) async fn start(listener: impl Listener<Addr = SocketAddr>) -> (Self, SocketAddr) {
        let (cloud, address) = (Self::default(), listener.local_addr().unwrap());
        let router = Router::new()
            .route("/user/users/get_user_profile.json", any(async || r#"{"email": "jo@example.com"}"#))
            .route("/device/apiv1/datapoints/8.json", any(async || r#"{"datapoint": {"file": "http://0.0.0.0/8"}}"#))
            .route("/device/{*path}", any(async || r#"{"datapoint": {"file": "https://cloud.test/files/7"}}"#))
            .route("/files/7", any(async || "content"))
            .route("/stream/stream", get(stream))
            .layer(from_fn_with_state(cloud.clone(), record));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (cloud, address)
    }

    /// The requests so far.
    pub(crate) fn seen(&self) -> Vec<ReceivedRequest> {
        self.0.lock().unwrap().clone()
    }
}

async fn record(State(cloud): State<Cloud>, request: Request, next: Next) -> Response {
    let (path, headers) = (request.uri().path().to_owned(), request.headers().clone());
    cloud.0.lock().unwrap().push(ReceivedRequest { path, headers, version: request.version() });
    next.run(request).await
}

async fn stream(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(async |mut socket| while socket.recv().await.is_some_and(|message| message.is_ok()) {})
}
