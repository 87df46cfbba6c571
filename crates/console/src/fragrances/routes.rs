//! `/api/fragrances` and `/api/import`.

use axum::Json;
use axum::extract::State;

use super::dto::{CatalogueExport, CatalogueUpdate, FragranceView};
use super::rows::CatalogueRow;
use super::{store, update};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::query_reader::QueryReader;
use crate::request::{JsonList, QueryPairs};

/// The path of the catalogue import.
pub(crate) const IMPORT: &str = "/api/import";
/// The largest body of an import: ten thousand rows of about four hundred characters.
pub(crate) const MAX_IMPORT: usize = 4 * 1024 * 1024;
/// The longest name of a file in usual file systems.
const MAX_FILE_NAME: usize = 255;

/// Returns all fragrances of the catalogue, by name.
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

/// Returns the whole catalogue as rows of a file, by name. Importing the unchanged rows changes nothing.
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

/// Imports the rows of a file, at most 10,000: all of them or none. Fragrances that are not in the file are kept. The audit has an
/// entry for each device whose level or consumption changes, with the import as its cause.
#[utoipa::path(
    post, path = "/api/import", tag = "fragrances",
    params(("file" = Option<String>, Query, max_length = 255, description = "The name of the file, for the audit")),
    request_body = Vec<CatalogueRow>,
    responses((status = 200, description = "The result of the import", body = CatalogueUpdate), ApiError)
)]
pub(super) async fn update_fragrances(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
    JsonList(rows): JsonList<CatalogueRow>,
) -> ApiResult<Json<CatalogueUpdate>> {
    policy::can(&actor, Action::Edit, Target::Fragrances).require()?;
    let mut reader = QueryReader::new(&query);
    let file = reader.text_up_to(MAX_FILE_NAME, "file");
    let file = reader.end(file)?;
    Ok(Json(update::update(&state, &actor, file.as_deref(), &rows).await?))
}
