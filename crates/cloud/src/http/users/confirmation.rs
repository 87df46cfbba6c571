//! Confirmation of addresses.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::password::CURRENT;
use super::{TOKEN, email_template_id, from_query};
use crate::app::App;
use crate::domain::password;
use crate::http::application;
use crate::http::body::Body;
use crate::http::error::{Error, Result, Service};
use crate::http::extract::{AccessToken, Caller};
use crate::http::form::Form;
use crate::http::limits::LimitedBody;
use crate::http::query::Query;
use crate::http::user_fields;
use crate::people::Owner;
use crate::store;
use crate::wire::user::ProfileAnswer;

const FIELD: &str = "confirmation_token";

/// POST users/confirmation: mails the token once more, to a user whom the caller manages.
pub(in crate::http) async fn resend_confirmation(
    State(app): State<App>,
    Caller(caller): Caller,
    query: Query,
    Body(mut body): Body,
) -> Result<StatusCode> {
    let template = email_template_id(&query, &mut body)?;
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = user_fields::email(&mut form);
    let application = form.inner("application");
    form.check()?;
    application::find(&app, application).await?;
    app.limits.recipient(&email)?;
    app.people().resend_confirmation(&caller, &email, template.as_deref()).await?;
    Ok(StatusCode::CREATED)
}

/// PUT users/confirmation: the token of the mail, in the query or the body. A new address also needs a session of the user or the
/// current password in the body. Returns the profile of the user.
pub(in crate::http) async fn confirm(
    State(app): State<App>,
    AccessToken(access_token): AccessToken,
    query: Query,
    LimitedBody(mut body): LimitedBody,
) -> Result<Json<ProfileAnswer>> {
    from_query(FIELD, &query, &mut body);
    let mut form = Form::of(&body);
    let token = form.required(FIELD, TOKEN);
    let current = form.value(CURRENT).map(|_| form.required(CURRENT, password::MAX_LENGTH));
    form.check()?;
    let owner = match (current, access_token) {
        (Some(current), _) => Owner::Password(current.into()),
        (None, Some(token)) => {
            let caller = store::sessions::authenticate(&app.db, &token, app.clock.now()).await?;
            caller.map_or(Owner::Unproven, |caller| Owner::SignedIn(caller.user_id))
        }
        (None, None) => Owner::Unproven,
    };
    let user_id = app.people().confirm(token, owner).await?;
    let deleted = || Error::Unauthenticated(Service::User);
    let profile = store::users::profile(&app.db, user_id).await?.ok_or_else(deleted)?;
    let principal = store::roles::principal(&app.db, user_id).await?.ok_or_else(deleted)?;
    Ok(Json(ProfileAnswer::new(profile, principal)))
}
