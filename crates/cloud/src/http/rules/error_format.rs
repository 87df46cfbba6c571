//! The error format of this service (docs/wire.md#errors): `{"errors": [{"code", "message"}]}`.

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Longer than all our errors.
const MAX_LENGTH: usize = 64 * 1024;

/// Converts an error response to the format of this service. Other responses stay unchanged.
pub(in crate::http) async fn convert_errors(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let is_json = parts.headers.get(CONTENT_TYPE) == Some(&HeaderValue::from_static("application/json"));
    if !is_json || !(parts.status.is_client_error() || parts.status.is_server_error()) {
        return Response::from_parts(parts, body);
    }
    let error = to_bytes(body, MAX_LENGTH).await.ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let Some(error) = error else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let code = format!("ARE-{}", parts.status.as_u16());
    let errors: Vec<Value> =
        texts(&error).into_iter().map(|message| json!({ "code": code, "message": message })).collect();
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    let Json(body) = Json(json!({ "errors": errors }));
    Response::from_parts(parts, Body::from(body.to_string()))
}

/// `{"error": text}`, or `{"errors": {field: [text]}}`.
fn texts(error: &Value) -> Vec<String> {
    if let Some(text) = error["error"].as_str() {
        return vec![text.to_owned()];
    }
    let fields = error["errors"].as_object().into_iter().flatten();
    let texts = fields.flat_map(|(field, texts)| {
        texts.as_array().into_iter().flatten().filter_map(Value::as_str).map(move |text| format!("{field} {text}"))
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::error::Error;
    use super::*;

    async fn converted(response: impl IntoResponse) -> (u16, Value) {
        let response = convert_errors(response.into_response()).await;
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), MAX_LENGTH).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    #[tokio::test]
    async fn only_error_responses_are_converted_to_codes_and_messages() {
        let one = |code, text| json!({ "errors": [{ "code": code, "message": text }] });
        assert_eq!(converted(Error::RULE_NOT_FOUND).await, (404, one("ARE-404", "Rule not found")));
        assert_eq!(
            converted(Error::invalid("name", "can't be blank")).await,
            (422, one("ARE-422", "name can't be blank"))
        );
        assert_eq!(converted(Json(json!({ "error": "a name" }))).await, (200, json!({ "error": "a name" })));
        assert_eq!(converted(StatusCode::NO_CONTENT).await, (204, Value::Null));
    }
}
