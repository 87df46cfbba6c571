//! `/api/jobs`.

use axum::Json;
use axum::extract::State;

use super::dto::JobView;
use super::service;
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::request::UuidPath;
use crate::state::AppState;

/// How far a job has come, and what failed.
#[utoipa::path(
    get, path = "/api/jobs/{id}", tag = "jobs",
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The job", body = JobView), ApiError)
)]
pub(super) async fn get_job(
    State(state): State<AppState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<JobView>> {
    Ok(Json(service::read(&state, &actor, id).await?))
}

/// Ends a job before its time. Targets that are under way come to their end; one that has ended stays as it is.
#[utoipa::path(
    post, path = "/api/jobs/{id}/cancel", tag = "jobs",
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The job", body = JobView), ApiError)
)]
pub(super) async fn cancel_job(
    State(state): State<AppState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<JobView>> {
    Ok(Json(service::cancel(&state, &actor, id).await?))
}

/// Begins again with all targets of a job that are not done.
#[utoipa::path(
    post, path = "/api/jobs/{id}/retry", tag = "jobs",
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The job", body = JobView), ApiError)
)]
pub(super) async fn retry_job(
    State(state): State<AppState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<JobView>> {
    Ok(Json(service::retry(&state, &actor, id).await?))
}
