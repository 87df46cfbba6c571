//! The error format of this service (docs/wire.md#errors): `{"errors": [{"code", "message"}]}`.

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// More than any of our errors has.
const LONGEST: usize = 64 * 1024;

/// Gives an error the form of this service; what is none stays as it is.
pub(in crate::http) async fn in_form(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let is_json = parts.headers.get(CONTENT_TYPE) == Some(&HeaderValue::from_static("application/json"));
    if !is_json || !(parts.status.is_client_error() || parts.status.is_server_error()) {
        return Response::from_parts(parts, body);
    }
    let told = to_bytes(body, LONGEST).await.ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let Some(told) = told else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let code = format!("ARE-{}", parts.status.as_u16());
    let errors: Vec<Value> =
        texts(&told).into_iter().map(|message| json!({ "code": code, "message": message })).collect();
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    let Json(body) = Json(json!({ "errors": errors }));
    Response::from_parts(parts, Body::from(body.to_string()))
}

/// `{"error": text}`, or `{"errors": {field: [text]}}`.
fn texts(told: &Value) -> Vec<String> {
    if let Some(text) = told["error"].as_str() {
        return vec![text.to_owned()];
    }
    let fields = told["errors"].as_object().into_iter().flatten();
    let texts = fields.flat_map(|(field, texts)| {
        texts.as_array().into_iter().flatten().filter_map(Value::as_str).map(move |text| format!("{field} {text}"))
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::error::Error;
    use super::*;

    async fn told(response: impl IntoResponse) -> (u16, Value) {
        let response = in_form(response.into_response()).await;
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), LONGEST).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    #[tokio::test]
    async fn errors_have_a_code_and_a_text_each() {
        let one = |code, text| json!({ "errors": [{ "code": code, "message": text }] });
        assert_eq!(told(Error::RULE_NOT_FOUND).await, (404, one("ARE-404", "Rule not found")));
        assert_eq!(told(Error::invalid("name", "can't be blank")).await, (422, one("ARE-422", "name can't be blank")));
        assert_eq!(told(Json(json!({ "error": "a name" }))).await, (200, json!({ "error": "a name" })));
        assert_eq!(told(StatusCode::NO_CONTENT).await, (204, Value::Null));
    }
}
