//! Live updates for the browser as server-sent events.

mod dto;
mod event_queue;
mod hub;
mod list_signal;
mod reader_stream;
mod routes;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(crate) use dto::{DeviceRemoved, StreamEnd};
pub(crate) use hub::Hub;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(routes::stream_events))
}
