//! Changes of the own address.

use axum::extract::State;
use axum::http::StatusCode;

use super::from_query;
use crate::app::App;
use crate::http::body::Body;
use crate::http::error::Result;
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::query::Query;
use crate::http::user_fields;

/// PUT users/update_email: the new address, in the body or the query.
pub(in crate::http) async fn update_email(
    State(app): State<App>,
    Caller(caller): Caller,
    query: Query,
    Body(mut body): Body,
) -> Result<StatusCode> {
    from_query("email", &query, &mut body);
    let mut form = Form::under_or_bare(&body, "user")?;
    let email = user_fields::email(&mut form);
    form.check()?;
    app.people().change_email(&caller, &email).await?;
    Ok(StatusCode::NO_CONTENT)
}
