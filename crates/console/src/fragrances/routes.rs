//! `/api/fragrances` and `/api/import`.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};

use super::dto::{CatalogueExport, CataloguePreview, CatalogueUpdate, FragranceView, ImportUndo, LastImport};
use super::rows::CatalogueRow;
use super::update::ImportOptions;
use super::{store, undo, update};
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::{JsonBody, JsonList, QueryPairs};
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// The paths of the catalogue import and its preview.
pub(crate) const IMPORTS: [&str; 2] = ["/api/import", "/api/import/preview"];
/// The largest body of an import: ten thousand rows of about four hundred characters.
pub(crate) const MAX_IMPORT: usize = 4 * 1024 * 1024;
/// The longest name of a file in usual file systems.
const MAX_FILE_NAME: usize = 255;
/// The length of the digest of a preview.
const MAX_DIGEST: usize = 64;

/// Returns all fragrances of the catalogue, by name.
#[utoipa::path(
    get, path = "/api/fragrances", tag = "fragrances",
    security(("token" = ["fragrances_read"])),
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
    security(("token" = ["fragrances_read"])),
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

/// Returns what the import of these rows would do to the catalogue and the devices. Changes nothing.
#[utoipa::path(
    post, path = "/api/import/preview", tag = "fragrances",
    security(("token" = ["fragrances_read"])),
    extensions(("x-reads" = json!(true))),
    request_body = Vec<CatalogueRow>,
    responses((status = 200, description = "The changes", body = CataloguePreview), ApiError)
)]
pub(super) async fn preview_import(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    actor: Actor,
    JsonList(rows): JsonList<CatalogueRow>,
) -> ApiResult<Json<CataloguePreview>> {
    policy::can(&actor, Action::Edit, Target::Fragrances).require()?;
    state.limiters.previews.check(peer.ip(), &actor.user.to_string())?;
    Ok(Json(update::preview_import(&state, &rows).await?))
}

/// Imports the rows of a file, at most 10,000: all of them or none. Fragrances that are not in the file are kept. Implausible values
/// are refused unless the request has the digest of their preview. The audit has an entry for each device whose level or consumption
/// changes, with the import as its cause.
#[utoipa::path(
    post, path = "/api/import", tag = "fragrances",
    security(("token" = ["fragrances_write"])),
    params(
        ("file" = Option<String>, Query, max_length = 255, description = "The name of the file, for the audit"),
        (
            "decidedOn" = Option<String>, Query, max_length = 64,
            description = "`digest` of the preview that the user has approved: 409 if the import would change something else"
        ),
    ),
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
    let decided_on = reader.text_up_to(MAX_DIGEST, "decidedOn");
    let options = reader.end(ImportOptions { file, decided_on })?;
    Ok(Json(update::import(&state, &actor, options, &rows).await?))
}

/// Returns the newest import of the last week, which can be undone.
#[utoipa::path(
    get, path = "/api/import/last", tag = "fragrances",
    security(("token" = ["fragrances_read"])),
    responses((status = 200, description = "The import", body = LastImport), ApiError)
)]
pub(super) async fn get_last_import(State(state): State<CoreState>, actor: Actor) -> ApiResult<Json<LastImport>> {
    policy::can(&actor, Action::Edit, Target::Fragrances).require()?;
    Ok(Json(undo::last(&state).await?))
}

/// Returns what the undo of the newest import would do to the catalogue and the devices. Changes nothing.
#[utoipa::path(
    post, path = "/api/import/last/preview", tag = "fragrances",
    security(("token" = ["fragrances_read"])),
    extensions(("x-reads" = json!(true))),
    responses((status = 200, description = "The changes", body = CataloguePreview), ApiError)
)]
pub(super) async fn preview_import_undo(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    actor: Actor,
) -> ApiResult<Json<CataloguePreview>> {
    policy::can(&actor, Action::Edit, Target::Fragrances).require()?;
    state.limiters.previews.check(peer.ip(), &actor.user.to_string())?;
    Ok(Json(undo::preview_undo(&state).await?))
}

/// Undoes the newest import within a week, as long as its rows are as it left them and no device has a fragrance that it added.
#[utoipa::path(
    post, path = "/api/import/last/undo", tag = "fragrances",
    security(("token" = ["fragrances_write"])),
    request_body = ImportUndo,
    responses((status = 200, description = "The result of the undo", body = CatalogueUpdate), ApiError)
)]
pub(super) async fn undo_import(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<ImportUndo>,
) -> ApiResult<Json<CatalogueUpdate>> {
    policy::can(&actor, Action::Edit, Target::Fragrances).require()?;
    Ok(Json(undo::undo(&state, &actor, &form.decided_on).await?))
}
