//! The transport below the send path; replaced in tests.

use std::pin::Pin;

use bytes::Bytes;
use futures::Stream;
use http::Method;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::Request;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::model::secret::SecretText;

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

    /// Asks for another protocol on the same connection. In memory there is no connection.
    #[cfg(feature = "stream")]
    fn upgrade(&self, _outgoing: HttpRequest) -> BoxFuture<'_, Result<Upgrade>> {
        Box::pin(async { Err(Error::new(ErrorKind::Network, messages::NO_CONNECTION)) })
    }
}

/// The response to a request to upgrade.
#[cfg(feature = "stream")]
pub(crate) struct Upgrade {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// With status 101.
    pub(crate) connection: Option<Box<dyn super::Connection>>,
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

/// A header from its name and value.
pub(crate) fn header(name: &str, value: &str) -> Result<Header> {
    let name = HeaderName::try_from(name)
        .map_err(|error| Error::new(ErrorKind::InvalidArgument, messages::INVALID_HEADER).with_source(error))?;
    Ok((name, secret_value(value)?))
}

/// A header value that is hidden in `Debug` output.
fn secret_value(text: &str) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|error| Error::new(ErrorKind::InvalidArgument, messages::INVALID_HEADER).with_source(error))?;
    value.set_sensitive(true);
    Ok(value)
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
