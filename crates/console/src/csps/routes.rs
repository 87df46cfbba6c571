//! `/api/csps`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::dto::{CspForm, CspList, CspName, CspSort, CspView};
use super::list_query::CspFilterParams;
use super::{changes, list_query, service, store};
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::{JsonBody, QueryPairs, UuidPath};
use crate::policy::{self, Action, Actor, Target};
use crate::reports::list_params::{PageParams, SortParams};
use crate::state::CoreState;

/// Returns one page of the CSPs; by default 25 CSPs by name.
#[utoipa::path(
    get, path = "/api/csps", tag = "csps",
    security(("token" = ["csps_read"])),
    params(PageParams, SortParams<CspSort>, CspFilterParams),
    responses((status = 200, description = "The page", body = CspList), ApiError)
)]
pub(super) async fn list_csps(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<CspList>> {
    policy::can(&actor, Action::View, Target::Csps).require()?;
    let query = list_query::parse(&query)?;
    Ok(Json(service::list(&state, &actor, &query).await?))
}

/// Returns all CSPs that the caller may see, by name.
#[utoipa::path(
    get, path = "/api/csps/all", tag = "csps",
    security(("token" = ["csps_read"])),
    responses((status = 200, description = "The CSPs; a CSP role gets only its own", body = [CspName]), ApiError)
)]
pub(super) async fn list_all_csps(State(state): State<CoreState>, actor: Actor) -> ApiResult<Json<Vec<CspName>>> {
    policy::can(&actor, Action::View, Target::CspNames).require()?;
    Ok(Json(store::names(&state.base.db, &actor).await?))
}

/// Adds a CSP.
#[utoipa::path(
    post, path = "/api/csps", tag = "csps", request_body = CspForm,
    security(("token" = ["csps_write"])),
    responses((status = 201, description = "The CSP", body = CspView), ApiError)
)]
pub(super) async fn create_csp(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<CspForm>,
) -> ApiResult<(StatusCode, Json<CspView>)> {
    Ok((StatusCode::CREATED, Json(changes::create(&state, &actor, &form).await?)))
}

/// Returns one CSP. Requires the right to edit it.
#[utoipa::path(
    get, path = "/api/csps/{id}", tag = "csps",
    security(("token" = ["csps_read"])),
    params(("id" = Uuid, Path, description = "The CSP")),
    responses((status = 200, description = "The CSP", body = CspView), ApiError)
)]
pub(super) async fn get_csp(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<CspView>> {
    policy::can(&actor, Action::Edit, Target::Csps).require()?;
    Ok(Json(service::read(&state, &actor, id).await?))
}

/// Renames a CSP that neither a device nor a person belongs to.
#[utoipa::path(
    put, path = "/api/csps/{id}", tag = "csps",
    security(("token" = ["csps_write"])),
    params(("id" = Uuid, Path, description = "The CSP")),
    request_body = CspForm,
    responses((status = 200, description = "The CSP", body = CspView), ApiError)
)]
pub(super) async fn update_csp(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
    JsonBody(form): JsonBody<CspForm>,
) -> ApiResult<Json<CspView>> {
    Ok(Json(changes::update(&state, &actor, id, &form).await?))
}

/// Removes a CSP that neither a device nor a person belongs to.
#[utoipa::path(
    delete, path = "/api/csps/{id}", tag = "csps",
    security(("token" = ["csps_write"])),
    params(("id" = Uuid, Path, description = "The CSP")),
    responses((status = 204, description = "The CSP is removed"), ApiError)
)]
pub(super) async fn delete_csp(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<StatusCode> {
    changes::remove(&state, &actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
