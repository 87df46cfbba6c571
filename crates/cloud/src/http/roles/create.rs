use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::{Pair, TEXT, named, own, wanted};
use crate::app::App;
use crate::domain::policy::users::{may_give, may_manage_roles};
use crate::http::admin::new_person;
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::person;
use crate::http::query::Query;
use crate::people::NewPerson;
use crate::store::user_list::UserRef;
use crate::wire::user::ProfileAnswer;

/// POST api/v1/users/create_role_user, create_associated_user: creates a user with a role, and mails an invitation. A
/// caller who assigns the own label keeps access to the user.
pub(in crate::http) async fn create(
    State(app): State<App>,
    caller: Caller,
    query: Query,
    Body(body): Body,
) -> Result<(StatusCode, Json<ProfileAnswer>)> {
    if !may_manage_roles(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    let new = new_person(&app, &caller, &query, &body).await?;
    let mut form = Form::of(&body);
    let (role, label) = (form.required("role", TEXT), Pair::read(&mut form));
    form.check()?;
    let role = named(&app, &caller, role).await?;
    let label = label.map(|label| label.of(&role)).transpose()?.or(own(&caller));
    if role.label_key.is_some() && label.is_none() {
        return Err(Error::invalid("label", "can't be blank"));
    }
    if !may_give(&caller.0, &wanted(&role, label.unwrap_or_default())) {
        return Err(Error::FORBIDDEN);
    }
    app.limits.recipient(&new.email)?;
    let inviter = app.people().inviter(&caller.0).await?;
    let new = NewPerson { role: Some((role.id, label.map(str::to_owned))), inviter, ..new };
    let id = app.people().create(new).await?;
    let person = app.people().find(&caller.0, UserRef::Id(id)).await?;
    Ok((StatusCode::CREATED, Json(person::answer(person, caller.0.oem_id))))
}
