//! `/api/fleet`.

use axum::Json;
use axum::extract::State;

use super::dto::FleetHistory;
use super::query::{FleetParams, PeriodParams};
use super::{query, read};
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// Returns the devices that the caller may see over time: how many are online, their levels, refills and use.
#[utoipa::path(
    get, path = "/api/fleet/history", tag = "fleet",
    security(("token" = ["devices_read"])),
    params(PeriodParams, FleetParams),
    responses((status = 200, description = "The fleet over time", body = FleetHistory), ApiError)
)]
pub(super) async fn get_fleet_history(
    State(state): State<CoreState>,
    actor: Actor,
    pairs: QueryPairs,
) -> ApiResult<Json<FleetHistory>> {
    policy::can(&actor, Action::View, Target::Devices).require()?;
    let mut reader = QueryReader::new(&pairs);
    let query = query::read(&mut reader);
    let query = reader.end(query)?;
    let now = state.base.clock.now();
    let selection = query.selection(&actor, now)?;
    Ok(Json(read::read(&state.base.db, &query, &selection, now).await?))
}
