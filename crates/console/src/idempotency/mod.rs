//! Repeated writes. A user's first request with an `Idempotency-Key` is handled; each further one gets its response, as long
//! as what it changed has not changed since.

mod request;
mod response;
mod retention;
mod service;
mod store;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use self::request::KeyedRequest;
use self::service::Repetition;
use crate::http::error::{ApiError, ApiResult};
use crate::state::{CoreState, EnrollingActor};

pub(crate) use request::{REQUESTS, RESPONSES, describe};
pub(crate) use response::Unrepeatable;
pub(crate) use retention::delete_old_keys;
pub(crate) use service::IdempotencyKeys;

/// The header with the key.
const HEADER: &str = "Idempotency-Key";
/// Maximum length of a key.
const MAX_LENGTH: usize = 64;

/// Middleware that handles a write with an `Idempotency-Key` once per user, and repeats its response. It must be inside of
/// [`run_to_end`](platform::http::run_to_end::run_to_end), because what it stores must not be lost with the connection.
///
/// # Errors
/// 422 for an invalid key, or one that had another request; 409 while the first request is being handled for too long.
pub(crate) async fn handle_once(
    State(core): State<CoreState>,
    State(keys): State<IdempotencyKeys>,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    if request.method().is_safe() || !request.headers().contains_key(HEADER) {
        return Ok(next.run(request).await);
    }
    let (mut parts, body) = request.into_parts();
    let EnrollingActor { actor, lacks_factor } = EnrollingActor::from_request_parts(&mut parts, &core).await?;
    if lacks_factor {
        // Nothing is repeated to a person without a required second factor. The handler refuses all but the set-up.
        return Ok(next.run(Request::from_parts(parts, body)).await);
    }
    let key = read_key(&parts.headers)?;
    let body = to_bytes(body, usize::MAX).await.map_err(|_| ApiError::Malformed)?;
    let keyed = KeyedRequest::new(&actor, key, &parts, &body);
    match keys.begin(&keyed).await? {
        Repetition::First(claim) => {
            let handled = next.run(Request::from_parts(parts, Body::from(body)));
            Ok(keys.handle(&keyed, &claim, handled).await)
        }
        Repetition::Later(response) => Ok(response.into_response()),
    }
}

/// # Errors
/// 422 for a key that is empty, too long, given twice, or has other characters than visible ASCII.
fn read_key(headers: &HeaderMap) -> ApiResult<&str> {
    let mut values = headers.get_all(HEADER).iter();
    let (first, second) = (values.next(), values.next());
    let key = first.filter(|_| second.is_none()).and_then(|value| value.to_str().ok());
    key.filter(|key| (1..=MAX_LENGTH).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic()))
        .ok_or_else(|| ApiError::invalid(HEADER, format!("must be one text of 1 to {MAX_LENGTH} visible characters")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_one_text_of_visible_characters() {
        let longest = "x".repeat(MAX_LENGTH);
        let too_long = "x".repeat(MAX_LENGTH + 1);
        let rows: [(&[&str], bool); 9] = [
            (&["8e03978e-40d5-43e8-bc93-6894a57f9324"], true),
            (&["\"quoted\""], true),
            (&[&longest], true),
            (&[&too_long], false),
            (&[""], false),
            (&["two words"], false),
            (&["a\tb"], false),
            (&["é"], false),
            (&["a", "a"], false),
        ];
        for (values, expected) in rows {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(HEADER, axum::http::HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
            assert_eq!(read_key(&headers).is_ok(), expected, "{values:?}");
        }
    }
}
