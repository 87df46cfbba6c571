//! `/api/jobs`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::dto::{JobPage, JobTargetPage, JobView};
use super::list_query;
use super::service::{self, Jobs};
use super::states::TargetState;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::{QueryPairs, UuidPath};
use crate::policy::Actor;

/// Lists the caller's jobs of the last 30 days, newest first; administrators get the jobs of all users.
#[utoipa::path(
    get, path = "/api/jobs", tag = "jobs",
    security(("token" = ["jobs_read"])),
    params(
        ("running" = Option<bool>, Query, description = "Only jobs that have not ended"),
        ("before" = Option<uuid::Uuid>, Query, description = "Only jobs before this one: `next` of the previous response"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 100, description = "Maximum number of jobs; 25 by default"),
    ),
    responses((status = 200, description = "The jobs", body = JobPage), ApiError)
)]
pub(super) async fn list_jobs(State(jobs): State<Jobs>, actor: Actor, query: QueryPairs) -> ApiResult<Json<JobPage>> {
    Ok(Json(service::list(&jobs, &actor, list_query::parse_jobs(&query)?).await?))
}

/// Lists the targets of a job with their results, 100 at a time.
#[utoipa::path(
    get, path = "/api/jobs/{id}/targets", tag = "jobs",
    security(("token" = ["jobs_read"])),
    params(
        ("id" = uuid::Uuid, Path, description = "UUID"),
        ("state" = Option<TargetState>, Query, description = "Only targets in this state"),
        ("from" = Option<i64>, Query, minimum = 0, description = "`next` of the previous response"),
    ),
    responses((status = 200, description = "The targets", body = JobTargetPage), ApiError)
)]
pub(super) async fn list_job_targets(
    State(jobs): State<Jobs>,
    actor: Actor,
    UuidPath(id): UuidPath,
    query: QueryPairs,
) -> ApiResult<Json<JobTargetPage>> {
    Ok(Json(service::targets(&jobs, &actor, id, list_query::parse_targets(&query)?).await?))
}

/// Returns the progress and failures of a job.
#[utoipa::path(
    get, path = "/api/jobs/{id}", tag = "jobs",
    security(("token" = ["jobs_read"])),
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
    security(("token" = ["jobs_write"])),
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
    security(("token" = ["jobs_write"])),
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

/// Undoes an ended job in another job, for a week after its end and once.
///
/// Each value that the job wrote gets its former value back, unless it has been changed since: then the target is `left`, and its
/// reason names the values.
#[utoipa::path(
    post, path = "/api/jobs/{id}/undo", tag = "jobs",
    security(("token" = ["jobs_write"])),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 202, description = "The started job", body = JobView), ApiError)
)]
pub(super) async fn undo_job(
    State(jobs): State<Jobs>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<(StatusCode, Json<JobView>)> {
    Ok((StatusCode::ACCEPTED, Json(service::undo(&jobs, &actor, id).await?)))
}
