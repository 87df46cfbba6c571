//! Conditional requests: a client that has the contents already gets 304 without a body.

use std::convert::Infallible;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::IntoParams;

/// The `asOf` of a list whose contents have not changed.
const AS_OF: HeaderName = HeaderName::from_static("sillage-as-of");
/// Its `statesAsOf`.
const STATES_AS_OF: HeaderName = HeaderName::from_static("sillage-states-as-of");

/// The tags of the contents that the client has (`If-None-Match`). Anything that is no tag of ours matches nothing.
#[derive(Debug)]
pub(crate) struct KnownTags(Vec<String>);

/// Documents the request header for OpenAPI.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "documents the header and is never built as a value")]
pub(crate) struct KnownTag {
    /// The `etag` of a response that the client has: if the contents are still the same, the response is 304 without a body
    #[param(rename = "if-none-match", nullable = false)]
    if_none_match: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for KnownTags {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let lines = parts.headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
        Ok(Self(lines.flat_map(|line| line.split(',')).map(|tag| tag.trim().to_owned()).collect()))
    }
}

impl KnownTags {
    /// Responds with `body`, or with 304 if the client has its `contents`.
    pub(crate) fn respond(&self, body: impl Serialize, contents: &impl Serialize) -> Response {
        let tag = tag(contents);
        let response =
            if self.0.contains(&tag) { StatusCode::NOT_MODIFIED.into_response() } else { Json(body).into_response() };
        with_header(response, header::ETAG, &tag)
    }

    /// As [`respond`](Self::respond) for a list, whose contents do not include `asOf` and `statesAsOf`: headers have them.
    pub(crate) fn respond_as_of(
        &self,
        as_of: Timestamp,
        states_as_of: Timestamp,
        body: impl Serialize,
        contents: &impl Serialize,
    ) -> Response {
        let response = with_header(self.respond(body, contents), AS_OF, &as_of.to_string());
        with_header(response, STATES_AS_OF, &states_as_of.to_string())
    }
}

/// A weak tag, because the same contents may be sent with different compression.
fn tag(contents: &impl Serialize) -> String {
    // Contents that cannot be encoded are no valid body either.
    let contents = serde_json::to_vec(contents).unwrap_or_default();
    format!("W/\"{}\"", hex::encode(&Sha256::digest(contents)[..16]))
}

fn with_header(mut response: Response, name: HeaderName, value: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
    response
}
