//! User service: the caller's own key/value data.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::body::Body;
use super::data::{KEY, VALUE, count_size};
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::Path;
use super::query::{Query, is_named};
use crate::app::App;
use crate::store;
use crate::store::data::Owner;
use crate::wire::datum::DatumWrapper;

/// GET api/v1/users/data: all data, or those with the keys in `keys`.
pub(super) async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    query: Query,
) -> Result<Json<Vec<DatumWrapper>>> {
    let keys = query.all("keys");
    let data = store::data::all(&app.db, Owner::User(caller.user_id)).await?;
    let data = data.into_iter().filter(|row| keys.is_empty() || is_named(&keys, &row.key));
    Ok(Json(data.map(DatumWrapper::of_user).collect()))
}

/// POST api/v1/users/data.
pub(super) async fn create(
    State(app): State<App>,
    Caller(caller): Caller,
    Body(body): Body,
) -> Result<(StatusCode, Json<DatumWrapper>)> {
    let mut form = Form::under(&body, "datum")?;
    let (key, value) = (form.required("key", KEY), form.any_text("value", VALUE));
    form.check()?;
    count_size(&app, &caller, value)?;
    let row = app.data().create(Owner::User(caller.user_id), key, value).await?;
    Ok((StatusCode::CREATED, Json(DatumWrapper::of_user(row))))
}

/// GET api/v1/users/data/{key}.
pub(super) async fn get(
    State(app): State<App>,
    Caller(caller): Caller,
    Path(key): Path<String>,
) -> Result<Json<DatumWrapper>> {
    let row = store::data::find(&app.db, Owner::User(caller.user_id), &key).await?;
    Ok(Json(DatumWrapper::of_user(row.ok_or(Error::DATUM_NOT_FOUND)?)))
}

/// PUT api/v1/users/data/{key}.
pub(super) async fn update(
    State(app): State<App>,
    Caller(caller): Caller,
    Path(key): Path<String>,
    Body(body): Body,
) -> Result<Json<DatumWrapper>> {
    let mut form = Form::under(&body, "datum")?;
    let value = form.any_text("value", VALUE);
    form.check()?;
    count_size(&app, &caller, value)?;
    let row = app.data().update(Owner::User(caller.user_id), &key, value).await?;
    Ok(Json(DatumWrapper::of_user(row)))
}

/// DELETE api/v1/users/data/{key}.
pub(super) async fn delete(
    State(app): State<App>,
    Caller(caller): Caller,
    Path(key): Path<String>,
) -> Result<StatusCode> {
    app.data().delete(Owner::User(caller.user_id), &key).await?;
    Ok(StatusCode::NO_CONTENT)
}
