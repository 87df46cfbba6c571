//! The caller's own record.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::password;
use crate::app::App;
use crate::http::body::Body;
use crate::http::error::{Error, Result, Service};
use crate::http::extract::{AccessToken, Caller};
use crate::http::form::Form;
use crate::http::user_fields;
use crate::store;
use crate::wire::user::ProfileAnswer;

/// GET users/get_user_profile.
pub(in crate::http) async fn get_user_profile(
    State(app): State<App>,
    Caller(caller): Caller,
) -> Result<Json<ProfileAnswer>> {
    let profile = store::users::profile(&app.db, caller.user_id).await?;
    let profile = profile.ok_or(Error::Unauthenticated(Service::User))?;
    Ok(Json(ProfileAnswer::new(profile, caller)))
}

/// PUT users: changes the password if the body has the current one, otherwise the given profile fields. Some clients
/// wrap them in `users`.
pub(in crate::http) async fn change(
    State(app): State<App>,
    caller: Caller,
    AccessToken(token): AccessToken,
    Body(body): Body,
) -> Result<StatusCode> {
    let wrapper = if body.contains_key("users") { "users" } else { "user" };
    let mut form = Form::under_or_bare(&body, wrapper)?;
    if form.has(password::CURRENT) {
        password::change(&app, &caller, &token.unwrap_or_default(), form).await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    let fields = user_fields::profile(&mut form);
    form.check()?;
    app.people().change_own_profile(caller.0.user_id, &fields).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// DELETE users: deletes the account with its sessions, subscriptions and tokens. Its devices return to stock.
pub(in crate::http) async fn delete(State(app): State<App>, Caller(caller): Caller) -> Result<StatusCode> {
    app.people().delete(caller.user_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
