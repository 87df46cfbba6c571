//! Live updates for the browser as server-sent events.

mod batches;
mod device_events;
mod dto;
mod frame;
mod heartbeat;
mod publisher;
mod reader_stream;
mod reread_signal;
mod routes;
mod session_check;
#[cfg(test)]
mod tests;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use publisher::Publisher;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(routes::stream_events))
}
