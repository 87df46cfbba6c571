//! Limits the size and time of every API request, and logs it without personal data.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use platform::run::clock::Clock;

use crate::fragrances;
use crate::http::error::{ApiError, ApiResult};

/// The largest body, except for a catalogue import and its preview.
const MAX_BODY: usize = 1024 * 1024;
/// A longer body is drained up to this size, because a client that is cut off while sending does not see the response.
const MAX_DROPPED: usize = 64 * 1024 * 1024;
/// How long a client may take to send a body. A megabyte in this time is slow for a phone.
const MAX_BODY_TIME: Duration = Duration::from_secs(30);
/// Longer than the 30 s timeout of one call to the cloud, because some requests make several.
const MAX_TIME: Duration = Duration::from_secs(90);

/// Buffers the body up to the limit.
///
/// # Errors
/// 413 when the body is too large, 400 when it is incomplete, 408 when it takes too long.
pub(crate) async fn limit_body(request: Request, next: Next) -> ApiResult<Response> {
    let is_import =
        request.extensions().get::<MatchedPath>().is_some_and(|path| fragrances::IMPORTS.contains(&path.as_str()));
    let longest = if is_import { fragrances::MAX_IMPORT } else { MAX_BODY };
    let (parts, body) = request.into_parts();
    let body =
        tokio::time::timeout(MAX_BODY_TIME, read_body(body, longest)).await.map_err(|_| ApiError::SlowBody)??;
    Ok(next.run(Request::from_parts(parts, Body::from(body))).await)
}

async fn read_body(body: Body, longest: usize) -> ApiResult<Bytes> {
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
    if length > longest { Err(ApiError::TooLarge) } else { Ok(read.freeze()) }
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::routing::post;
    use axum::{Router, middleware};
    use futures::stream;
    use tokio::time::Instant;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn body_that_does_not_arrive_in_time_is_rejected() {
        let app = Router::new().route("/", post(async || "read")).layer(middleware::from_fn(limit_body));
        let trickle = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            Some((Ok::<_, Infallible>("x"), ()))
        });
        let began = Instant::now();
        let request = Request::post("/").body(Body::from_stream(trickle)).unwrap();
        let response = app.clone().oneshot(request).await.unwrap();
        assert_eq!((response.status().as_u16(), began.elapsed().as_secs()), (408, 30));

        let slow = stream::iter(["{", "}"]).map(Ok::<_, Infallible>);
        let request = Request::post("/").body(Body::from_stream(slow)).unwrap();
        assert_eq!(app.oneshot(request).await.unwrap().status(), 200);
    }
}
