use serde_json::Value;
use url::Url;

use super::route;
use crate::http::HttpRequest;

/// A request that a [`MockCloud`](super::MockCloud) received.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MockRequest {
    /// The method and the path below the service's address: `GET apiv1/dsns/AC000W000000001`. A transfer of file content
    /// is `GET files/7` or `PUT files/7`, the handshake of a stream `GET stream`.
    pub call: String,
    /// The decoded query, with one `name=value` per parameter.
    pub query: Vec<String>,
    /// The JSON body.
    pub body: Option<Value>,
    /// The access token.
    pub token: Option<String>,
}

impl MockRequest {
    /// Whether it is a request of this call, named as in the call's documentation:
    /// `GET apiv1/devices/{key}/addr`.
    #[must_use]
    pub fn is(&self, call: &str) -> bool {
        route::matches(call, &self.call)
    }

    pub(super) fn new(call: String, url: &Url) -> Self {
        let query = url.query_pairs().map(|(name, value)| format!("{name}={value}")).collect();
        Self { call, query, body: None, token: None }
    }

    pub(super) fn read(request: &HttpRequest) -> Self {
        let path = request.url.path().trim_start_matches('/');
        let mut call = format!("{} {path}", request.method);
        // In the Local table, the path begins with the name of the service.
        if !route::is_known(&call)
            && let Some((_, rest)) = path.split_once('/')
        {
            call = format!("{} {rest}", request.method);
        }
        let token = request.headers.get("authorization").and_then(|value| value.to_str().ok());
        Self {
            body: request.body.as_ref().and_then(|body| serde_json::from_slice(body).ok()),
            token: token.map(|token| token.trim_start_matches("auth_token ").to_owned()),
            ..Self::new(call, &request.url)
        }
    }
}
