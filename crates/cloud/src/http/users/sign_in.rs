//! Signing in, with a password or with the token of another application.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::SignedDuration;
use secrecy::SecretString;
use serde_json::{Map, Value};

use super::{TOKEN, session};
use crate::app::App;
use crate::domain::password;
use crate::http::application;
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::form::Form;
use crate::http::user_fields::EMAIL;
use crate::store;
use crate::store::users::Credentials;
use crate::wire::user::{Authorization, TokenAuthorization};

/// So many wrong passwords in a row lock an account …
const FAILURES: i64 = 5;
/// … for so long (docs/wire.md#users).
const LOCK: SignedDuration = SignedDuration::from_mins(30);

const WRONG: Error = Error::Text(StatusCode::UNAUTHORIZED, "Invalid email or password");
const LOCKED: Error = Error::Text(StatusCode::UNAUTHORIZED, "Your account is locked.");
const UNCONFIRMED: Error = Error::Text(StatusCode::UNAUTHORIZED, "You have to confirm your account before continuing.");

/// Why a password is not taken.
pub(super) enum Refused {
    Wrong,
    /// Too many were wrong before this one.
    Locked,
}

/// POST users/sign_in.
pub(in crate::http) async fn sign_in(State(app): State<App>, Body(body): Body) -> Result<Json<Authorization>> {
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = form.required("email", EMAIL);
    let given = SecretString::from(form.required("password", password::MAX_LENGTH));
    let application = form.inner("application");
    form.check()?;
    let application = application::find(&app, application).await?;
    let user = store::users::credentials(&app.db, application.oem_id, email).await?;
    // Through another application, a machine account looks as if it were not there.
    let user = user.filter(|user| user.may_come_through(application.id));
    let user = check_password(&app, user, given).await?.map_err(|refused| match refused {
        Refused::Wrong => WRONG,
        Refused::Locked => LOCKED,
    })?;
    // Only whoever knows the password learns that the account waits for its confirmation.
    if user.confirmed_at.is_none() {
        return Err(UNCONFIRMED);
    }
    Ok(Json(session::open(&app, user.who.id).await?))
}

/// Whether this is the password of this user; wrong ones are counted. Nobody's password costs as much as somebody's.
pub(super) async fn check_password(
    app: &App,
    user: Option<Credentials>,
    given: SecretString,
) -> Result<std::result::Result<Credentials, Refused>> {
    let stored = user.as_ref().map(|user| user.password_hash.clone());
    let verified = app.passwords.verify(given, stored).await;
    let (Some(user), now) = (user, app.clock.now()) else { return Ok(Err(Refused::Wrong)) };
    let is_machine = user.application_id.is_some();
    if !is_machine && user.locked_until.is_some_and(|until| until > platform::clock::to_micros(now)) {
        return Ok(Err(Refused::Locked));
    }
    if !verified {
        if !is_machine {
            store::users::count_failure(&app.db, user.who.id, FAILURES, now + LOCK).await?;
        }
        return Ok(Err(Refused::Wrong));
    }
    let forgiven = store::users::reset_failures(&app.db, user.who.id, now).await?;
    Ok(if forgiven { Ok(user) } else { Err(Refused::Locked) })
}

/// POST api/v1/token_sign_in: single sign-on. Who is signed in through one application of a manufacturer shows that access
/// token, and gets a session of another one; the first session stays as it is. We know no other issuer of tokens, so
/// `provider` makes no difference.
pub(in crate::http) async fn token_sign_in(
    State(app): State<App>,
    Body(body): Body,
) -> Result<Json<TokenAuthorization>> {
    exchange(&app, &body).await.map(Json).map_err(|error| match error {
        Error::Text(status, text) => Error::Texts(status, text),
        Error::Invalid(_) => Error::Texts(StatusCode::UNPROCESSABLE_ENTITY, "The request has no good token"),
        other => other,
    })
}

async fn exchange(app: &App, body: &Map<String, Value>) -> Result<TokenAuthorization> {
    const REFUSED: Error = Error::Text(StatusCode::UNAUTHORIZED, "The token is invalid");
    let mut form = Form::of(body);
    let access_token = form.required("token", TOKEN);
    let application = form.inner("application");
    form.check()?;
    let application = application::find(app, application).await?;
    let principal = store::sessions::authenticate(&app.db, access_token, app.clock.now()).await?;
    let user_id = principal.filter(|principal| principal.oem_id == application.oem_id).ok_or(REFUSED)?.user_id;
    let user = store::users::credentials_of(&app.db, user_id).await?;
    user.filter(|user| user.may_come_through(application.id)).ok_or(REFUSED)?;
    Ok(TokenAuthorization::new(session::open(app, user_id).await?))
}
