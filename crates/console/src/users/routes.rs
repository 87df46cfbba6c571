//! `/api/users`.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;

use super::dto::{InvitedUser, SavedUserView, UserList, UserView};
use super::form::{self, Invitation, UserForm};
use super::query::{UserFilterParams, UserSort};
use super::{confirmation, disabling, factor_reset, password_reset, query, removal, service};
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::{JsonBody, QueryPairs, UuidPath};
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::Actor;
use crate::reports::list_params::{PageParams, SortParams};
use crate::state::CoreState;

/// Returns one page of the people that the caller may see; by default 25 people, the newest first.
#[utoipa::path(
    get, path = "/api/users", tag = "users",
    security(("token" = ["users_read"])),
    params(PageParams, SortParams<UserSort>, UserFilterParams),
    responses((status = 200, description = "The page", body = UserList), ApiError)
)]
pub(super) async fn list_users(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<UserList>> {
    Ok(Json(service::list(&state, &actor, &query::parse(&query)?).await?))
}

/// Reads a person from the device cloud and updates the list.
#[utoipa::path(
    post, path = "/api/users/{id}", tag = "users",
    security(("token" = ["users_read"])),
    extensions(("x-reads" = json!(true))),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The person", body = UserView), ApiError)
)]
pub(super) async fn refresh_user(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<UserView>> {
    let record = service::refresh(&state, &actor, id).await?;
    Ok(Json(service::view(&state, &actor, record).await?))
}

/// Invites a person: creates the account and sends the confirmation mail.
#[utoipa::path(
    post, path = "/api/users", tag = "users",
    security(("token" = ["users_write"])),
    request_body = Invitation,
    responses((status = 201, description = "The person's id", body = InvitedUser), ApiError)
)]
pub(super) async fn invite_user(
    State(state): State<CoreState>,
    actor: Actor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(invitation): JsonBody<Invitation>,
) -> ApiResult<(StatusCode, Json<InvitedUser>)> {
    let id = form::invite(&state, &actor, &invitation, peer.ip()).await?;
    Ok((StatusCode::CREATED, Json(InvitedUser { id })))
}

/// Returns one person, as read from the device cloud.
#[utoipa::path(
    get, path = "/api/users/{id}", tag = "users",
    security(("token" = ["users_read"])),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The person", body = UserView), ApiError)
)]
pub(super) async fn get_user(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<UserView>> {
    let record = service::read(&state, &actor, id).await?;
    Ok(Json(service::view(&state, &actor, record).await?))
}

/// Saves the fields in the body that differ. Other fields keep their values.
#[utoipa::path(
    put, path = "/api/users/{id}", tag = "users",
    security(("token" = ["users_write"])),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    request_body = UserForm,
    responses((status = 200, description = "The person, read again after the writes", body = SavedUserView), ApiError)
)]
pub(super) async fn update_user(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
    JsonBody(form): JsonBody<UserForm>,
) -> ApiResult<Json<SavedUserView>> {
    let saved = locked(&state.base, LockedRecord::User(id), form::update(&state, &actor, id, &form)).await?;
    Ok(Json(SavedUserView { user: service::view(&state, &actor, saved.record).await?, stale: saved.is_stale }))
}

/// Removes a person: deletes the account with all its data. Open items of attention that are assigned to the person become those of
/// the successor, or nobody's.
#[utoipa::path(
    delete, path = "/api/users/{id}", tag = "users",
    security(("token" = ["users_write"])),
    params(
        ("id" = uuid::Uuid, Path, description = "UUID"),
        ("successor" = Option<uuid::Uuid>, Query, description = "Who gets the open items: another person of the same CSP"),
    ),
    responses((status = 204, description = "The person is removed"), ApiError)
)]
pub(super) async fn remove_user(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
    query: QueryPairs,
) -> ApiResult<StatusCode> {
    let mut reader = QueryReader::new(&query);
    let successor = reader.value("successor", "must be the id of a person", |text| uuid::Uuid::try_parse(text).ok());
    let successor = reader.end(successor)?;
    locked(&state.base, LockedRecord::User(id), removal::remove(&state, &actor, id, successor)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a password reset mail to a person.
#[utoipa::path(
    post, path = "/api/users/{id}/password-reset", tag = "users",
    security(("token" = ["users_write"])),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 204, description = "The mail was requested"), ApiError)
)]
pub(super) async fn send_password_reset(
    State(state): State<CoreState>,
    actor: Actor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    UuidPath(id): UuidPath,
) -> ApiResult<StatusCode> {
    password_reset::send(&state, &actor, id, peer.ip()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Resets the second factor of a person who has lost it. Sign-ins of the person need the password only from now on.
#[utoipa::path(
    delete, path = "/api/users/{id}/second-factor", tag = "users",
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 204, description = "The second factor is removed"), ApiError)
)]
pub(super) async fn reset_second_factor(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<StatusCode> {
    factor_reset::reset(&state, &actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Disables a person: sessions and access tokens end at once, and the person cannot sign in until they are enabled. The account in
/// the device cloud stays as it is.
#[utoipa::path(
    put, path = "/api/users/{id}/disabled", tag = "users",
    security(("token" = ["users_write"])),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 204, description = "The person is disabled"), ApiError)
)]
pub(super) async fn disable_user(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<StatusCode> {
    locked(&state.base, LockedRecord::User(id), disabling::disable(&state, &actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enables a person who was disabled.
#[utoipa::path(
    delete, path = "/api/users/{id}/disabled", tag = "users",
    security(("token" = ["users_write"])),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 204, description = "The person is enabled"), ApiError)
)]
pub(super) async fn enable_user(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<StatusCode> {
    locked(&state.base, LockedRecord::User(id), disabling::enable(&state, &actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends the confirmation mail to a person again.
#[utoipa::path(
    post, path = "/api/users/{id}/confirmation", tag = "users",
    security(("token" = ["users_write"])),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 204, description = "The mail was requested"), ApiError)
)]
pub(super) async fn resend_confirmation(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<StatusCode> {
    confirmation::resend(&state, &actor, peer.ip(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}
