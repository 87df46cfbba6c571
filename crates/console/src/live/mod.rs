//! Live updates for the browser as server-sent events.

mod dto;
mod event_queue;
mod list_signal;
mod reader_stream;
mod routes;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::core_state::CoreState;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(routes::stream_events))
}
