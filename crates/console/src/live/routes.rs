//! `/api/events`.

use std::collections::HashSet;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::IntoResponse;

use super::dto::StreamEvent;
use super::reader_stream;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::QueryPairs;
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// Maximum number of followed devices.
const MAX_DEVICES: usize = 100;
/// Maximum number of open device pages; each event of such a device reads it from the cloud.
const MAX_PAGES: usize = 10;

/// Server-sent events of the named devices, of the lists that the caller may see, and of the caller's jobs: `ready`, `device`,
/// `removed`, `list`, `job`, `resync`, `heartbeat`, `end`, `reconnect`.
///
/// Only devices that the caller may see are reported. `list` says that the contents, counts or order of a list changed,
/// at most once a second, and less often if the server has many readers; `job` reports the progress of the caller's jobs. After `resync` the client must read again
/// what it shows; after `end` and `reconnect` the stream closes. `heartbeat` is sent after 5 seconds without another event: a stream
/// that is silent for longer is broken.
#[utoipa::path(
    get, path = "/api/events", tag = "events",
    security(("token" = ["devices_read"])),
    params(
        ("dsn" = Option<Vec<String>>, Query, max_items = 100, description = "The devices to follow; repeat the parameter"),
        ("page" = Option<Vec<String>>, Query, max_items = 10, description = "Followed devices whose page is open; their events contain the data of the page"),
    ),
    responses(
        (status = 200, description = "The stream; the schema has the types of events that have data", body = StreamEvent, content_type = "text/event-stream"),
        ApiError,
    )
)]
pub(super) async fn stream_events(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<impl IntoResponse> {
    policy::can(&actor, Action::Watch, Target::Devices).require()?;
    let named = |parameter| query.all(parameter).filter(|dsn| !dsn.is_empty()).map(str::to_owned).collect();
    let (dsns, pages): (HashSet<String>, HashSet<String>) = (named("dsn"), named("page"));
    if dsns.len() > MAX_DEVICES {
        return Err(ApiError::invalid("dsn", format!("must not name more than {MAX_DEVICES} devices")));
    }
    if pages.len() > MAX_PAGES {
        return Err(ApiError::invalid("page", format!("must not name more than {MAX_PAGES} devices")));
    }
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        // Response buffering in a proxy would stall the stream.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(reader_stream::start(state, actor, dsns, &pages))))
}
