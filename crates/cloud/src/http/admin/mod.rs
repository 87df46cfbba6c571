//! User service: administrators manage the users of their manufacturer (docs/wire.md#users).

mod create;
mod list;

pub(super) use create::{create, new_person};
pub(super) use list::{end_users, users};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::Path;
use super::person::{answer, reference};
use super::user_fields;
use crate::app::App;
use crate::domain::policy::users::may_read_users;
use crate::wire::user::ProfileAnswer;

/// GET users/{id or uuid}.
pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path(user): Path<String>,
) -> Result<Json<ProfileAnswer>> {
    let person = app.people().find(&caller.0, reference(&user)).await?;
    if !may_read_users(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    Ok(Json(answer(person, caller.0.oem_id)))
}

/// PUT users/{id or uuid}: changes the profile. Only the user can change the address and the password.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(user): Path<String>,
    Body(body): Body,
) -> Result<Json<ProfileAnswer>> {
    let person = app.people().find_managed(&caller.0, reference(&user)).await?;
    let mut form = Form::under(&body, "user")?;
    let fields = user_fields::profile(&mut form);
    // Clients that send back the whole record include the address.
    if form.value("email").is_some_and(|email| *email != *person.row.email) {
        form.refuse("email", "can't be changed here");
    }
    if form.value("password").is_some() {
        form.refuse("password", "can't be changed here");
    }
    form.check()?;
    app.people().change_profile(&caller.0, person.row.id, &fields).await?;
    let person = app.people().find(&caller.0, reference(&user)).await?;
    Ok(Json(answer(person, caller.0.oem_id)))
}

/// DELETE admin/users/{id or uuid}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(user): Path<String>) -> Result<StatusCode> {
    let person = app.people().find_managed(&caller.0, reference(&user)).await?;
    app.people().delete(person.row.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
