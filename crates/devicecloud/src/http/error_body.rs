//! Parses error responses. Services use several formats; each has a golden file in `tests/wire/errors`.

use http::StatusCode;
use serde_json::{Map, Value};

use crate::error::messages;

/// Longer messages, such as HTML pages, are truncated.
const MAX_MESSAGE_CHARS: usize = 2000;

/// The invalid fields, each with its error texts.
pub(crate) type Fields = Vec<(String, Vec<String>)>;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct ErrorBody {
    /// The message to show: the cloud's error text, else the raw body, else the status text.
    pub(crate) message: String,
    pub(crate) fields: Fields,
}

pub(crate) fn parse(status: u16, body: &[u8]) -> ErrorBody {
    let raw = String::from_utf8_lossy(body);
    let raw = raw.trim();
    let body = serde_json::from_str::<Value>(raw).ok();
    let message = match &body {
        Some(body) if is_empty(body) => "",
        Some(body) => plain_text(body).unwrap_or(raw),
        None => raw,
    };
    let message = if message.trim().is_empty() { status_text(status) } else { truncate(message) };
    ErrorBody { message, fields: body.as_ref().and_then(field_errors).unwrap_or_default() }
}

/// Uses the raw body as the message.
pub(crate) fn raw(body: &[u8]) -> ErrorBody {
    let raw = String::from_utf8_lossy(body);
    let message = if raw.trim().is_empty() { messages::ERROR_TEXT_UNREADABLE.to_owned() } else { truncate(raw.trim()) };
    let fields = serde_json::from_str(&raw).ok().as_ref().and_then(field_errors).unwrap_or_default();
    ErrorBody { message, fields }
}

fn is_empty(body: &Value) -> bool {
    body.is_null() || body.as_object().is_some_and(Map::is_empty) || body.as_array().is_some_and(Vec::is_empty)
}

/// `{"error": "text"}`, `{"error": {"message": "text"}}`, `{"errors": "text"}`
fn plain_text(body: &Value) -> Option<&str> {
    let error = body.get("error");
    let text = match error {
        Some(Value::Object(error)) => error.get("message"),
        Some(_) => error,
        None => body.get("errors"),
    };
    text?.as_str()
}

/// `{"errors": {"email": ["is invalid"], "firstname": null}}`, or the fields without a wrapper. A null field is valid.
fn field_errors(body: &Value) -> Option<Fields> {
    let fields = body.get("errors").unwrap_or(body).as_object()?;
    let mut wrong = Vec::new();
    for (field, texts) in fields {
        if texts.is_null() {
            continue;
        }
        let texts = texts.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<_>>()?;
        wrong.push((field.clone(), texts));
    }
    Some(wrong)
}

fn truncate(message: &str) -> String {
    match message.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

/// The standard reason phrase of a status.
pub(crate) fn status_text(status: u16) -> String {
    let known = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    known.map_or_else(|| format!("HTTP status {status}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_error_body_gives_a_bounded_message(status in 300_u16..1000, body in prop::collection::vec(any::<u8>(), 0..3000)) {
            let message = parse(status, &body).message;
            prop_assert!(!message.is_empty() && message.chars().count() <= MAX_MESSAGE_CHARS + 1);
        }
    }

    #[test]
    fn error_body_without_text_gives_the_status_text() {
        assert_eq!(parse(799, b" ").message, "HTTP status 799");
        for body in ["{\"error\":\"\"}", "{}", "[]", "null", " "] {
            assert_eq!(parse(503, body.as_bytes()).message, "Service Unavailable", "{body}");
        }
    }

    #[test]
    fn field_errors_are_read() {
        let field =
            |name: &str, texts: &[&str]| (name.to_owned(), texts.iter().map(|text| (*text).to_owned()).collect());
        let table = [
            (
                r#"{"errors":{"email":["is invalid","is taken"],"zip":null}}"#,
                vec![field("email", &["is invalid", "is taken"])],
            ),
            (r#"{"errors":{"base":["no"]}}"#, vec![field("base", &["no"])]),
            (r#"{"value":["is not a number"]}"#, vec![field("value", &["is not a number"])]),
            (r#"{"errors":"text"}"#, vec![]),
            (r#"{"errors":[{"code":"ARE-501","message":"m"}]}"#, vec![]),
            (r#"{"error":"text"}"#, vec![]),
            (r#"{"status":7}"#, vec![]),
            (r#"{"value":[7]}"#, vec![]),
            ("text", vec![]),
        ];
        for (body, expected) in table {
            assert_eq!(parse(422, body.as_bytes()).fields, expected, "{body}");
        }
    }
}
