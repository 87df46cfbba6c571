use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use sea_query::SimpleExpr;
use serde::Serialize;

use crate::app::App;
use crate::domain::policy::users::{may_read_users, user_scope};
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::page::{Numbers, Page};
use crate::http::path::Path;
use crate::http::person;
use crate::http::query::Query;
use crate::store::user_list::{self, Listing, UserList};
use crate::store::{applications, user_columns};
use crate::wire::user::ProfileAnswer;

#[derive(Serialize)]
struct UserPage {
    #[serde(flatten)]
    numbers: Numbers,
    users: Vec<ProfileAnswer>,
}

/// GET oems/{oem}/users: all users in the caller's scope, or a page with `paginated=true`.
pub(in crate::http) async fn users(
    State(app): State<App>,
    caller: Caller,
    Path(oem): Path<String>,
    query: Query,
) -> Result<Response> {
    list(&app, &caller, &oem, &query, None).await
}

/// GET oems/{oem}/end_users: users without a role.
pub(in crate::http) async fn end_users(
    State(app): State<App>,
    caller: Caller,
    Path(oem): Path<String>,
    query: Query,
) -> Result<Response> {
    list(&app, &caller, &oem, &query, Some(user_list::is_end_user())).await
}

async fn list(app: &App, caller: &Caller, oem: &str, query: &Query, only: Option<SimpleExpr>) -> Result<Response> {
    let code = applications::oem_code(&app.db, caller.0.oem_id).await?;
    // The path names the manufacturer by its number or its code.
    if oem != code && oem.parse() != Ok(caller.0.oem_id) {
        return Err(Error::OEM_NOT_FOUND);
    }
    if !may_read_users(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    let (mut listing, page, scope) = (listing(query)?, Page::of(query)?, user_scope(&caller.0));
    listing.filters.extend(only);
    let Some(page) = page else { return person::all(app, caller, UserList { scope, listing }).await };
    let rows = user_list::list(&app.db, &scope, &listing, page.limit_and_offset()).await?;
    let users = person::answers(&app.people(), caller.0.oem_id, rows).await?;
    let total = user_list::count(&app.db, &scope, &listing, page.count_limit()).await?;
    Ok(Json(UserPage { numbers: page.numbers(total, users.len()), users }).into_response())
}

/// Ignores unknown filters (docs/wire.md#pages) and rejects unknown orders.
fn listing(query: &Query) -> Result<Listing> {
    let order_by = match query.get_filtered("order_by") {
        None => user_columns::key(),
        Some(name) => user_columns::find(name).ok_or_else(|| Error::invalid("order_by", "is no field of a user"))?,
    };
    let mut filters = Vec::new();
    for (name, value) in query.filters() {
        if let Some(column) = user_columns::find(name) {
            let text = |reason| Error::invalid("filter", format!("{name} {reason}"));
            filters.push(column.equals(value).map_err(text)?);
        }
    }
    Ok(Listing { filters, key_after: query.key_after()?, order_by, descending: query.descending()? })
}
