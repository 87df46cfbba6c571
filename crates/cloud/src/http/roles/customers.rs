//! Customers come to the people of a role and label, and leave them. It lets those people read the customer's record;
//! the devices of a customer are shared by the customer, or labelled by the manufacturer.

use axum::extract::State;
use axum::http::StatusCode;
use serde_json::Value;

use super::{Pair, TEXT, named, own, wanted};
use crate::app::App;
use crate::domain::policy::users::{
    Association, UserScope, customer_scope, may_associate, may_associate_with, may_give, user_scope,
};
use crate::domain::role::RoleKind;
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::user_fields;
use crate::store::roles::RoleRow;
use crate::store::user_list::{self, UserRef};
use crate::store::{associations, custody, role_users};

/// PUT api/v1/users/associate_role_user.
pub(in crate::http) async fn associate(State(app): State<App>, caller: Caller, Body(body): Body) -> Result<StatusCode> {
    let mut form = Form::of(&body);
    let label = Pair::required(&mut form);
    let (customer, role) = read(&app, &caller, form, Association::Begin, &customer_scope(&caller.0)).await?;
    let value = label.of(&role)?;
    if !may_associate_with(&caller.0, &wanted(&role, value)) {
        return Err(Error::FORBIDDEN);
    }
    if !role_users::exists(&app.db, role.id, value).await? {
        return Err(Error::ROLE_USER_NOT_FOUND);
    }
    let mut tx = app.db.begin().await?;
    associations::insert(&mut tx, customer, role.id, value).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// PUT api/v1/users/disassociate_role_user: the customer leaves all people of the role.
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
    end(&app, customer, &role, None).await
}

/// PUT api/v1/users/disassociate_user: the people of the role dismiss the customer; a partner's only for themselves.
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
    end(&app, customer, &role, own).await
}

/// The customer, who has no role but that of an end user and is in no partner's custody, and the role.
///
/// # Errors
/// 403, 404 or 422, if the caller may not, does not know the user, or the request is wrong.
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
    let customer = user_list::find(&app.db, scope, UserRef::Email(email)).await?.ok_or(Error::USER_NOT_FOUND)?;
    let grants = role_users::grants(&app.db, &[customer.id]).await?;
    let is_customer = grants.values().flatten().all(|grant| grant.kind == RoleKind::EndUser)
        && custody::of(&app.db, &[customer.id]).await?.is_empty();
    // Both have to name one user, if both are there.
    let is_meant = match id {
        None => true,
        Some(Value::String(id)) => *id == customer.uuid || id.parse() == Ok(customer.id),
        Some(id) => id.as_i64() == Some(customer.id),
    };
    if !is_customer || !is_meant {
        return Err(Error::USER_NOT_FOUND);
    }
    Ok((customer.id, named(app, caller, role).await?))
}

async fn end(app: &App, customer: i64, role: &RoleRow, label: Option<&str>) -> Result<StatusCode> {
    let mut tx = app.db.begin().await?;
    if !associations::delete(&mut tx, customer, role.id, label).await? {
        return Err(Error::NOT_ASSOCIATED);
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
