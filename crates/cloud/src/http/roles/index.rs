use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use sea_query::SimpleExpr;

use crate::app::App;
use crate::domain::policy::users::{may_index_oem, may_read_users, user_scope};
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::person;
use crate::http::query::Query;
use crate::people::Person;
use crate::store::user_list::{self, Listing, UserList, UserRef};
use crate::store::{associations, roles, user_columns};
use crate::wire::role_user::RoleUser;

/// GET api/v1/users/role_users: the roles of a user, and the roles with which the user is associated.
pub(in crate::http) async fn role_users(
    State(app): State<App>,
    caller: Caller,
    query: Query,
) -> Result<Json<Vec<RoleUser>>> {
    let email = query.get("user_email").ok_or_else(|| Error::invalid("user_email", "can't be blank"))?;
    let Person { row, grants, .. } = app.people().find(&caller.0, UserRef::Email(email)).await?;
    let associations = associations::of_user(&app.db, row.id).await?;
    Ok(Json(grants.into_iter().map(RoleUser::from).chain(associations.into_iter().map(RoleUser::from)).collect()))
}

/// GET api/v1/users/index_by_role: the users with a role.
pub(in crate::http) async fn index_by_role(State(app): State<App>, caller: Caller, query: Query) -> Result<Response> {
    by(&app, &caller, &query, user_list::has_role).await
}

/// GET api/v1/users/index_by_label: the customers who are associated with a role.
pub(in crate::http) async fn index_by_label(State(app): State<App>, caller: Caller, query: Query) -> Result<Response> {
    by(&app, &caller, &query, user_list::is_customer).await
}

/// GET api/v1/users/index_by_oem: all users of the manufacturer.
pub(in crate::http) async fn index_by_oem(State(app): State<App>, caller: Caller) -> Result<Response> {
    if !may_index_oem(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    users(&app, &caller, vec![]).await
}

/// The users in the caller's scope that meet `condition` for the role and, if given, for the key and value of its
/// label.
async fn by(
    app: &App,
    caller: &Caller,
    query: &Query,
    condition: fn(i64, Option<&str>) -> SimpleExpr,
) -> Result<Response> {
    if !may_read_users(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    let role = query.get("role").ok_or_else(|| Error::invalid("role", "can't be blank"))?;
    let key = query.get("key");
    let role = roles::find(&app.db, caller.0.oem_id, role).await?;
    // A role has labels of one key only.
    match role.filter(|role| key.is_none() || role.label_key.as_deref() == key) {
        None => Ok(Json([(); 0]).into_response()),
        Some(role) => users(app, caller, vec![condition(role.id, query.get("value"))]).await,
    }
}

async fn users(app: &App, caller: &Caller, filters: Vec<SimpleExpr>) -> Result<Response> {
    let listing = Listing { filters, key_after: None, order_by: user_columns::key(), descending: false };
    person::all(app, caller, UserList { scope: user_scope(&caller.0), listing }).await
}
