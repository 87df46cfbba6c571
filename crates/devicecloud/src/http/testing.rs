//! A scripted transport without a network, for tests with a paused clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::{TryStreamExt, stream};
use http::HeaderMap;
use serde_json::Value;

use super::transport::{HttpRequest, HttpResponse, Transfer, Transport};
use super::{Chunks, Counters, DEFAULT_REQUEST_TIMEOUT, Http, RetryPolicy};
use crate::clock::{Clock, Jitter};
use crate::config::Config;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;

/// A scripted response.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Status(u16, Value),
    /// A body that need not be JSON.
    Text(u16, &'static str),
    RetryAfter(u16, &'static str),
    Cut,
    /// The connection is lost after the status.
    CutBody(u16),
    /// The response arrives after this time.
    Slow(Duration, u16, Value),
}

/// A request that was sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SentRequest {
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) token: Option<String>,
    pub(crate) body: Value,
}

type Replies = dyn Fn(&SentRequest, usize) -> Reply + Send + Sync;

/// Responds to each request by a script, and records the requests.
#[derive(Clone)]
pub(crate) struct ScriptedTransport {
    replies: Arc<Replies>,
    seen: Arc<Mutex<Vec<SentRequest>>>,
}

impl ScriptedTransport {
    /// Responds with the entries one by one, and repeats the last one.
    pub(crate) fn new<const N: usize>(replies: [Reply; N]) -> Self {
        Self::from_fn(move |_, index| replies[index.min(N - 1)].clone())
    }

    /// Responds by the request and its number, from 0.
    pub(crate) fn from_fn(replies: impl Fn(&SentRequest, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self { replies: Arc::new(replies), seen: Arc::default() }
    }

    pub(crate) fn seen(&self) -> Vec<SentRequest> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, path: &str) -> usize {
        self.seen().iter().filter(|seen| seen.url.contains(path)).count()
    }

    pub(crate) fn http(&self, clock: Clock) -> Http {
        Http {
            config: Config::local("https://cloud.test", "app", "app-secret").unwrap(),
            transport: Box::new(self.clone()),
            clock,
            jitter: Jitter::fixed(1.0),
            timeout: DEFAULT_REQUEST_TIMEOUT,
            time_limit: None,
            retry: RetryPolicy::default(),
            headers: Vec::new(),
            header_source: None,
            counters: Counters::default(),
        }
    }
}

impl Transport for ScriptedTransport {
    /// Reads the whole body; the response body is a single chunk.
    fn transfer(&self, transfer: Transfer<Option<Chunks>>) -> BoxFuture<'_, Result<(u16, Chunks)>> {
        Box::pin(async move {
            if let Some(mut chunks) = transfer.body {
                while chunks.try_next().await?.is_some() {}
            }
            let (method, url) = (transfer.method, transfer.url);
            let response = self.send(HttpRequest { method, url, headers: HeaderMap::new(), body: None }).await?;
            let chunk = stream::iter([response.body.map(Vec::from)]);
            Ok((response.status, Box::pin(chunk) as Chunks))
        })
    }

    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse>> {
        let token = request.headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        let body = request.body.map_or(Value::Null, |body| serde_json::from_slice(&body).unwrap());
        let seen = SentRequest { method: request.method.to_string(), url: request.url.to_string(), token, body };
        let reply = {
            let mut all = self.seen.lock().unwrap();
            let reply = (self.replies)(&seen, all.len());
            all.push(seen);
            reply
        };
        Box::pin(async move {
            let response = |status, body: Value, retry_after: Option<&str>| HttpResponse {
                status,
                retry_after: retry_after.map(str::to_owned),
                body: Ok(Bytes::from(body.to_string())),
            };
            match reply {
                Reply::Status(status, body) => Ok(response(status, body, None)),
                Reply::Text(status, body) => {
                    Ok(HttpResponse { status, retry_after: None, body: Ok(Bytes::from_static(body.as_bytes())) })
                }
                Reply::RetryAfter(status, after) => Ok(response(status, Value::Null, Some(after))),
                Reply::Cut => Err(reset()),
                Reply::CutBody(status) => Ok(HttpResponse { status, retry_after: None, body: Err(reset()) }),
                Reply::Slow(duration, status, body) => {
                    tokio::time::sleep(duration).await;
                    Ok(response(status, body, None))
                }
            }
        })
    }
}

fn reset() -> Error {
    Error::new(ErrorKind::Network, "connection reset")
}
