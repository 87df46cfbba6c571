//! `/healthz`, `/readyz` and `/metrics`, for service managers and load balancers. They need no session and reveal no personal
//! data.

use std::time::Duration;

use axum::Router;
use axum::extract::{FromRef, RawQuery, State};
use axum::response::Response;
use axum::routing::{any, get};
use jiff::SignedDuration;
use platform::http::readiness::{self, Checks};
use tokio::time::timeout;

use crate::http::error::ApiError;
use crate::index;
use crate::secrets::token_key::TokenKeyState;
use crate::state::CoreState;

/// The states in the index are older only if something is wrong; pages then show their age.
const MAX_INDEX_AGE: SignedDuration = SignedDuration::from_mins(2);
/// A slower database cannot serve lists either.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) fn router<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        // Metrics have a listener of their own.
        .route("/metrics", any(async || ApiError::NotFound))
}

/// 200 while requests can be served and lists are current, otherwise 503.
async fn ready(State(state): State<CoreState>, RawQuery(query): RawQuery) -> Response {
    readiness::respond(checks(&state).await, query.as_deref())
}

/// The checks of `/readyz`.
pub(crate) async fn checks(state: &CoreState) -> Checks {
    let (database, token_key, cloud, index) = tokio::join!(
        readiness::database_answers(&state.base.db),
        timeout(READ_TIMEOUT, state.token_key.state()),
        state.cloud_check.result(),
        timeout(READ_TIMEOUT, is_index_current(state)),
    );
    let mut checks = Checks::from([
        ("bus", state.base.bus.is_connected()),
        ("database", database),
        // A database that does not answer says nothing about the key.
        ("token_key", !matches!(token_key, Ok(Ok(TokenKeyState::Wrong)))),
        ("cloud", cloud.is_ok()),
    ]);
    // A console that does not use the index is ready without it.
    if !state.lists_from_cloud {
        checks.insert("index", index.unwrap_or(false));
    }
    checks
}

/// Whether the index has been filled, its states are current, and this node has read it.
async fn is_index_current(state: &CoreState) -> bool {
    if !state.device_lists.is_loaded() {
        return false;
    }
    let oldest = state.base.clock.now() - MAX_INDEX_AGE;
    matches!(index::times(&state.base.db).await, Ok(Some(times)) if times.states_as_of >= oldest)
}
