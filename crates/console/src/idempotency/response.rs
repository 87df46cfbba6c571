//! Responses that are stored for repetitions.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use crate::audit::WrittenRecord;

/// Maximum length of the body of a stored response in bytes. A longer one is not stored.
const MAX_BODY: usize = 64 * 1024;

/// Marks a response that is not stored, because it contains a secret that is shown once, or because what has changed since cannot be
/// found out. A repetition is handled again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unrepeatable;

/// A response without cookies, which belong to the browser that got the first one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct StoredResponse {
    status: u16,
    content_type: Option<String>,
    body: String,
    /// What the request has changed.
    written: Vec<WrittenRecord>,
}

impl StoredResponse {
    /// `None` for a response that is not stored: handling the request again cannot write twice what it has not written.
    pub(super) fn new(response: &Response, body: &[u8], written: Vec<WrittenRecord>) -> Option<Self> {
        if written.is_empty() {
            return None;
        }
        let content_type = response.headers().get(header::CONTENT_TYPE);
        let is_secret = response.extensions().get::<Unrepeatable>().is_some();
        if is_secret || !is_final(response.status()) || body.len() > MAX_BODY {
            return None;
        }
        Some(Self {
            status: response.status().as_u16(),
            content_type: content_type.and_then(|value| value.to_str().ok()).map(str::to_owned),
            body: str::from_utf8(body).ok()?.to_owned(),
            written,
        })
    }

    pub(super) fn written(&self) -> &[WrittenRecord] {
        &self.written
    }
}

impl IntoResponse for StoredResponse {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if let Some(value) = self.content_type.and_then(|value| HeaderValue::try_from(value).ok()) {
            response.headers_mut().insert(header::CONTENT_TYPE, value);
        }
        response
    }
}

/// Whether handling the request again could not give another result. After other responses a repetition is handled again: it
/// continues where the first request stopped.
fn is_final(status: StatusCode) -> bool {
    let is_refusal =
        status.is_client_error() && !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS);
    status.is_success() || is_refusal
}

#[cfg(test)]
mod tests {
    use axum::Extension;

    use super::*;
    use crate::http::error::ApiError;

    /// The records of a request that has changed one.
    fn written() -> Vec<WrittenRecord> {
        let record = r#"[{"kind":"device","id":"SC-1","csp":"","from":"2026-11-20T12:00:00Z","changes":1}]"#;
        serde_json::from_str(record).unwrap()
    }

    #[test]
    fn response_to_a_request_that_changed_nothing_is_not_stored() {
        assert!(StoredResponse::new(&StatusCode::OK.into_response(), b"", Vec::new()).is_none());
    }

    #[test]
    fn only_final_responses_are_stored() {
        let rows = [
            (StatusCode::OK, true),
            (StatusCode::CREATED, true),
            (StatusCode::NO_CONTENT, true),
            (StatusCode::FORBIDDEN, true),
            (StatusCode::NOT_FOUND, true),
            (StatusCode::CONFLICT, true),
            (StatusCode::UNPROCESSABLE_ENTITY, true),
            (StatusCode::UNAUTHORIZED, false),
            (StatusCode::TOO_MANY_REQUESTS, false),
            (StatusCode::INTERNAL_SERVER_ERROR, false),
            (StatusCode::BAD_GATEWAY, false),
            (StatusCode::SERVICE_UNAVAILABLE, false),
            (StatusCode::GATEWAY_TIMEOUT, false),
        ];
        for (status, expected) in rows {
            assert_eq!(StoredResponse::new(&status.into_response(), b"", written()).is_some(), expected, "{status}");
        }
    }

    #[test]
    fn secret_large_or_binary_body_is_not_stored() {
        let response = (Extension(Unrepeatable), StatusCode::OK).into_response();
        assert!(StoredResponse::new(&response, b"", written()).is_none());
        let response = StatusCode::OK.into_response();
        assert!(StoredResponse::new(&response, &vec![b'x'; MAX_BODY], written()).is_some());
        assert!(StoredResponse::new(&response, &vec![b'x'; MAX_BODY + 1], written()).is_none());
        assert!(StoredResponse::new(&response, &[0xff], written()).is_none());
    }

    #[test]
    fn stored_response_is_that_of_the_first_request_without_its_cookie() {
        let mut first = ApiError::invalid("name", "Required").into_response();
        first.headers_mut().insert(header::SET_COOKIE, HeaderValue::from_static("sillage=secret"));
        let repeated = StoredResponse::new(&first, b"{}", written()).unwrap().into_response();
        assert_eq!(repeated.status(), StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(repeated.headers()[header::CONTENT_TYPE], "application/problem+json");
        assert_eq!(repeated.headers().len(), 1);
    }
}
