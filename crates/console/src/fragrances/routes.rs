//! `/api/fragrances` and `/api/import`.

use axum::Json;
use axum::extract::State;

use super::dto::{CatalogueExport, CatalogueUpdate, FragranceView};
use super::rows::CatalogueRow;
use super::{store, update};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::request::JsonList;

/// Where a whole catalogue comes in, …
pub(crate) const IMPORT: &str = "/api/import";
/// … in a body that may be longer than others: ten thousand rows of four hundred characters.
pub(crate) const MAX_IMPORT: usize = 4 * 1024 * 1024;

/// Every fragrance of the catalogue, by name.
#[utoipa::path(
    get, path = "/api/fragrances", tag = "fragrances",
    responses((status = 200, description = "The fragrances", body = [FragranceView]), ApiError)
)]
pub(super) async fn list_fragrances(
    State(state): State<CoreState>,
    actor: Actor,
) -> ApiResult<Json<Vec<FragranceView>>> {
    policy::can(&actor, Action::View, Target::Fragrances).require()?;
    let fragrances = store::all(&state.base.db).await?;
    Ok(Json(fragrances.into_iter().map(FragranceView::from).collect()))
}

/// The whole catalogue as rows of a file, by name. What is sent back as it came changes nothing.
#[utoipa::path(
    get, path = "/api/import/export", tag = "fragrances",
    responses((status = 200, description = "The rows", body = CatalogueExport), ApiError)
)]
pub(super) async fn export_fragrances(
    State(state): State<CoreState>,
    actor: Actor,
) -> ApiResult<Json<CatalogueExport>> {
    policy::can(&actor, Action::Edit, Target::Fragrances).require()?;
    let fragrances = store::all(&state.base.db).await?;
    Ok(Json(CatalogueExport { items: fragrances.iter().map(CatalogueRow::from).collect() }))
}

/// Brings the catalogue up to the rows of a file: at most 10,000, all of them or none. Fragrances that are not among them stay.
#[utoipa::path(
    post, path = "/api/import", tag = "fragrances",
    request_body = Vec<CatalogueRow>,
    responses((status = 200, description = "What became of the rows", body = CatalogueUpdate), ApiError)
)]
pub(super) async fn update_fragrances(
    State(state): State<CoreState>,
    actor: Actor,
    JsonList(rows): JsonList<CatalogueRow>,
) -> ApiResult<Json<CatalogueUpdate>> {
    Ok(Json(update::update(&state, &actor, &rows).await?))
}
