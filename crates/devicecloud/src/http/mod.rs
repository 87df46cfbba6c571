//! The send path of all calls: [`Http::send`].

mod connector;
mod error_body;
mod network;
#[cfg(feature = "managers")]
pub(crate) mod pace;
mod path;
mod request;
mod retry;
mod statistics;
mod tcp;
#[cfg(test)]
pub(crate) mod testing;
mod tls;
mod transfer;
mod transport;

use std::fmt;
use std::hash::{DefaultHasher, Hasher};
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::clock::{Clock, Jitter};
use crate::config::Config;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Outcome, Result};
use crate::model::item::{ItemReader, List};
use crate::model::secret::SecretText;
use crate::model::{DevicePage, MaybePage};

pub use connector::DEFAULT_CONNECT_TIMEOUT;
pub(crate) use error_body::{parse as parse_error_body, status_text};
pub(crate) use network::{Network, NetworkSettings, ProxySetting};
pub(crate) use request::Request;
pub use retry::RetryPolicy;
#[cfg(feature = "stream")]
pub(crate) use retry::read_retry_after;
pub(crate) use statistics::Counters;
pub use statistics::Statistics;
pub use tcp::{Connect, Connection};
pub(crate) use transfer::Content;
#[cfg(feature = "stream")]
pub(crate) use transport::Upgrade;
pub(crate) use transport::{Chunks, Header, HttpRequest, Transport, error_chain, header};
#[cfg(feature = "testing")]
pub(crate) use transport::{HttpResponse, Transfer};

#[cfg(not(feature = "testing"))]
use transport::HttpResponse;

/// Default of [`request_timeout`](crate::ClientBuilder::request_timeout): the timeout of one attempt of a call.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Default of [`response_limit`](crate::ClientBuilder::response_limit): 64 MiB.
pub const DEFAULT_RESPONSE_LIMIT: usize = 64 << 20;

/// Reads names and values of headers.
pub(crate) type HeaderSource = Box<dyn Fn() -> Vec<(String, String)> + Send + Sync>;

/// State shared by all clients of one cloud: configuration, connections, clock.
pub(crate) struct Http {
    pub(crate) config: Config,
    pub(crate) transport: Box<dyn Transport>,
    pub(crate) clock: Clock,
    pub(crate) jitter: Jitter,
    pub(crate) timeout: Duration,
    /// The time for a call with all its attempts.
    pub(crate) time_limit: Option<Duration>,
    pub(crate) retry: RetryPolicy,
    pub(crate) headers: Vec<Header>,
    /// More headers, read for each attempt of a call.
    pub(crate) header_source: Option<HeaderSource>,
    pub(crate) counters: Counters,
}

/// A successful response.
pub(crate) struct Response {
    body: Bytes,
    /// The outcome of a call that needs data which the body lacks.
    outcome: Outcome,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("bytes", &self.body.len()).finish()
    }
}

impl Response {
    pub(crate) fn json(&self) -> Result<Value> {
        self.parse()
    }

    /// A hash of the body.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.body);
        hasher.finish()
    }

    /// Reads a response that the caller needs.
    pub(crate) fn read<T>(&self, reader: impl FnOnce(&Value) -> Option<T>) -> Result<T> {
        reader(&self.json()?).ok_or_else(|| self.unexpected_shape())
    }

    /// Reads the items of a large list, without a JSON tree in between.
    pub(crate) fn items<M: ItemReader>(&self) -> Result<Vec<M::Item>> {
        self.parse::<List<M>>()?.0.ok_or_else(|| self.unexpected_shape())
    }

    /// Reads a page of devices, without a JSON tree in between.
    pub(crate) fn page(&self) -> Result<DevicePage> {
        self.parse::<MaybePage>()?.0.ok_or_else(|| self.unexpected_shape())
    }

    fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T> {
        // To check the encoding of the whole body at once takes less time than to check each of its strings.
        let parsed = match str::from_utf8(&self.body) {
            Ok(text) => serde_json::from_str(text),
            // Strings that are not read may be invalid.
            Err(_) => serde_json::from_slice(&self.body),
        };
        parsed.map_err(|error| not_json(messages::NOT_JSON, error).with_outcome(self.outcome))
    }

    /// The error of a call that needs data which the response lacks.
    pub(crate) fn unexpected_shape(&self) -> Error {
        Error::new(ErrorKind::Json, messages::UNEXPECTED_RESPONSE).with_outcome(self.outcome)
    }

    /// Rejects a body that is present but not JSON, such as the HTML page of a proxy, because the write may not have
    /// reached the cloud.
    fn into_write_response(self) -> Result<Self> {
        if !self.body.trim_ascii().is_empty() {
            serde_json::from_slice::<IgnoredAny>(&self.body)
                .map_err(|error| not_json(messages::NOT_JSON_AFTER_WRITE, error))?;
        }
        Ok(self)
    }

    /// Reads the response to a write if possible; `None` for an empty body or JSON of unknown shape.
    pub(crate) fn read_if_possible<T>(&self, reader: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
        self.json().ok().as_ref().and_then(reader)
    }
}

fn remaining(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

pub(crate) fn timed_out() -> Error {
    Error::new(ErrorKind::Timeout, messages::TIMED_OUT)
}

fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}

