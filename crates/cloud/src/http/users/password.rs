//! Passwords: change and reset.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use secrecy::SecretString;
use serde_json::json;

use super::{TOKEN, email_template_id};
use crate::app::App;
use crate::domain::password;
use crate::http::application;
use crate::http::error::Result;
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::limits::LimitedBody;
use crate::http::query::Query;
use crate::http::user_fields;

/// The field of the current password.
pub(super) const CURRENT: &str = "current_password";

/// POST users/password: mails a reset token. Neither the response nor its duration reveals whether the user exists.
pub(in crate::http) async fn request_reset(
    State(app): State<App>,
    query: Query,
    LimitedBody(mut body): LimitedBody,
) -> Result<StatusCode> {
    let template = email_template_id(&query, &mut body)?;
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = user_fields::email(&mut form);
    let application = form.inner("application");
    form.check()?;
    let application = application::find(&app, application).await?;
    app.limits.recipient(&email)?;
    app.people().request_password_reset(application.oem_id, &email, template.as_deref()).await?;
    Ok(StatusCode::CREATED)
}

/// PUT users/password: sets a new password with a reset token. Returns the UUID of its user if the query has `include=user`;
/// other clients expect 204.
pub(in crate::http) async fn reset(
    State(app): State<App>,
    query: Query,
    LimitedBody(body): LimitedBody,
) -> Result<Response> {
    const CONFIRMATION: &str = "password_confirmation";
    let mut form = Form::under_or_bare(&body, "user")?;
    let token = form.required("reset_password_token", TOKEN);
    let password = user_fields::new_password(&mut form, "password");
    let confirmation = form.required(CONFIRMATION, password::MAX_LENGTH);
    if !confirmation.is_empty() && form.value("password") != form.value(CONFIRMATION) {
        form.refuse(CONFIRMATION, "Does not match");
    }
    form.check()?;
    let uuid = app.people().reset_password(token, password).await?;
    let is_named = query.all("include").contains(&"user");
    Ok(if is_named { Json(json!({ "uuid": uuid })).into_response() } else { StatusCode::NO_CONTENT.into_response() })
}

/// PUT users with the current password: sets a new one.
pub(super) async fn change(app: &App, caller: &Caller, access_token: &str, mut form: Form<'_>) -> Result<()> {
    let current = SecretString::from(form.required(CURRENT, password::MAX_LENGTH));
    let new = user_fields::new_password(&mut form, "password");
    form.check()?;
    Ok(app.people().change_password(caller.0.user_id, access_token, current, new).await?)
}
