//! `/api/csps`.

use axum::Json;
use axum::extract::State;

use super::dto::CspName;
use super::store;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::state::AppState;

/// Every CSP that the caller may know of, by name.
#[utoipa::path(
    get, path = "/api/csps/all", tag = "csps",
    responses((status = 200, description = "The CSPs; a CSP role gets only its own", body = [CspName]), ApiError)
)]
pub(super) async fn list_all_csps(State(state): State<AppState>, actor: Actor) -> ApiResult<Json<Vec<CspName>>> {
    policy::can(&actor, Action::View, Target::CspNames).require()?;
    Ok(Json(store::names(&state.base.db, &actor).await?))
}
