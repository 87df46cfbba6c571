//! The two tokens of a session.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::TOKEN;
use crate::app::App;
use crate::http::body::Body;
use crate::http::error::{Error, Result, Service};
use crate::http::extract::AccessToken;
use crate::http::form::Form;
use crate::store;
use crate::store::sessions::Tokens;
use crate::stream::rights;
use crate::wire::user::{Authorization, SignedOut};

const NOT_REFRESHED: Error = Error::Text(StatusCode::UNPROCESSABLE_ENTITY, "Your refresh token is invalid");

/// Begins a session.
pub(super) async fn open(app: &App, user_id: i64) -> Result<Authorization> {
    let (tokens, now) = (new_tokens(app), app.clock.now());
    store::sessions::open(&app.db, user_id, &tokens, now, now + app.token_lifetime).await?;
    authorization(app, user_id, tokens).await
}

/// POST users/refresh_token, with or without the old access token.
pub(in crate::http) async fn refresh_token(State(app): State<App>, Body(body): Body) -> Result<Json<Authorization>> {
    let mut form = Form::under_or_bare(&body, "user").map_err(|_| NOT_REFRESHED)?;
    let refresh_token = form.text("refresh_token", TOKEN).ok_or(NOT_REFRESHED)?;
    let (tokens, now) = (new_tokens(&app), app.clock.now());
    let user_id = store::sessions::rotate(&app.db, refresh_token, &tokens, now, now + app.token_lifetime).await?;
    Ok(Json(authorization(&app, user_id.ok_or(NOT_REFRESHED)?, tokens).await?))
}

/// POST users/sign_out: ends the session of the access token in the body, or else in the header, and its streams.
pub(in crate::http) async fn sign_out(
    State(app): State<App>,
    AccessToken(header): AccessToken,
    Body(body): Body,
) -> Result<Json<SignedOut>> {
    let mut form = Form::under_or_bare(&body, "user")?;
    let access_token = form.text("access_token", TOKEN);
    form.check()?;
    let access_token = access_token.or(header.as_deref()).ok_or(Error::Unauthenticated(Service::User))?;
    let user_id = store::sessions::close(&app.db, access_token).await?;
    rights::publish(&app.bus, user_id.ok_or(Error::Unauthenticated(Service::User))?);
    Ok(Json(SignedOut { logout: true }))
}

fn new_tokens(app: &App) -> Tokens {
    Tokens { access: app.random.hex(16), refresh: app.random.hex(16) }
}

async fn authorization(app: &App, user_id: i64, tokens: Tokens) -> Result<Authorization> {
    let principal = store::roles::principal(&app.db, user_id).await?;
    let principal = principal.ok_or(Error::Unauthenticated(Service::User))?;
    Ok(Authorization::new(tokens, app.token_lifetime.as_secs(), principal))
}
