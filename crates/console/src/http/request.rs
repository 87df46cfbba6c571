//! Extractors with the console's errors instead of the framework's.

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use url::form_urlencoded;
use uuid::Uuid;

use super::error::{ApiError, ApiResult};

/// Longer than any serial number.
const MAX_DSN: usize = 64;

/// A JSON object. Lists are refused, because serde would accept one as the fields of a struct in order.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

/// A JSON list.
#[derive(Debug)]
pub(crate) struct JsonList<T>(pub(crate) Vec<T>);

/// The pairs of the query string, decoded.
#[derive(Debug)]
pub(crate) struct QueryPairs(Vec<(String, String)>);

/// The serial number in a path; 404 if it is malformed.
#[derive(Debug)]
pub(crate) struct DsnPath(pub(crate) String);

/// The serial number in a path, and the id of a record of that device; 404 if the serial number is malformed.
#[derive(Debug)]
pub(crate) struct PartOfDevicePath {
    pub(crate) dsn: String,
    pub(crate) id: String,
}

/// The text in a path; 404 if it is no text.
#[derive(Debug)]
pub(crate) struct TextPath(pub(crate) String);

/// The UUID in a path; 404 if it is malformed.
#[derive(Debug)]
pub(crate) struct UuidPath(pub(crate) Uuid);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let body = json_body(request, state).await?;
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err(ApiError::Malformed);
        }
        read_json(&body).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonList<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        read_json(&json_body(request, state).await?).map(Self)
    }
}

async fn json_body<S: Send + Sync>(request: Request, state: &S) -> ApiResult<Bytes> {
    if !is_json(request.headers()) {
        return Err(ApiError::UnsupportedMediaType);
    }
    Bytes::from_request(request, state).await.map_err(|_| ApiError::Malformed)
}

impl<S: Send + Sync> FromRequestParts<S> for QueryPairs {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::read(parts.uri.query().unwrap_or_default()))
    }
}

impl QueryPairs {
    /// Decodes a query string.
    pub(crate) fn read(query: &str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// The names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Every value of one name, in order.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for DsnPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let TextPath(dsn) = TextPath::from_request_parts(parts, state).await?;
        if is_valid_dsn(&dsn) { Ok(Self(dsn)) } else { Err(ApiError::NotFound) }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TextPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let Path(text) = Path::<String>::from_request_parts(parts, state).await.map_err(|_| ApiError::NotFound)?;
        Ok(Self(text))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PartOfDevicePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((dsn, id)) = path.map_err(|_| ApiError::NotFound)?;
        if is_valid_dsn(&dsn) { Ok(Self { dsn, id }) } else { Err(ApiError::NotFound) }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for UuidPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let Path(id) = Path::<Uuid>::from_request_parts(parts, state).await.map_err(|_| ApiError::NotFound)?;
        Ok(Self(id))
    }
}

/// Whether the text has the format of a serial number.
pub(crate) fn is_valid_dsn(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_DSN
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Deserializes an optional field of a form: `Some` for a field that is present, also for null. Needs `#[serde(default)]`.
pub(crate) fn sent<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Forms of other sites cannot send this content type without a CORS preflight.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return false };
    let essence = value.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

fn read_json<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let (field, text) = (error.path().to_string(), error.inner().to_string());
        match (named_after("missing field `", &text), named_after("duplicate field `", &text)) {
            (Some(missing), _) => ApiError::invalid(missing, "is required"),
            (_, Some(twice)) => ApiError::invalid(twice, "must be given once"),
            _ if error.inner().is_data() && field != "." => ApiError::invalid(&field, "has no such value"),
            _ => ApiError::Malformed,
        }
    })?;
    reader.end().map_err(|_| ApiError::Malformed)?;
    Ok(value)
}

/// Extracts the field name from serde's error message, its only source.
fn named_after<'a>(words: &str, text: &'a str) -> Option<&'a str> {
    text.strip_prefix(words)?.split('`').next()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only whether it can be read is of interest")]
    struct Sample {
        name: String,
        size: Option<i64>,
    }

    #[test]
    fn invalid_body_names_the_field() {
        let rows = [
            (r#"{"size": 1}"#, "name"),
            (r#"{"name": 1}"#, "name"),
            (r#"{"name": "x", "size": "1"}"#, "size"),
            (r#"{"name": "x", "size": 1.5}"#, "size"),
            (r#"{"name": "x", "name": "y"}"#, "name"),
        ];
        for (body, field) in rows {
            let Err(ApiError::Invalid(errors)) = read_json::<Sample>(body.as_bytes()) else { panic!("{body}") };
            assert_eq!(errors.keys().collect::<Vec<_>>(), [field], "{body}");
        }
    }

    #[test]
    fn body_without_a_json_object_is_malformed() {
        for body in ["", "{", "null", "[]", "7", r#"{"name": "x"} trailing"#, "\u{feff}{}"] {
            assert!(matches!(read_json::<Sample>(body.as_bytes()), Err(ApiError::Malformed)), "{body:?}");
        }
    }

    #[test]
    fn only_the_json_content_type_is_accepted() {
        let rows = [
            (Some("application/json"), true),
            (Some("Application/JSON; charset=utf-8"), true),
            (Some("text/plain"), false),
            (Some("application/json-patch+json"), false),
            (Some("application/x-www-form-urlencoded"), false),
            (None, false),
        ];
        for (value, expected) in rows {
            let headers: HeaderMap =
                value.map(|value| (header::CONTENT_TYPE, value.parse().unwrap())).into_iter().collect();
            assert_eq!(is_json(&headers), expected, "{value:?}");
        }
    }

    #[test]
    fn query_values_are_decoded_and_kept_in_order() {
        let pairs = QueryPairs::read("dsn=A%20B&page=1&dsn=C+D&empty");
        assert_eq!(pairs.all("dsn").collect::<Vec<_>>(), ["A B", "C D"]);
        assert_eq!(pairs.all("empty").collect::<Vec<_>>(), [""]);
        assert_eq!(pairs.all("none").count(), 0);
    }
}
