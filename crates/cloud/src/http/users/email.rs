//! The own address.

use axum::extract::State;
use axum::http::StatusCode;

use super::{from_query, mail};
use crate::app::App;
use crate::http::body::Body;
use crate::http::error::{Error, Result, Service};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::query::Query;
use crate::http::user_fields;
use crate::records::message::MessageKind;
use crate::store;
use crate::stream::rights;

const FIELD: &str = "email";

/// PUT users/update_email: another address, in the body or the query. It counts at once, and stays confirmed; both addresses
/// are told, and every session ends, so that whoever did it has to know the password.
pub(in crate::http) async fn update_email(
    State(app): State<App>,
    Caller(caller): Caller,
    query: Query,
    Body(mut body): Body,
) -> Result<StatusCode> {
    from_query(FIELD, &query, &mut body);
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = user_fields::email(&mut form);
    form.check()?;
    let taken = || Error::invalid(FIELD, "has already been taken");
    if store::users::id_by_email(&app.db, caller.oem_id, &email).await?.is_some() {
        return Err(taken());
    }
    let before = store::users::credentials_of(&app.db, caller.user_id).await?;
    let before = before.ok_or(Error::Unauthenticated(Service::User))?.who;
    let (mut tx, now) = (app.db.begin().await?, app.clock.now());
    let after = match store::users::set_email(&mut tx, before.id, &email, now).await {
        // Somebody took it in the meantime.
        Err(error) if error.is_unique_violation() => return Err(taken()),
        result => result?,
    };
    store::sessions::close_all(&mut tx, before.id, None).await?;
    // What was mailed went to the old address.
    store::user_tokens::revoke(&mut tx, before.id).await?;
    for address in [&before, &after] {
        app.mail.enqueue(&mut tx, &mail(MessageKind::EmailChanged, address, None, None), now).await?;
    }
    tx.commit().await?;
    rights::publish(&app.bus, before.id);
    Ok(StatusCode::NO_CONTENT)
}
