//! Authenticates requests. Handlers get an [`Actor`] in no other way.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts, MatchedPath, Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;

use super::CoreState;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Actor, Operations, TokenRight};
use crate::sessions::session::{Session, SessionUse, has_bearer, read_bearer};

/// A page names the user whom it shows when it writes. All tabs of a browser have the same session, so another user may have
/// signed in in one of them.
const USER: &str = "sillage-user";

/// What [`authenticate`] needs.
#[derive(Clone)]
pub(crate) struct Authentication {
    pub(crate) core: CoreState,
    pub(crate) operations: Arc<Operations>,
}

/// Middleware around the operations of signed-in users. Finds out who sends the request, once for everything inside.
///
/// # Errors
/// As [`EnrollingActor`].
pub(crate) async fn authenticate(
    State(Authentication { core, operations }): State<Authentication>,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    let (mut parts, body) = request.into_parts();
    let path = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
    // Any other method of the path is refused by the router, with or without a session.
    if let Some(right) = operations.find(&parts.method, path) {
        let actor = identify(&core, &mut parts, right).await?;
        parts.extensions.insert(actor);
    }
    Ok(next.run(Request::from_parts(parts, body)).await)
}

impl<S> FromRequestParts<S> for Actor
where
    S: Send + Sync,
    CoreState: FromRef<S>,
{
    type Rejection = ApiError;

    /// # Errors
    /// As [`EnrollingActor`], and 403 if the role needs a second factor that is not set up.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let EnrollingActor { actor, lacks_factor } = EnrollingActor::from_request_parts(parts, state).await?;
        if lacks_factor { Err(ApiError::SecondFactorRequired) } else { Ok(actor) }
    }
}

/// The actor of an operation that sets up a second factor, who may lack one that the role needs.
#[derive(Clone)]
pub(crate) struct EnrollingActor {
    pub(crate) actor: Actor,
    pub(crate) lacks_factor: bool,
}

impl<S> FromRequestParts<S> for EnrollingActor
where
    S: Send + Sync,
    CoreState: FromRef<S>,
{
    type Rejection = ApiError;

    /// # Errors
    /// 401 without a session; 403 if it is that of another user than the page shows, or if the access token lacks the right; 502 or
    /// 504 if the role must be read again and the cloud is unreachable.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match parts.extensions.get::<Self>() {
            Some(known) => Ok(known.clone()),
            // An operation that is open to everybody, and does more for those who are signed in. It is not available to tokens.
            None => identify(&CoreState::from_ref(state), parts, None).await,
        }
    }
}

/// `right` is the one that a token needs.
async fn identify(core: &CoreState, parts: &mut Parts, right: Option<TokenRight>) -> ApiResult<EnrollingActor> {
    let Ok(session_use) = SessionUse::from_request_parts(parts, core).await;
    let session = if has_bearer(&parts.headers) {
        let session = program(core, &parts.headers, &session_use, right).await?;
        match core.sessions.with_fresh_access(session).await {
            Err(error) if error.is_signed_out() => return Err(ApiError::TokenRejected),
            session => session?,
        }
    } else {
        let id = core.cookie.read(&parts.headers).ok_or(ApiError::NotSignedIn)?;
        let session = core.sessions.find_for(&id, &session_use).await?.ok_or(ApiError::NotSignedIn)?;
        if parts.headers.get(USER).is_some_and(|user| user.as_bytes() != session.user.id.to_string().as_bytes()) {
            return Err(ApiError::OtherUser);
        }
        core.sessions.with_fresh_access(session).await?
    };
    Ok(EnrollingActor { actor: session.actor(), lacks_factor: session.lacks_factor })
}

/// The session of a request with an access token that has the right to make it.
async fn program(
    core: &CoreState,
    headers: &HeaderMap,
    session_use: &SessionUse,
    right: Option<TokenRight>,
) -> ApiResult<Session> {
    let id = read_bearer(headers).ok_or(ApiError::TokenRejected)?;
    let session = core.sessions.find_program(&id, session_use).await?.ok_or(ApiError::TokenRejected)?;
    let token = session.token.as_ref().ok_or(ApiError::TokenRejected)?;
    core.limiters.check_token(&session.hash)?;
    policy::require_right(&token.rights, right)?;
    Ok(session)
}
