//! `/api/account`.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};

use super::dto::{AccountSession, Preferences, PreferencesForm};
use super::password::PasswordChange;
use super::profile::{Profile, ProfileForm};
use super::tokens::{AccountToken, AccountTokenForm, NewAccountToken};
use super::{password, profile, sessions, tokens};
use crate::audit::Operation;
use crate::auth;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::{JsonBody, TextPath};
use crate::idempotency::Unrepeatable;
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::Actor;
use crate::preferences::{self, ListPreferences, ListPreferencesForm};
use crate::sessions::session::ClientOrigin;
use crate::state::CoreState;

/// Returns the caller's profile as stored in the cloud.
#[utoipa::path(
    get, path = "/api/account", tag = "account",
    responses((status = 200, description = "The profile", body = Profile), ApiError)
)]
pub(super) async fn get_account(State(state): State<CoreState>, actor: Actor) -> ApiResult<Json<Profile>> {
    profile::read(&state, &actor).await.map(Json)
}

/// Changes the fields of the caller's profile that the body contains. Other fields keep their values.
#[utoipa::path(
    put, path = "/api/account", tag = "account", request_body = ProfileForm,
    responses((status = 200, description = "The current profile", body = Profile), ApiError)
)]
pub(super) async fn update_account(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<ProfileForm>,
) -> ApiResult<Json<Profile>> {
    locked(&state.base, LockedRecord::User(actor.user), profile::update(&state, &actor, &form)).await.map(Json)
}

/// Changes the caller's password and signs in with it: this browser gets a new session, all others end.
///
/// If the password was changed but the sign-in fails, the code is `not_signed_in_anew`, and the session has ended.
#[utoipa::path(
    put, path = "/api/account/password", tag = "account", request_body = PasswordChange,
    responses((status = 200, description = "The new session", body = auth::SessionView), ApiError)
)]
pub(super) async fn update_account_password(
    State(state): State<CoreState>,
    actor: Actor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    JsonBody(passwords): JsonBody<PasswordChange>,
) -> ApiResult<Response> {
    match password::change(&state, &actor, peer.ip(), origin, &passwords).await {
        Ok((id, session)) => {
            let answer = auth::SessionView::of(&state, &session).await?;
            Ok((state.cookie.issue(&id, state.sessions.max_remaining_lifetime(&session)), Json(answer)).into_response())
        }
        Err(ApiError::NewSessionFailed) => Ok((state.cookie.clear(), ApiError::NewSessionFailed).into_response()),
        Err(error) => Err(error),
    }
}

/// Returns the caller's display preferences.
#[utoipa::path(
    get, path = "/api/account/preferences", tag = "account",
    responses((status = 200, description = "The preferences", body = Preferences), ApiError)
)]
pub(super) async fn get_preferences(State(state): State<CoreState>, actor: Actor) -> ApiResult<Json<Preferences>> {
    let user = sessions::current(&state, &actor).await?.user.id;
    Ok(Json(Preferences { time_format: preferences::preferences(&state.base.db, user).await?.time_format }))
}

/// Stores the caller's display preferences, which apply in every browser.
#[utoipa::path(
    put, path = "/api/account/preferences", tag = "account", request_body = PreferencesForm,
    responses((status = 200, description = "The current preferences", body = Preferences), ApiError)
)]
pub(super) async fn update_preferences(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<PreferencesForm>,
) -> ApiResult<Json<Preferences>> {
    let user = sessions::current(&state, &actor).await?.user.id;
    preferences::keep_time_format(&state.base.db, user, form.time_format).await?;
    Ok(Json(Preferences { time_format: Some(form.time_format) }))
}

/// Changes the list preferences that the body contains, in every browser of the caller. Others keep their values.
#[utoipa::path(
    put, path = "/api/account/list-preferences", tag = "account", request_body = ListPreferencesForm,
    responses((status = 200, description = "The current list preferences", body = ListPreferences), ApiError)
)]
pub(super) async fn update_list_preferences(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<ListPreferencesForm>,
) -> ApiResult<Json<ListPreferences>> {
    form.check()?;
    let (db, user) = (&state.base.db, sessions::current(&state, &actor).await?.user.id);
    preferences::update_lists(db, user, &form).await?;
    Ok(Json(preferences::preferences(db, user).await?.lists))
}

