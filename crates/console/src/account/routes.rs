//! `/api/account`.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::dto::{AccountSession, Preferences};
use super::password::PasswordChange;
use super::profile::{Profile, ProfileForm};
use super::{password, profile, sessions};
use crate::audit::Operation;
use crate::auth;
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::preferences::{self, ListPreferences, ListPreferencesForm};
use crate::request::JsonBody;
use crate::session::ClientOrigin;

/// The caller's profile, as the cloud has it.
#[utoipa::path(
    get, path = "/api/account", tag = "account",
    responses((status = 200, description = "The profile", body = Profile), ApiError)
)]
pub(super) async fn get_account(State(state): State<CoreState>, actor: Actor) -> ApiResult<Json<Profile>> {
    profile::read(&state, &actor).await.map(Json)
}

/// Changes the fields of the caller's profile that the body has. The others stay as they are.
#[utoipa::path(
    put, path = "/api/account", tag = "account", request_body = ProfileForm,
    responses((status = 200, description = "The profile as it is now", body = Profile), ApiError)
)]
pub(super) async fn update_account(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<ProfileForm>,
) -> ApiResult<Json<Profile>> {
    profile::update(&state, &actor, &form).await.map(Json)
}

/// Changes the caller's password, and signs in with it: this browser gets another session, the others end.
///
/// When the password was changed and signing in fails, the code is `not_signed_in_anew`, and the session is over.
#[utoipa::path(
    put, path = "/api/account/password", tag = "account", request_body = PasswordChange,
    responses((status = 200, description = "Changed; the new session", body = auth::Session), ApiError)
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
            let answer = auth::Session::of(&state, &session).await?;
            Ok((state.cookie.issue(&id, state.sessions.max_remaining_lifetime(&session)), Json(answer)).into_response())
        }
        Err(ApiError::NewSessionFailed) => Ok((state.cookie.clear(), ApiError::NewSessionFailed).into_response()),
        Err(error) => Err(error),
    }
}

/// How the caller wants to see things.
#[utoipa::path(
    get, path = "/api/account/preferences", tag = "account",
    responses((status = 200, description = "The preferences", body = Preferences), ApiError)
)]
pub(super) async fn get_preferences(State(state): State<CoreState>, actor: Actor) -> ApiResult<Json<Preferences>> {
    let user = sessions::current(&state, &actor).await?.user.id;
    Ok(Json(Preferences { time_format: preferences::preferences(&state.base.db, user).await?.time_format }))
}

/// Keeps how the caller wants to see things, in every browser.
#[utoipa::path(
    put, path = "/api/account/preferences", tag = "account", request_body = Preferences,
    responses((status = 200, description = "The preferences as they are now", body = Preferences), ApiError)
)]
pub(super) async fn update_preferences(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(preferences_input): JsonBody<Preferences>,
) -> ApiResult<Json<Preferences>> {
    let user = sessions::current(&state, &actor).await?.user.id;
    preferences::keep_time_format(&state.base.db, user, preferences_input.time_format).await?;
    Ok(Json(preferences_input))
}

/// Changes the list preferences that the body has, in every browser of the caller. The others stay as they are.
#[utoipa::path(
    put, path = "/api/account/list-preferences", tag = "account", request_body = ListPreferencesForm,
    responses((status = 200, description = "The list preferences as they are now", body = ListPreferences), ApiError)
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

/// The caller's sessions, the one used last first.
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

/// Ends every session of the caller but the one that asks.
#[utoipa::path(
    delete, path = "/api/account/sessions", tag = "account",
    responses((status = 204, description = "The others have ended"), ApiError)
)]
pub(super) async fn delete_other_account_sessions(
    State(state): State<CoreState>,
    actor: Actor,
) -> ApiResult<StatusCode> {
    let mut others = sessions::all(&state, &actor).await?;
    others.retain(|session| session.hash != actor.session);
    sessions::end(&state, &actor, Operation::DeleteOtherAccountSessions, &others).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends one session of the caller, which may be the one that asks.
#[utoipa::path(
    delete, path = "/api/account/sessions/{id}", tag = "account",
    params(("id" = String, Path, description = "As the list names it")),
    responses((status = 204, description = "It has ended"), ApiError)
)]
pub(super) async fn delete_account_session(
    State(state): State<CoreState>,
    actor: Actor,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let mut these = sessions::all(&state, &actor).await?;
    these.retain(|session| session.hash.public_id() == id);
    if these.is_empty() {
        return Err(ApiError::NotFound);
    }
    sessions::end(&state, &actor, Operation::DeleteAccountSession, &these).await?;
    Ok(StatusCode::NO_CONTENT)
}
