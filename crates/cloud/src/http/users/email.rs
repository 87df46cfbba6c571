//! Changes of the own address.

use axum::Json;
use axum::extract::State;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::password::CURRENT;
use super::{TOKEN, from_query};
use crate::app::App;
use crate::domain::password;
use crate::http::body::Body;
use crate::http::error::Result;
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::limits::LimitedBody;
use crate::http::query::Query;
use crate::http::user_fields;

/// PUT users/update_email: the new address, in the body or the query. With the current password in the body it takes effect at
/// once, otherwise when it is confirmed.
pub(in crate::http) async fn update_email(
    State(app): State<App>,
    Caller(caller): Caller,
    query: Query,
    Body(mut body): Body,
) -> Result<Json<Value>> {
    from_query("email", &query, &mut body);
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = user_fields::email(&mut form);
    let current = form.value(CURRENT).map(|_| form.required(CURRENT, password::MAX_LENGTH));
    form.check()?;
    app.limits.recipient(&email)?;
    app.people().change_email(&caller, &email, current.map(SecretString::from)).await?;
    Ok(Json(json!({})))
}

/// PUT users/update_email/cancel: the token that the old address received, in the query or the body. Returns
/// the UUID of its user.
pub(in crate::http) async fn cancel_email_change(
    State(app): State<App>,
    query: Query,
    LimitedBody(mut body): LimitedBody,
) -> Result<Json<Value>> {
    const FIELD: &str = "cancellation_token";
    from_query(FIELD, &query, &mut body);
    let mut form = Form::of(&body);
    let token = form.required(FIELD, TOKEN);
    form.check()?;
    let uuid = app.people().cancel_email_change(token).await?;
    Ok(Json(json!({ "uuid": uuid })))
}
