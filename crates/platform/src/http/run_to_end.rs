//! Requests that run to their end even if their caller disconnects.

use std::panic::resume_unwind;

use axum::body::{Body, BodyDataStream};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// The error of a request's body whose caller has disconnected.
#[derive(Debug, thiserror::Error)]
#[error("the caller has disconnected")]
struct CallerDisconnected;

/// Middleware that handles requests that may write in separate tasks. A server drops the future of a request when its
/// caller disconnects or its time is over; without a task, a write would then stop between two of its steps, for instance
/// between its commit and the event about it. A body that is incomplete by then is never complete, so such a request writes
/// nothing.
///
/// A server that stops must wait for `tasks`. Layers around this one can limit the time of the response.
pub async fn run_to_end(State(tasks): State<TaskTracker>, request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let disconnected = CancellationToken::new();
    let _caller = disconnected.clone().drop_guard();
    let request = request.map(|body| Body::from_stream(read_until(body.into_data_stream(), disconnected)));
    match tasks.spawn(next.run(request).in_current_span()).await {
        Ok(response) => response,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The process is ending.
            Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        },
    }
}

/// The data of a body; an error once the caller has disconnected.
fn read_until(
    body: BodyDataStream,
    disconnected: CancellationToken,
) -> impl Stream<Item = Result<Bytes, axum::Error>> + Send + 'static {
    stream::unfold((body, disconnected), async |(mut body, disconnected)| {
        let data = match disconnected.run_until_cancelled(body.next()).await {
            Some(data) => data?,
            None => Err(axum::Error::new(CallerDisconnected)),
        };
        Some((data, (body, disconnected)))
    })
}
