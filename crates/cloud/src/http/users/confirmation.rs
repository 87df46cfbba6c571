//! That an address is somebody's.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::{TOKEN, email_template_id, from_query, mail};
use crate::app::App;
use crate::domain::policy::users::may_resend_confirmation;
use crate::http::application;
use crate::http::body::Body;
use crate::http::error::{Error, Result, Service};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::person::Person;
use crate::http::query::Query;
use crate::http::user_fields;
use crate::records::message::MessageKind;
use crate::store;
use crate::store::user_list::UserRef;
use crate::store::user_tokens::{self, Purpose};
use crate::store::users::Credentials;
use crate::wire::user::ProfileAnswer;

const FIELD: &str = "confirmation_token";

/// POST users/confirmation: mails the token once more, to somebody whom the caller looks after. Who is signed in is
/// confirmed, so for oneself there is nothing to mail.
pub(in crate::http) async fn resend_confirmation(
    State(app): State<App>,
    caller: Caller,
    query: Query,
    Body(mut body): Body,
) -> Result<StatusCode> {
    let template = email_template_id(&query, &mut body)?;
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = user_fields::email(&mut form);
    let application = form.inner("application");
    form.check()?;
    application::find(&app, application).await?;
    let user = somebody(&app, &caller, &email).await?;
    if user.confirmed_at.is_some() {
        return Err(Error::invalid("email", "was already confirmed, please try signing in"));
    }
    let (mut tx, now) = (app.db.begin().await?, app.clock.now());
    let token = user_tokens::issue(&mut tx, &app.random, user.who.id, Purpose::Confirmation, now).await?;
    let mail = mail(MessageKind::Confirmation, &user.who, Some(&token), template.as_deref());
    app.mail.enqueue(&mut tx, &mail, now).await?;
    tx.commit().await?;
    Ok(StatusCode::CREATED)
}

/// The user with this address: the caller, or somebody whom the caller looks after.
async fn somebody(app: &App, caller: &Caller, email: &str) -> Result<Credentials> {
    let user = store::users::credentials(&app.db, caller.0.oem_id, email).await?;
    // Nobody reads the mail of a machine.
    let user = user.filter(|user| user.application_id.is_none());
    let is_self = user.as_ref().is_some_and(|user| user.who.id == caller.0.user_id);
    // Before it is said whether there is somebody.
    if !is_self && !may_resend_confirmation(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    let user = user.ok_or(Error::USER_NOT_FOUND)?;
    if is_self {
        return Ok(user);
    }
    Person::to_handle(app, caller, UserRef::Id(user.who.id)).await?;
    Ok(user)
}

/// PUT users/confirmation: the token of the mail, in the query or the body. Answers whose address it is.
pub(in crate::http) async fn confirm(
    State(app): State<App>,
    query: Query,
    Body(mut body): Body,
) -> Result<Json<ProfileAnswer>> {
    from_query(FIELD, &query, &mut body);
    let mut form = Form::of(&body);
    let token = form.required(FIELD, TOKEN);
    form.check()?;
    let (mut tx, now) = (app.db.begin().await?, app.clock.now());
    let user_id = user_tokens::redeem(&mut tx, token, Purpose::Confirmation, now).await?;
    let user_id = user_id.ok_or_else(|| Error::invalid(FIELD, "is invalid"))?;
    store::users::confirm(&mut tx, user_id, now).await?;
    tx.commit().await?;
    let gone = || Error::Unauthenticated(Service::User);
    let profile = store::users::profile(&app.db, user_id).await?.ok_or_else(gone)?;
    let principal = store::roles::principal(&app.db, user_id).await?.ok_or_else(gone)?;
    Ok(Json(ProfileAnswer::new(profile, principal)))
}
