//! Limits the size and time of every API request, and logs it without personal data.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::BytesMut;
use futures::StreamExt;
use platform::clock::Clock;

use crate::error::{ApiError, ApiResult};
use crate::fragrances;

/// The largest body, except for a catalogue import.
const MAX_BODY: usize = 1024 * 1024;
/// A longer body is drained up to this size, because a client that is cut off while sending does not see the response.
const MAX_DROPPED: usize = 64 * 1024 * 1024;
/// Longer than the 30 s timeout of one call to the cloud, because some requests make several.
const MAX_TIME: Duration = Duration::from_secs(90);

/// Buffers the body up to the limit.
///
/// # Errors
/// 413 when the body is too large, 400 when it is incomplete.
pub(crate) async fn limit_body(request: Request, next: Next) -> ApiResult<Response> {
    let is_import = request.extensions().get::<MatchedPath>().is_some_and(|path| path.as_str() == fragrances::IMPORT);
    let longest = if is_import { fragrances::MAX_IMPORT } else { MAX_BODY };
    let (parts, body) = request.into_parts();
    let mut chunks = body.into_data_stream();
    let mut read = BytesMut::new();
    let mut length = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| ApiError::Malformed)?;
        length += chunk.len();
        if length > MAX_DROPPED {
            break;
        }
        if length <= longest {
            read.extend_from_slice(&chunk);
        }
    }
    if length > longest {
        return Err(ApiError::TooLarge);
    }
    Ok(next.run(Request::from_parts(parts, Body::from(read.freeze()))).await)
}

/// # Errors
/// 504 after the time limit. Does not limit a streamed response that has started.
pub(crate) async fn limit_time(request: Request, next: Next) -> ApiResult<Response> {
    tokio::time::timeout(MAX_TIME, next.run(request)).await.map_err(|_| ApiError::Timeout)
}

/// Logs one line per request, with the route's template because paths and queries contain serial numbers and other data.
pub(crate) async fn log(State(clock): State<Clock>, request: Request, next: Next) -> Response {
    let began = clock.now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let duration_ms = clock.now().duration_since(began).as_millis();
    tracing::info!(http.method = %method, http.route = route, http.status = status, duration_ms, "request");
    response
}

/// The response to a panic in a handler.
pub(crate) fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    ApiError::internal("a handler panicked").into_response()
}
