//! A fake SMS gateway on loopback with Twilio's API.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Form, Router};
use cloud::SmsGateway;
use platform::testing::own_address;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub(crate) const ACCOUNT: &str = "AC0001";
pub(crate) const TOKEN: &str = "hush";
pub(crate) const SENDER: &str = "+33700000000";

/// A received text.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) headers: HeaderMap,
    pub(crate) fields: Vec<(String, String)>,
}

impl Posted {
    pub(crate) fn field(&self, name: &str) -> &str {
        let found: Vec<_> = self.fields.iter().filter(|(key, _)| key == name).collect();
        let [(_, value)] = found[..] else { panic!("{name}: {self:?}") };
        value
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

/// A response: status, `Retry-After` and body. A body that starts with `<` is sent as HTML.
pub(crate) type Answer = (u16, Option<&'static str>, &'static str);

/// No response: the gateway keeps the connection open.
pub(crate) const NEVER: Answer = (0, None, "");

#[derive(Clone, Default)]
struct Desk {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    posted: Arc<Mutex<Vec<Posted>>>,
}

/// A gateway; stopped on drop.
pub(crate) struct Gateway {
    address: SocketAddr,
    desk: Desk,
    serving: JoinHandle<()>,
}

impl Gateway {
    /// Starts a gateway that gives these responses and accepts every text after them.
    pub(crate) async fn start(answers: &[Answer]) -> Self {
        Self::start_at((own_address(), 0).into(), answers).await
    }

    pub(crate) async fn start_at(address: SocketAddr, answers: &[Answer]) -> Self {
        let desk = Desk { answers: Arc::new(Mutex::new(answers.iter().copied().collect())), ..Desk::default() };
        let router =
            Router::new().route("/2010-04-01/Accounts/AC0001/Messages.json", post(take)).with_state(desk.clone());
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async { axum::serve(listener, router).await.unwrap() });
        Self { address, desk, serving }
    }

    /// Stops it. Returns its address.
    pub(crate) async fn stop(mut self) -> SocketAddr {
        self.serving.abort();
        // An aborted task listens until it has been polled again.
        let _ = (&mut self.serving).await;
        self.address
    }

    /// The settings with which a cloud reaches it.
    pub(crate) fn settings(&self) -> SmsGateway {
        SmsGateway {
            url: format!("http://{}/2010-04-01/Accounts/AC0001/Messages.json", self.address),
            account: ACCOUNT.to_owned(),
            token: TOKEN.into(),
            sender: SENDER.to_owned(),
        }
    }

    /// The texts received so far.
    pub(crate) fn posted(&self) -> Vec<Posted> {
        self.desk.posted.lock().unwrap().clone()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn take(State(desk): State<Desk>, headers: HeaderMap, Form(fields): Form<Vec<(String, String)>>) -> Response {
    desk.posted.lock().unwrap().push(Posted { headers, fields });
    let (status, retry_after, body) = desk.answers.lock().unwrap().pop_front().unwrap_or((201, None, "{}"));
    if status == NEVER.0 {
        std::future::pending::<()>().await;
    }
    let content_type = if body.starts_with('<') { "text/html; charset=utf-8" } else { "application/json" };
    let mut response = (StatusCode::from_u16(status).unwrap(), [(CONTENT_TYPE, content_type)], body).into_response();
    if let Some(text) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(text));
    }
    response
}
