//! `/api/fragrances`.

use axum::Json;
use axum::extract::State;

use super::dto::FragranceView;
use super::store;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::state::AppState;

/// Every fragrance of the catalogue, by name.
#[utoipa::path(
    get, path = "/api/fragrances", tag = "fragrances",
    responses((status = 200, description = "The fragrances", body = [FragranceView]), ApiError)
)]
pub(super) async fn list_fragrances(
    State(state): State<AppState>,
    actor: Actor,
) -> ApiResult<Json<Vec<FragranceView>>> {
    policy::can(&actor, Action::View, Target::Fragrances).require()?;
    let fragrances = store::all(&state.base.db).await?;
    Ok(Json(fragrances.into_iter().map(FragranceView::from).collect()))
}