fn not_json(message: &str, error: serde_json::Error) -> Error {
    Error::new(ErrorKind::Json, message).with_source(error)
}

impl Http {
    /// Sends a request, retries it if that is safe, and turns every failure into an [`Error`].
    pub(crate) async fn send(&self, request: &Request, token: Option<&SecretText>) -> Result<Response> {
        let span = tracing::debug_span!("devicecloud.request", method = %request.method, route = request.route);
        let result = self.send_with_retries(request, token).instrument(span).await;
        self.counters.calls.add(1);
        self.counters.failed_calls.add(result.is_err().into());
        result
    }

    async fn send_with_retries(&self, request: &Request, token: Option<&SecretText>) -> Result<Response> {
        let deadline = request.deadline.or_else(|| self.deadline());
        let attempt = |number| async move {
            let response = self.attempt(number, request, token, deadline).await;
            response.map_err(|error| request.explain(error))
        };
        self.repeat(request.is_retryable(), deadline, attempt).await
    }

    /// Attempts until one is successful. If it `retries`, by the retry policy; otherwise once. The attempt gets its number,
    /// from 1.
    pub(crate) async fn repeat<T, F: Future<Output = Result<T>>>(
        &self,
        retries: bool,
        deadline: Option<Instant>,
        attempt: impl Fn(u32) -> F,
    ) -> Result<T> {
        let mut number = 1;
        let mut earlier = Outcome::NotSent;
        loop {
            let error = match attempt(number).await {
                Ok(result) => return Ok(result),
                Err(error) => error.after(earlier),
            };
            earlier = error.outcome();
            let delay = self.retry.delay(number, &error, self.jitter.fraction()).filter(|_| retries);
            // A retry that cannot start before the deadline is not waited for.
            let delay = delay.filter(|delay| deadline.is_none_or(|deadline| *delay < remaining(deadline)));
            let Some(delay) = delay else {
                tracing::debug!(attempt = number, kind = ?error.kind(), status = error.status(), "request failed");
                return Err(error);
            };
            tracing::debug!(attempt = number, delay_ms = millis(delay), kind = ?error.kind(), status = error.status(), "request is retried");
            tokio::time::sleep(delay).await;
            number += 1;
            self.counters.retries.add(1);
        }
    }

    /// When a call that starts now must have ended.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.time_limit?)
    }

    /// One HTTP request.
    async fn attempt(
        &self,
        attempt: u32,
        request: &Request,
        token: Option<&SecretText>,
        deadline: Option<Instant>,
    ) -> Result<Response> {
        let span = tracing::debug_span!(
            "devicecloud.attempt",
            attempt,
            request_bytes = Empty,
            status = Empty,
            response_bytes = Empty,
            duration_ms = Empty,
        );
        let started = Instant::now();
        let result = self.exchange(request, token, deadline, &span).instrument(span.clone()).await;
        span.record("duration_ms", millis(started.elapsed()));
        self.read_response(result?, request)
    }

    async fn exchange(
        &self,
        request: &Request,
        token: Option<&SecretText>,
        deadline: Option<Instant>,
        span: &Span,
    ) -> Result<HttpResponse> {
        let mut http_request = HttpRequest::new(request, self.config.base(request.service)?, token, &self.headers)?;
        for (name, value) in self.header_source.iter().flat_map(|read| read()) {
            let (name, value) = header(&name, &value)?;
            http_request.headers.entry(name).or_insert(value);
        }
        let limit = deadline.map_or(self.timeout, |deadline| self.timeout.min(remaining(deadline)));
        if limit.is_zero() {
            return Err(timed_out().not_sent());
        }
        let request_bytes = http_request.body.as_ref().map_or(0, Vec::len);
        span.record("request_bytes", request_bytes);
        self.counters.requests.add(1);
        self.counters.bytes_sent.add(request_bytes);
        let response = tokio::time::timeout(limit, self.transport.send(http_request)).await.map_err(|_| {
            self.counters.timeouts.add(1);
            timed_out()
        })??;
        let response_bytes = response.body.as_ref().map_or(0, Bytes::len);
        span.record("status", response.status).record("response_bytes", response_bytes);
        self.counters.bytes_received.add(response_bytes);
        Ok(response)
    }

    fn read_response(&self, response: HttpResponse, request: &Request) -> Result<Response> {
        if (200..300).contains(&response.status) {
            let body = response.body?;
            // Responses to reads are parsed only once, by the caller, because lists can be large.
            return if request.method.is_safe() {
                Ok(Response { body, outcome: Outcome::NotSent })
            } else {
                Response { body, outcome: Outcome::Done }.into_write_response()
            };
        }
        let retry_after = response.retry_after.and_then(|text| retry::read_retry_after(&text, self.clock.now()));
        // The status counts even if its text is lost.
        let (body, lost) = match response.body {
            Ok(body) => (body, None),
            Err(error) => (Bytes::new(), Some(error)),
        };
        let body = match request.raw_error_body {
            true => error_body::raw(&body),
            false => error_body::parse(response.status, &body),
        };
        let error = Error::new(ErrorKind::Server, body.message)
            .quoting_response()
            .with_status(response.status)
            .with_fields(body.fields)
            .with_retry_after(retry_after);
        Err(match lost {
            Some(lost) => error.with_source(lost),
            None => error,
        })
    }
}

#[cfg(test)]
mod tests;
