//! A fake cloud that records requests and returns scripted responses.

use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Decoded, sorted.
    pub(crate) query: Vec<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Value>,
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) base: String,
    answer: Arc<(u16, String)>,
    seen: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    /// Responds to the first request with this, and denies refreshes afterwards.
    pub(crate) async fn answering(status: u16, body: String) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { base, answer: Arc::new((status, body)), seen: Arc::default() };
        let router = Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        server
    }

    pub(crate) fn first(&self) -> ReceivedRequest {
        self.seen.lock().unwrap().first().cloned().expect("a request arrived")
    }

    pub(crate) fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

async fn answer(State(server): State<Server>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let mut query: Vec<String> = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    query.sort();
    let body = (!body.is_empty()).then(|| serde_json::from_slice(&body).expect("requests are JSON"));
    let first = {
        let mut seen = server.seen.lock().unwrap();
        seen.push(ReceivedRequest { method: method.to_string(), path: uri.path().to_owned(), query, headers, body });
        seen.len() == 1
    };
    if !first && uri.path().ends_with("refresh_token.json") {
        return (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({"error": "denied"}))).into_response();
    }
    let (status, body) = server.answer.as_ref();
    (StatusCode::from_u16(*status).unwrap(), body.clone()).into_response()
}
