//! `/api/users`.

use axum::Json;
use axum::extract::State;

use super::dto::UserView;
use super::service;
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::request::UuidPath;
use crate::state::AppState;

/// Reads a person again from the device cloud, and brings the list up to them.
#[utoipa::path(
    post, path = "/api/users/{id}", tag = "users",
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The person", body = UserView), ApiError)
)]
pub(super) async fn refresh_user(
    State(state): State<AppState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<UserView>> {
    Ok(Json(UserView::new(service::refresh(&state, &actor, id).await?, &actor)))
}
