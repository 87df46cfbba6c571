use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value};

use crate::app::App;
use crate::domain::policy::users::may_create_users;
use crate::http::application;
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::person;
use crate::http::query::Query;
use crate::http::user_fields;
use crate::people::NewPerson;
use crate::store::user_list::UserRef;
use crate::store::users;
use crate::wire::user::ProfileAnswer;

/// Maximum length of the texts of a request outside the user's profile, in characters.
const TEXT: usize = 255;

/// POST users: creates a user without a role, and mails a confirmation.
pub(in crate::http) async fn create(
    State(app): State<App>,
    caller: Caller,
    query: Query,
    Body(body): Body,
) -> Result<(StatusCode, Json<ProfileAnswer>)> {
    if !may_create_users(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    let person = new_person(&app, &caller, &query, &body).await?;
    app.limits.recipient(&person.email)?;
    let id = app.people().create(person).await?;
    let person = app.people().find(&caller.0, UserRef::Id(id)).await?;
    Ok((StatusCode::CREATED, Json(person::answer(person, caller.0.oem_id))))
}

/// Reads and checks the new user under `user`; without a role. The application is optional, because the administrator
/// is signed in through one already; a wrong one is refused.
///
/// # Errors
/// 422 with all invalid fields, 404 for an application that the manufacturer does not have.
pub(in crate::http) async fn new_person(
    app: &App,
    caller: &Caller,
    query: &Query,
    body: &Map<String, Value>,
) -> Result<NewPerson> {
    let oem_id = caller.0.oem_id;
    let mut form = Form::of(body);
    let template = form.text("email_template_id", TEXT).or(query.get("email_template_id"));
    form.check()?;
    let mut form = Form::under(body, "user")?;
    let email = user_fields::email(&mut form);
    // One response reports a taken address together with all other errors (docs/wire.md#users).
    if users::id_by_email(&app.db, oem_id, &email).await?.is_some() {
        form.refuse("email", "has already been taken");
    }
    let password = user_fields::new_password(&mut form, "password");
    let profile = user_fields::new_profile(&mut form);
    let names_application = form.value("application").is_some();
    form.check()?;
    if let Some(user) = body.get("user").and_then(Value::as_object).filter(|_| names_application) {
        let mut form = Form::under(user, "application")?;
        form.required("app_id", TEXT);
        form.required("app_secret", TEXT);
        form.check()?;
        if application::find(app, Form::under(user, "application")?).await?.oem_id != oem_id {
            return Err(application::NOT_FOUND);
        }
    }
    let email_template_id = template.map(str::to_owned);
    Ok(NewPerson { oem_id, email, password, profile, role: None, inviter: None, email_template_id })
}
