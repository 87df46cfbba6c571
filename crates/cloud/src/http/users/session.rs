//! Refreshes and ends sessions.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::TOKEN;
use crate::app::App;
use crate::http::error::{Error, Result, Service};
use crate::http::extract::AccessToken;
use crate::http::form::Form;
use crate::http::limits::LimitedBody;
use crate::people::{SignInError, UserSession};
use crate::wire::user::{Authorization, SignedOut};

const NOT_REFRESHED: Error = Error::Text(StatusCode::UNPROCESSABLE_ENTITY, "Your refresh token is invalid");

/// POST users/refresh_token, with or without the old access token.
pub(in crate::http) async fn refresh_token(
    State(app): State<App>,
    LimitedBody(body): LimitedBody,
) -> Result<Json<Authorization>> {
    let mut form = Form::under_or_bare(&body, "user").map_err(|_| NOT_REFRESHED)?;
    let refresh_token = form.text("refresh_token", TOKEN).ok_or(NOT_REFRESHED)?;
    let session = app.people().refresh_session(refresh_token).await.map_err(|error| match error {
        SignInError::InvalidToken => NOT_REFRESHED,
        error => error.into(),
    })?;
    Ok(Json(authorization(&app, session)))
}

/// POST users/sign_out: ends the session of the access token in the body, or else in the header, and its streams.
pub(in crate::http) async fn sign_out(
    State(app): State<App>,
    AccessToken(header): AccessToken,
    LimitedBody(body): LimitedBody,
) -> Result<Json<SignedOut>> {
    let mut form = Form::under_or_bare(&body, "user")?;
    let access_token = form.text("access_token", TOKEN);
    form.check()?;
    let access_token = access_token.or(header.as_deref()).ok_or(Error::Unauthenticated(Service::User))?;
    app.people().sign_out(access_token).await?;
    Ok(Json(SignedOut { logout: true }))
}

/// A session in the wire form.
pub(super) fn authorization(app: &App, session: UserSession) -> Authorization {
    Authorization::new(session.tokens, app.token_lifetime.as_secs(), session.principal)
}
