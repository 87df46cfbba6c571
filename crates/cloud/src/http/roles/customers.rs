//! Associates customers with the users of a role and label, who may then read the customer's record. Devices of
//! a customer are shared by the customer, or labelled by the manufacturer.

use axum::extract::State;
use axum::http::StatusCode;

use super::{Pair, TEXT, named, own, wanted};
use crate::app::App;
use crate::domain::policy::users::{
    Association, UserScope, customer_scope, may_associate, may_associate_with, may_give, user_scope,
};
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::user_fields;
use crate::store::roles::RoleRow;

/// PUT api/v1/users/associate_role_user.
pub(in crate::http) async fn associate(State(app): State<App>, caller: Caller, Body(body): Body) -> Result<StatusCode> {
    let mut form = Form::of(&body);
    let label = Pair::required(&mut form);
    let (customer, role) = read(&app, &caller, form, Association::Begin, &customer_scope(&caller.0)).await?;
    let value = label.of(&role)?;
    if !may_associate_with(&caller.0, &wanted(&role, value)) {
        return Err(Error::FORBIDDEN);
    }
    app.people().associate(customer, role.id, value).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// PUT api/v1/users/disassociate_role_user: ends all associations of the customer with the role.
pub(in crate::http) async fn disassociate_role_user(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<StatusCode> {
    let mut form = Form::of(&body);
    let key = form.required("label_key", TEXT);
    let (customer, role) = read(&app, &caller, form, Association::Leave, &user_scope(&caller.0)).await?;
    if role.label_key.as_deref() != Some(key) {
        return Err(Error::NOT_ASSOCIATED);
    }
    app.people().disassociate(customer, role.id, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// PUT api/v1/users/disassociate_user: users of the role end the association; users of a partner only that of their own
/// label.
pub(in crate::http) async fn disassociate_user(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<StatusCode> {
    let scope = user_scope(&caller.0);
    let (customer, role) = read(&app, &caller, Form::of(&body), Association::Dismiss, &scope).await?;
    let own = own(&caller);
    if !may_give(&caller.0, &wanted(&role, own.unwrap_or_default())) {
        return Err(Error::FORBIDDEN);
    }
    app.people().disassociate(customer, role.id, own).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads the customer, a user without a role and without custody, and the role.
///
/// # Errors
/// 403 or 404 if the caller may not associate the user or does not see them, 422 with all invalid fields.
async fn read(
    app: &App,
    caller: &Caller,
    mut form: Form<'_>,
    step: Association,
    scope: &UserScope,
) -> Result<(i64, RoleRow)> {
    if !may_associate(caller.0.kind, step) {
        return Err(Error::FORBIDDEN);
    }
    let (email, role) = (form.required("user_email", user_fields::EMAIL), form.required("role", TEXT));
    let id = form.value("user_id");
    form.check()?;
    let customer = app.people().find_customer(scope, email, id).await?;
    Ok((customer, named(app, caller, role).await?))
}
