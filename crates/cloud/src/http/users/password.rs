//! Passwords: a new one for who knows the old one, and for who can read the mail.

use axum::extract::State;
use axum::http::StatusCode;
use secrecy::SecretString;

use super::sign_in::{Refused, check_password};
use super::{TOKEN, email_template_id, mail};
use crate::app::App;
use crate::domain::password;
use crate::http::application;
use crate::http::body::Body;
use crate::http::error::{Error, Result, Service};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::query::Query;
use crate::http::user_fields;
use crate::records::message::MessageKind;
use crate::store;
use crate::store::applications::ApplicationRow;
use crate::store::user_tokens::{self, Purpose};
use crate::stream::rights;

/// The field of the current password.
pub(super) const CURRENT: &str = "current_password";

/// POST users/password: mails a token to whoever has this address. The answer does not tell whether there is somebody, and
/// neither does the time it takes: the mail is written while a password is checked, nobody's.
pub(in crate::http) async fn request_reset(
    State(app): State<App>,
    query: Query,
    Body(mut body): Body,
) -> Result<StatusCode> {
    let template = email_template_id(&query, &mut body)?;
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = user_fields::email(&mut form);
    let application = form.inner("application");
    form.check()?;
    let application = application::find(&app, application).await?;
    let nobodys = app.passwords.verify(SecretString::default(), None);
    let (_, mailed) = tokio::join!(nobodys, mail_reset(&app, &application, &email, template.as_deref()));
    mailed?;
    Ok(StatusCode::CREATED)
}

async fn mail_reset(app: &App, application: &ApplicationRow, email: &str, template: Option<&str>) -> Result<()> {
    let user = store::users::credentials(&app.db, application.oem_id, email).await?;
    // Nobody reads the mail of a machine.
    let Some(user) = user.filter(|user| user.application_id.is_none()) else { return Ok(()) };
    let (mut tx, now) = (app.db.begin().await?, app.clock.now());
    let token = user_tokens::issue(&mut tx, &app.random, user.who.id, Purpose::PasswordReset, now).await?;
    let mail = mail(MessageKind::PasswordReset, &user.who, Some(&token), template);
    app.mail.enqueue(&mut tx, &mail, now).await?;
    Ok(tx.commit().await?)
}

/// PUT users/password: a new password for who got the mail. It ends every session and the lock that wrong passwords brought,
/// and confirms the address: the mail arrived there.
pub(in crate::http) async fn reset(State(app): State<App>, Body(body): Body) -> Result<StatusCode> {
    const TOKEN_FIELD: &str = "reset_password_token";
    const CONFIRMATION: &str = "password_confirmation";
    let mut form = Form::under_or_bare(&body, "user")?;
    let token = form.required(TOKEN_FIELD, TOKEN);
    let password = user_fields::new_password(&mut form, "password");
    let confirmation = form.required(CONFIRMATION, password::MAX_LENGTH);
    if !confirmation.is_empty() && form.value("password") != form.value(CONFIRMATION) {
        form.refuse(CONFIRMATION, "Does not match");
    }
    form.check()?;
    let hash = app.passwords.hash(password).await?;
    let (mut tx, now) = (app.db.begin().await?, app.clock.now());
    let user_id = user_tokens::redeem(&mut tx, token, Purpose::PasswordReset, now).await?;
    let user_id = user_id.ok_or_else(|| Error::invalid(TOKEN_FIELD, "not found"))?;
    store::users::confirm(&mut tx, user_id, now).await?;
    let user = store::users::set_password(&mut tx, user_id, &hash, now).await?;
    store::sessions::close_all(&mut tx, user_id, None).await?;
    app.mail.enqueue(&mut tx, &mail(MessageKind::PasswordChanged, &user, None, None), now).await?;
    tx.commit().await?;
    rights::publish(&app.bus, user_id);
    Ok(StatusCode::NO_CONTENT)
}

/// PUT users with the current password: a new one. It ends the user's other sessions, and what a mail was to reset.
pub(super) async fn change(app: &App, caller: &Caller, access_token: &str, mut form: Form<'_>) -> Result<()> {
    let current = SecretString::from(form.required(CURRENT, password::MAX_LENGTH));
    let new = user_fields::new_password(&mut form, "password");
    form.check()?;
    let user = store::users::credentials_of(&app.db, caller.0.user_id).await?;
    let user = user.ok_or(Error::Unauthenticated(Service::User))?;
    let user = check_password(app, Some(user), current).await?.map_err(|refused| match refused {
        Refused::Wrong => Error::invalid(CURRENT, "is invalid"),
        Refused::Locked => Error::invalid(CURRENT, "Your account is locked."),
    })?;
    let hash = app.passwords.hash(new).await?;
    let (mut tx, now) = (app.db.begin().await?, app.clock.now());
    let user = store::users::set_password(&mut tx, user.who.id, &hash, now).await?;
    store::sessions::close_all(&mut tx, user.id, Some(access_token)).await?;
    user_tokens::revoke(&mut tx, user.id).await?;
    app.mail.enqueue(&mut tx, &mail(MessageKind::PasswordChanged, &user, None, None), now).await?;
    tx.commit().await?;
    rights::publish(&app.bus, user.id);
    Ok(())
}
