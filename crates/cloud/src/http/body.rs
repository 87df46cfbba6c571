//! The members of a request: JSON with any content type, or a form (docs/wire.md#requests). A missing body is an empty object.

use axum::Form;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use serde_json::{Map, Value};

use super::error::Error;

/// The members of the request's object.
pub(super) struct Body(pub(super) Map<String, Value>);

/// Maximum depth of the names of a form: `user[application][app_id]` has three levels.
const DEPTH: usize = 4;
const FORM: &[u8] = b"application/x-www-form-urlencoded";

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        let (parts, body) = request.into_parts();
        let is_form = parts.headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(FORM));
        let bytes = Bytes::from_request(Request::from_parts(parts.clone(), body), state).await?;
        // Many tools send JSON with the content type of a form by default.
        if !is_form || bytes.trim_ascii().starts_with(b"{") {
            return parse(&bytes);
        }
        let request = Request::from_parts(parts, bytes.into());
        let Form(pairs) = Form::from_request(request, state).await.map_err(|_| Error::MALFORMED)?;
        nested(pairs)
    }
}

fn parse(bytes: &[u8]) -> Result<Body, Error> {
    if bytes.trim_ascii().is_empty() {
        return Ok(Body(Map::new()));
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => Ok(Body(members)),
        // The parser's message could contain a password.
        Ok(_) | Err(_) => Err(Error::MALFORMED),
    }
}

/// `user[email]=a` is `{"user": {"email": "a"}}`.
fn nested(pairs: Vec<(String, String)>) -> Result<Body, Error> {
    let mut members = Map::new();
    for (name, value) in pairs {
        let names: Vec<&str> = name.split('[').map(|name| name.trim_end_matches(']')).collect();
        let Some((last, folders)) = names.split_last().filter(|_| names.len() <= DEPTH) else {
            return Err(Error::MALFORMED);
        };
        let mut at = &mut members;
        for folder in folders {
            let inner = at.entry(*folder).or_insert_with(|| Value::Object(Map::new()));
            at = inner.as_object_mut().ok_or(Error::MALFORMED)?;
        }
        at.insert((*last).to_owned(), Value::String(value));
    }
    Ok(Body(members))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_objects_and_empty_bodies_are_accepted() {
        for body in ["", "  \n", "{}"] {
            assert!(parse(body.as_bytes()).is_ok_and(|Body(members)| members.is_empty()), "{body:?}");
        }
        assert_eq!(parse(br#"{"a":1}"#).ok().unwrap().0["a"], 1);
        let deep = "[".repeat(100_000);
        for body in ["{", "[]", "7", "null", "\"text\"", "{\"a\":}", "\u{0}", deep.as_str()] {
            assert!(parse(body.as_bytes()).is_err());
        }
        assert!(parse(&[0xff, 0xfe]).is_err());
    }

    async fn posted(body: &'static str) -> Option<Value> {
        let request = Request::post("/").header(CONTENT_TYPE, "application/x-www-form-urlencoded; charset=utf-8");
        let body = Body::from_request(request.body(body.into()).unwrap(), &()).await;
        body.ok().map(|Body(members)| Value::Object(members))
    }

    #[tokio::test]
    async fn form_is_read_as_an_object_of_texts() {
        let table = [
            ("", Some(json!({}))),
            ("a=1&b=x+y%26", Some(json!({ "a": "1", "b": "x y&" }))),
            ("a=1&a=2", Some(json!({ "a": "2" }))),
            (
                "user[email]=a%40b&user[application][app_id]=c",
                Some(json!({ "user": { "email": "a@b", "application": { "app_id": "c" } } })),
            ),
            ("a[b][c][d]=1", Some(json!({ "a": { "b": { "c": { "d": "1" } } } }))),
            ("a[b][c][d][e]=1", None),
            ("a=1&a[b]=2", None),
            (" {\"a\": 1}", Some(json!({ "a": 1 }))),
            ("{", None),
        ];
        for (body, expected) in table {
            assert_eq!(posted(body).await, expected, "{body}");
        }
    }
}
