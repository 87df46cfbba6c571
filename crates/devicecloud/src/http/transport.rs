//! The transport below the send path; replaced in tests.

use std::pin::Pin;
use std::sync::Once;

use bytes::Bytes;
use futures::{Stream, TryStreamExt};
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::{Method, Url};

use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::http::Request;
use crate::messages;
use crate::secret::SecretText;

/// An additional header of every request.
pub(crate) type Header = (HeaderName, HeaderValue);

/// Bytes, a chunk at a time.
pub(crate) type Chunks = Pin<Box<dyn Stream<Item = Result<Vec<u8>>> + Send>>;

pub(crate) struct HttpRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    /// An error if the connection was lost after the status.
    pub(crate) body: Result<Bytes>,
}

pub(crate) trait Transport: Send + Sync {
    fn send(&self, outgoing: HttpRequest) -> BoxFuture<'_, Result<HttpResponse>>;

    /// Returns the status and the body.
    fn transfer(&self, transfer: Transfer<Option<Chunks>>) -> BoxFuture<'_, Result<(u16, Chunks)>>;
}

/// A file transfer in chunks.
pub(crate) struct Transfer<B> {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// In bytes, if known.
    pub(crate) size: Option<u64>,
    pub(crate) body: B,
}

impl HttpRequest {
    pub(crate) fn new(request: &Request, base: &Url, token: Option<&SecretText>, extra: &[Header]) -> Result<Self> {
        let mut url = base.join(&request.path).map_err(|error| {
            Error::new(ErrorKind::InvalidArgument, messages::INVALID_PATH_ARGUMENT).with_source(error)
        })?;
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        let mut headers: HeaderMap = extra.iter().cloned().collect();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(token) = token {
            headers.insert(AUTHORIZATION, secret_value(&format!("auth_token {}", token.expose()))?);
        }
        let body = request.body.as_ref().map(|body| body.to_string().into_bytes());
        Ok(Self { method: request.method.clone(), url, headers, body })
    }
}

/// A header value that is hidden in `Debug` output.
pub(crate) fn secret_value(text: &str) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|error| Error::new(ErrorKind::InvalidArgument, messages::INVALID_HEADER).with_source(error))?;
    value.set_sensitive(true);
    Ok(value)
}

/// HTTP over reqwest and rustls.
pub(crate) struct Reqwest(reqwest::Client);

impl Reqwest {
    pub(crate) fn new() -> Result<Self> {
        install_tls();
        // No redirects: a token must not be sent to an address that is not configured.
        reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map(Self)
            .map_err(|error| Error::new(ErrorKind::Internal, error_chain(&error)).with_source(error))
    }
}

impl Transport for Reqwest {
    fn send(&self, outgoing: HttpRequest) -> BoxFuture<'_, Result<HttpResponse>> {
        Box::pin(async move {
            let mut request = self.0.request(outgoing.method, outgoing.url).headers(outgoing.headers);
            if let Some(body) = outgoing.body {
                request = request.body(body);
            }
            let response = request.send().await.map_err(network)?;
            let status = response.status().as_u16();
            let retry_after =
                response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
            let body = response.bytes().await.map_err(network);
            Ok(HttpResponse { status, retry_after, body })
        })
    }

    fn transfer(&self, transfer: Transfer<Option<Chunks>>) -> BoxFuture<'_, Result<(u16, Chunks)>> {
        Box::pin(async move {
            let mut request = self.0.request(transfer.method, transfer.url);
            if let Some(size) = transfer.size {
                request = request.header(CONTENT_LENGTH, size);
            }
            if let Some(chunks) = transfer.body {
                request = request.body(reqwest::Body::wrap_stream(chunks));
            }
            let response = request.send().await.map_err(network)?;
            let status = response.status().as_u16();
            let chunks = response.bytes_stream().map_ok(Vec::from).map_err(network);
            Ok((status, Box::pin(chunks) as Chunks))
        })
    }
}

fn network(error: reqwest::Error) -> Error {
    // The query may contain names of users.
    let error = error.without_url();
    Error::new(ErrorKind::Network, error_chain(&error)).with_source(error)
}

/// The error and its causes in one line.
pub(crate) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}

/// rustls allows one crypto provider per process; an existing one is kept.
pub(crate) fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