/// Returns the caller's sessions, most recently used first.
#[utoipa::path(
    get, path = "/api/account/sessions", tag = "account",
    responses((status = 200, description = "The sessions", body = [AccountSession]), ApiError)
)]
pub(super) async fn list_account_sessions(
    State(state): State<CoreState>,
    actor: Actor,
) -> ApiResult<Json<Vec<AccountSession>>> {
    let all = sessions::all(&state, &actor).await?;
    Ok(Json(all.into_iter().map(|it| AccountSession::of(it, &actor.session)).collect()))
}

/// Ends all sessions of the caller except the one of this request.
#[utoipa::path(
    delete, path = "/api/account/sessions", tag = "account",
    responses((status = 204, description = "The other sessions have ended"), ApiError)
)]
pub(super) async fn delete_other_account_sessions(
    State(state): State<CoreState>,
    actor: Actor,
) -> ApiResult<(StatusCode, Extension<Unrepeatable>)> {
    let mut others = sessions::all(&state, &actor).await?;
    others.retain(|session| session.hash != actor.session);
    sessions::end(&state, &actor, Operation::DeleteOtherAccountSessions, &others).await?;
    // Of sessions that began since, a stored response would report the end.
    Ok((StatusCode::NO_CONTENT, Extension(Unrepeatable)))
}

/// Ends one session of the caller, which may be the one of this request.
#[utoipa::path(
    delete, path = "/api/account/sessions/{id}", tag = "account",
    params(("id" = String, Path, description = "The id in the list of sessions")),
    responses((status = 204, description = "The session has ended"), ApiError)
)]
pub(super) async fn delete_account_session(
    State(state): State<CoreState>,
    actor: Actor,
    TextPath(id): TextPath,
) -> ApiResult<StatusCode> {
    let mut these = sessions::all(&state, &actor).await?;
    these.retain(|session| session.hash.public_id() == id);
    if these.is_empty() {
        return Err(ApiError::NotFound);
    }
    sessions::end(&state, &actor, Operation::DeleteAccountSession, &these).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the caller's access tokens, most recently used first. None of them is contained.
#[utoipa::path(
    get, path = "/api/account/tokens", tag = "account",
    responses((status = 200, description = "The tokens", body = [AccountToken]), ApiError)
)]
pub(super) async fn list_account_tokens(
    State(state): State<CoreState>,
    actor: Actor,
) -> ApiResult<Json<Vec<AccountToken>>> {
    let all = tokens::all(&state, &actor).await?;
    Ok(Json(all.into_iter().filter_map(AccountToken::of).collect()))
}

/// Creates an access token for a program, which requires the password. The token is shown this once.
///
/// Tokens end at their time, when they are revoked, and when the password changes. A user has at most 20. The response is not
/// stored under an `Idempotency-Key`: a repetition creates another token.
#[utoipa::path(
    post, path = "/api/account/tokens", tag = "account", request_body = AccountTokenForm,
    responses((status = 201, description = "The new token", body = NewAccountToken), ApiError)
)]
pub(super) async fn create_account_token(
    State(state): State<CoreState>,
    actor: Actor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(form): JsonBody<AccountTokenForm>,
) -> ApiResult<impl IntoResponse> {
    let (id, session) = tokens::create(&state, &actor, peer.ip(), &form).await?;
    let token = NewAccountToken::new(&id, session).ok_or_else(|| ApiError::internal("a token without a name"))?;
    Ok((StatusCode::CREATED, Extension(Unrepeatable), Json(token)))
}

/// Revokes an access token of the caller. It ends at once.
#[utoipa::path(
    delete, path = "/api/account/tokens/{id}", tag = "account",
    params(("id" = String, Path, description = "The id in the list of tokens")),
    responses((status = 204, description = "The token has ended"), ApiError)
)]
pub(super) async fn delete_account_token(
    State(state): State<CoreState>,
    actor: Actor,
    TextPath(id): TextPath,
) -> ApiResult<StatusCode> {
    tokens::revoke(&state, &actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
