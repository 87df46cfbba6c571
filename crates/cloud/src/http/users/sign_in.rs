//! Sign-in with a password or with the token of another application.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use secrecy::SecretString;
use serde_json::{Map, Value};

use super::TOKEN;
use super::session::authorization;
use crate::app::App;
use crate::domain::password;
use crate::http::application;
use crate::http::error::{Error, Result, Service};
use crate::http::form::Form;
use crate::http::limits::LimitedBody;
use crate::http::user_fields::EMAIL;
use crate::people::SignInError;
use crate::wire::user::{Authorization, TokenAuthorization};

/// POST users/sign_in.
pub(in crate::http) async fn sign_in(
    State(app): State<App>,
    LimitedBody(body): LimitedBody,
) -> Result<Json<Authorization>> {
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = form.required("email", EMAIL);
    let password = SecretString::from(form.required("password", password::MAX_LENGTH));
    let application = form.inner("application");
    form.check()?;
    let application = application::find(&app, application).await?;
    let session = app.people().sign_in(&application, email, password).await?;
    Ok(Json(authorization(&app, session)))
}

/// POST api/v1/token_sign_in: single sign-on. An access token of one application opens a session of another application of the
/// same manufacturer; its own session stays open. There is no other issuer of tokens, so `provider` is ignored.
pub(in crate::http) async fn token_sign_in(
    State(app): State<App>,
    LimitedBody(body): LimitedBody,
) -> Result<Json<TokenAuthorization>> {
    exchange(&app, &body).await.map(Json).map_err(|error| match error {
        Error::Text(status, text) => Error::Texts(status, text),
        Error::Invalid(_) => Error::Texts(StatusCode::UNPROCESSABLE_ENTITY, "The token is missing or malformed"),
        other => other,
    })
}

async fn exchange(app: &App, body: &Map<String, Value>) -> Result<TokenAuthorization> {
    const INVALID: Error = Error::Text(StatusCode::UNAUTHORIZED, "The token is invalid");
    let mut form = Form::of(body);
    let access_token = form.required("token", TOKEN);
    let application = form.inner("application");
    form.check()?;
    let application = application::find(app, application).await?;
    let session = app.people().exchange_token(&application, access_token).await.map_err(|error| match error {
        SignInError::InvalidToken => INVALID,
        error => error.into(),
    })?;
    Ok(TokenAuthorization::new(authorization(app, session)))
}

impl From<SignInError> for Error {
    fn from(error: SignInError) -> Self {
        const UNAUTHORIZED: StatusCode = StatusCode::UNAUTHORIZED;
        match error {
            SignInError::WrongPassword => Self::Text(UNAUTHORIZED, "Invalid email or password"),
            SignInError::Locked => Self::Text(UNAUTHORIZED, "Your account is locked."),
            SignInError::Unconfirmed => Self::Text(UNAUTHORIZED, "You have to confirm your account before continuing."),
            SignInError::InvalidToken | SignInError::AccountDeleted => Self::Unauthenticated(Service::User),
            SignInError::Database(error) => error.into(),
        }
    }
}
