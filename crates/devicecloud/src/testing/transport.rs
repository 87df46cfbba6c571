//! The transport of a mock cloud.

use bytes::Bytes;
use futures::{TryStreamExt, stream};
use serde_json::json;

use super::fault::Fault;
use super::mock_cloud::MockCloud;
use super::request::MockRequest;
use super::route;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::http::{Chunks, HttpRequest, HttpResponse, Transfer, Transport, status_text};

/// The message of a cut connection.
pub(super) const CUT: &str = "The mock cloud cut the connection";
const HTML_PAGE: &str = "<!doctype html><html><body>Sign in to the network</body></html>";

impl Transport for MockCloud {
    fn send(&self, outgoing: HttpRequest) -> BoxFuture<'_, Result<HttpResponse>> {
        Box::pin(async move {
            let request = MockRequest::read(&outgoing);
            match self.receive(&request).await {
                Some(response) => response,
                None => Ok(self.answer_to(&request)),
            }
        })
    }

    fn transfer(&self, transfer: Transfer<Option<Chunks>>) -> BoxFuture<'_, Result<(u16, Chunks)>> {
        Box::pin(async move {
            let name = transfer.url.path().rsplit('/').next().unwrap_or_default().to_owned();
            let request = MockRequest::new(format!("{} files/{name}", transfer.method), &transfer.url);
            let response = match self.receive(&request).await {
                Some(response) => response?,
                None => match transfer.body {
                    Some(chunks) => {
                        self.store_file(name, chunks.try_concat().await?);
                        response(200, "")
                    }
                    None => response(200, self.file(&name)),
                },
            };
            Ok((response.status, Box::pin(stream::iter([response.body.map(Vec::from)])) as Chunks))
        })
    }
}

impl MockCloud {
    /// Records the request, and returns the response that its fault leads to.
    async fn receive(&self, request: &MockRequest) -> Option<Result<HttpResponse>> {
        let fault = self.record(request);
        // Other tasks run during a request, as with a network.
        tokio::task::yield_now().await;
        match fault? {
            Fault::Delay(delay) => {
                tokio::time::sleep(delay).await;
                None
            }
            Fault::Status(status) => Some(Ok(error(status))),
            Fault::RetryAfter(delay) => {
                Some(Ok(HttpResponse { retry_after: Some(delay.as_secs().to_string()), ..error(429) }))
            }
            Fault::Cut => Some(Err(Error::new(ErrorKind::Network, CUT))),
            Fault::HtmlPage => Some(Ok(response(200, HTML_PAGE))),
        }
    }

    fn answer_to(&self, request: &MockRequest) -> HttpResponse {
        if let Some(answer) = self.own_answer(&request.call) {
            let (status, body) = answer(request);
            return response(status, if body.is_null() { String::new() } else { body.to_string() });
        }
        match route::answer(&request.call, &request.query, request.body.as_ref()) {
            Some(golden) => response(golden.status, golden.body),
            None => error(404),
        }
    }
}

fn error(status: u16) -> HttpResponse {
    response(status, json!({"error": status_text(status)}).to_string())
}

fn response(status: u16, body: impl Into<Bytes>) -> HttpResponse {
    HttpResponse { status, retry_after: None, body: Ok(body.into()) }
}
