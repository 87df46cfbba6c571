//! User service: sign-in, refresh, sign-out and the own profile (wire-facts section 2).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::SignedDuration;
use secrecy::SecretString;

use super::body::Body;
use super::error::{Error, Result, Service};
use super::extract::{AccessToken, Caller};
use super::form::Form;
use crate::app::App;
use crate::domain::{password, secret};
use crate::store;
use crate::store::applications::ApplicationRow;
use crate::store::sessions::Tokens;
use crate::wire::user::{Authorization, ProfileAnswer, SignedOut};

/// So many wrong passwords in a row lock an account …
const FAILURES: i64 = 5;
/// … for so long (wire-facts 1.1).
const LOCK: SignedDuration = SignedDuration::from_mins(30);

/// Bounds of the fields, in bytes.
const EMAIL: usize = 255;
const APPLICATION: usize = 255;
const TOKEN: usize = 255;

const WRONG: Error = Error::Text(StatusCode::UNAUTHORIZED, "Invalid email or password");
const LOCKED: Error = Error::Text(StatusCode::UNAUTHORIZED, "Your account is locked.");
const UNCONFIRMED: Error = Error::Text(StatusCode::UNAUTHORIZED, "You have to confirm your account before continuing.");
const NO_APPLICATION: Error = Error::Text(StatusCode::NOT_FOUND, "Could not find application");
const NOT_REFRESHED: Error = Error::Text(StatusCode::UNPROCESSABLE_ENTITY, "Your refresh token is invalid");

/// POST users/sign_in.
pub(super) async fn sign_in(State(app): State<App>, Body(body): Body) -> Result<Json<Authorization>> {
    let mut form = Form::under(&body, "user")?;
    let email = form.required("email", EMAIL);
    let given = SecretString::from(form.required("password", password::MAX_LENGTH));
    let application = form.value("application").and_then(serde_json::Value::as_object).cloned().unwrap_or_default();
    form.check()?;
    let mut form = Form::of(&application);
    let app_id = form.text("app_id", APPLICATION).unwrap_or_default();
    let app_secret = form.text("app_secret", APPLICATION).unwrap_or_default();
    form.check()?;

    let application = store::applications::find(&app.db, app_id).await?;
    let application = application
        .filter(|application| secret::matches(app_secret, &application.secret_hash))
        .ok_or(NO_APPLICATION)?;
    let user_id = check_password(&app, &application, email, given).await?;

    let tokens = new_tokens(&app);
    let now = app.clock.now();
    store::sessions::open(&app.db, user_id, &tokens, now, now + app.token_lifetime).await?;
    authorization(&app, user_id, tokens).await
}

/// POST users/refresh_token, with or without the old access token.
pub(super) async fn refresh_token(State(app): State<App>, Body(body): Body) -> Result<Json<Authorization>> {
    let mut form = Form::under(&body, "user").map_err(|_| NOT_REFRESHED)?;
    let refresh_token = form.text("refresh_token", TOKEN).ok_or(NOT_REFRESHED)?;
    let tokens = new_tokens(&app);
    let now = app.clock.now();
    let user_id = store::sessions::rotate(&app.db, refresh_token, &tokens, now, now + app.token_lifetime).await?;
    authorization(&app, user_id.ok_or(NOT_REFRESHED)?, tokens).await
}

/// POST users/sign_out: ends the session of the access token in the body, or else in the header.
pub(super) async fn sign_out(
    State(app): State<App>,
    AccessToken(header): AccessToken,
    Body(body): Body,
) -> Result<Json<SignedOut>> {
    let mut form = Form::under(&body, "user")?;
    let access_token = form.text("access_token", TOKEN);
    form.check()?;
    let access_token = access_token.or(header.as_deref()).ok_or(Error::Unauthenticated(Service::User))?;
    if !store::sessions::close(&app.db, access_token).await? {
        return Err(Error::Unauthenticated(Service::User));
    }
    Ok(Json(SignedOut { logout: true }))
}

/// GET users/get_user_profile.
pub(super) async fn get_user_profile(State(app): State<App>, Caller(caller): Caller) -> Result<Json<ProfileAnswer>> {
    let profile = store::users::profile(&app.db, caller.user_id).await?;
    let profile = profile.ok_or(Error::Unauthenticated(Service::User))?;
    Ok(Json(ProfileAnswer::new(profile, caller)))
}

async fn check_password(app: &App, application: &ApplicationRow, email: &str, given: SecretString) -> Result<i64> {
    let user = store::users::credentials(&app.db, application.oem_id, email).await?;
    let stored = user.as_ref().map(|user| user.password_hash.clone());
    let verified = app.passwords.verify(given, stored).await;
    let (Some(user), now) = (user, app.clock.now()) else { return Err(WRONG) };
    let is_machine = user.application_id.is_some();
    if !is_machine && user.locked_until.is_some_and(|until| until > platform::clock::to_micros(now)) {
        return Err(LOCKED);
    }
    // Through another application, a machine account looks as if it were not there.
    let may_come_this_way = user.application_id.is_none_or(|id| id == application.id);
    if !verified || !may_come_this_way {
        if !is_machine {
            store::users::count_failure(&app.db, user.id, FAILURES, now + LOCK).await?;
        }
        return Err(WRONG);
    }
    // Only whoever knows the password learns that the account waits for its confirmation.
    if user.confirmed_at.is_none() {
        return Err(UNCONFIRMED);
    }
    if store::users::forgive_failures(&app.db, user.id, now).await? { Ok(user.id) } else { Err(LOCKED) }
}

fn new_tokens(app: &App) -> Tokens {
    Tokens { access: app.random.hex(16), refresh: app.random.hex(16) }
}

async fn authorization(app: &App, user_id: i64, tokens: Tokens) -> Result<Json<Authorization>> {
    let principal = store::roles::principal(&app.db, user_id).await?;
    let principal = principal.ok_or(Error::Unauthenticated(Service::User))?;
    Ok(Json(Authorization::new(tokens, app.token_lifetime.as_secs(), principal)))
}
