//! The JSON of a request, whatever its content type says; no body is an empty object.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use serde_json::{Map, Value};

use super::error::Error;

/// The members of the request's object.
pub(super) struct Body(pub(super) Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        parse(&Bytes::from_request(request, state).await?)
    }
}

fn parse(bytes: &[u8]) -> Result<Body, Error> {
    if bytes.trim_ascii().is_empty() {
        return Ok(Body(Map::new()));
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => Ok(Body(members)),
        // What the parser says could repeat a password.
        Ok(_) | Err(_) => Err(Error::MALFORMED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_and_nothing_are_bodies() {
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
}
