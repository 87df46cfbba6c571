//! `/api/jobs`.

use axum::Json;
use axum::extract::State;

use super::dto::JobView;
use super::service::{self, Jobs};
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::request::UuidPath;

/// Returns the progress and failures of a job.
#[utoipa::path(
    get, path = "/api/jobs/{id}", tag = "jobs",
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The job", body = JobView), ApiError)
)]
pub(super) async fn get_job(
    State(jobs): State<Jobs>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<JobView>> {
    Ok(Json(service::read(&jobs, &actor, id).await?))
}

/// Cancels a job. Targets in progress are completed; a job that has ended is not changed.
#[utoipa::path(
    post, path = "/api/jobs/{id}/cancel", tag = "jobs",
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The job", body = JobView), ApiError)
)]
pub(super) async fn cancel_job(
    State(jobs): State<Jobs>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<JobView>> {
    Ok(Json(service::cancel(&jobs, &actor, id).await?))
}

/// Retries the targets of a job that are not done.
#[utoipa::path(
    post, path = "/api/jobs/{id}/retry", tag = "jobs",
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The job", body = JobView), ApiError)
)]
pub(super) async fn retry_job(
    State(jobs): State<Jobs>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<JobView>> {
    Ok(Json(service::retry(&jobs, &actor, id).await?))
}
