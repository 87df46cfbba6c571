//! Starting a copy job, and what it would change.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;

use super::start::{self, CopyForm};
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::{DsnPath, JsonBody, QueryPairs};
use crate::jobs::{self, JobPreview, JobView, Jobs};
use crate::policy::Actor;
use crate::state::CoreState;

/// Copies the configuration of a device to others in a job, which tries every target even if others fail.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}/copy", tag = "devices",
    security(("token" = ["devices_write"])),
    params(("dsn" = String, Path, description = "Device serial number of the source")),
    request_body = CopyForm,
    responses((status = 202, description = "The started job", body = JobView), ApiError)
)]
pub(crate) async fn copy_device(
    State(state): State<CoreState>,
    State(jobs): State<Jobs>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    JsonBody(form): JsonBody<CopyForm>,
) -> ApiResult<(StatusCode, Json<JobView>)> {
    Ok((StatusCode::ACCEPTED, Json(start::start(&state, &jobs, &actor, &dsn, &form).await?)))
}

/// Returns what a copy would change, 25 devices at a time. Changes nothing.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}/copy/preview", tag = "devices",
    security(("token" = ["devices_read"])),
    extensions(("x-reads" = json!(true))),
    params(
        ("dsn" = String, Path, description = "Device serial number of the source"),
        ("from" = Option<u64>, Query, minimum = 0, description = "`next` of the previous response"),
    ),
    request_body = CopyForm,
    responses((status = 200, description = "The changes", body = JobPreview), ApiError)
)]
pub(crate) async fn preview_copy(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    query: QueryPairs,
    JsonBody(form): JsonBody<CopyForm>,
) -> ApiResult<Json<JobPreview>> {
    let from = jobs::parse_from(&query)?;
    state.limiters.previews.check(peer.ip(), &actor.user.to_string())?;
    Ok(Json(start::preview(&state, &actor, &dsn, &form, from).await?))
}
