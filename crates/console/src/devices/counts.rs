//! Counts and selections of matching devices.

use axum::Json;
use axum::extract::State;
use axum::response::Response;

use super::dto::{DeviceCounts, DeviceSelection};
use super::list_query::{self, ExcludeDsnParam, FilterParams};
use crate::http::error::{ApiError, ApiResult};
use crate::http::etag::{KnownTag, KnownTags};
use crate::http::request::QueryPairs;
use crate::index::{self, Counts};
use crate::jobs::MAX_TARGETS;
use crate::policy::{self, Action, Actor, Scope, Target};
use crate::state::CoreState;

/// Counts matching devices by status, those with a low level, and those that run dry in 7 days. `connectionstatus` is ignored
/// in the counts by status, `maxremaining` in the count of low levels, and the dates in the last count.
#[utoipa::path(
    get, path = "/api/devices/counts", tag = "devices",
    security(("token" = ["devices_read"])),
    params(FilterParams, ExcludeDsnParam, KnownTag),
    responses(
        (
            status = 200, description = "The counts", body = DeviceCounts,
            headers(("etag" = String, description = "Identifies the counts"))
        ),
        (status = 304, description = "The client has the counts already"),
        ApiError
    )
)]
pub(super) async fn count_devices(
    State(state): State<CoreState>,
    actor: Actor,
    known: KnownTags,
    query: QueryPairs,
) -> ApiResult<Response> {
    let counts = DeviceCounts::from(count(&state, &actor, &query).await?);
    Ok(known.respond(counts, &counts))
}

async fn count(state: &CoreState, actor: &Actor, query: &QueryPairs) -> ApiResult<Counts> {
    let now = state.base.clock.now();
    let filter = list_query::parse_filter(query, now)?;
    if actor.scope() == Scope::Nothing {
        return Ok(Counts::default());
    }
    require_index(state).await?;
    Ok(state.device_lists.counts(actor, &filter, now).await?)
}

/// Returns the DSNs of all matching devices, for bulk edit and copy. Requires permission to edit devices.
#[utoipa::path(
    get, path = "/api/devices/selection", tag = "devices",
    security(("token" = ["devices_read"])),
    params(FilterParams, ExcludeDsnParam),
    responses(
        (status = 200, description = "The devices; 422 on `dsns` if there are more than a job can have", body = DeviceSelection),
        ApiError,
    )
)]
pub(super) async fn select_devices(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<DeviceSelection>> {
    policy::can(&actor, Action::Edit, Target::Devices).require()?;
    let filter = list_query::parse_filter(&query, state.base.clock.now())?;
    require_index(&state).await?;
    let (dsns, total) = state.device_lists.select(&actor, &filter, MAX_TARGETS as u64).await?;
    if total > MAX_TARGETS as u64 {
        let refusal = format!("{total} devices match, and at most {MAX_TARGETS} can be selected at once");
        return Err(ApiError::invalid("dsns", refusal));
    }
    Ok(Json(DeviceSelection { dsns, total }))
}

/// An index that is still being filled, or read into memory, lacks devices, and the response would not show it.
pub(crate) async fn require_index(state: &CoreState) -> ApiResult<()> {
    let times = index::times(&state.base.db).await?;
    if times.is_some() && state.device_lists.is_loaded_soon().await { Ok(()) } else { Err(ApiError::NotReady) }
}

impl From<Counts> for DeviceCounts {
    fn from(counts: Counts) -> Self {
        let Counts { online, offline, never_connected, low, runs_dry } = counts;
        Self { all: online + offline + never_connected, online, offline, never_connected, low, runs_dry }
    }
}
