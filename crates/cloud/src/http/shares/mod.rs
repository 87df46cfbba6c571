//! User service: shares of devices (docs/wire.md#sharing).

mod entries;
mod input;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{Path, key};
use super::query::Query;
use crate::app::App;
use crate::devices::access::AccessError;
use crate::people::sharing::ShareError;
use crate::store;
use crate::wire::share::ShareWrapper;

/// GET api/v1/users/shares: the shares that the caller gave, or with `?resource_name=device&resource_id=DSN` those of a device.
pub(super) async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    query: Query,
) -> Result<Json<Vec<ShareWrapper>>> {
    let rows = if query.get("resource_name").or(query.get("resource_id")).is_some() {
        app.sharing().of_device(&caller, dsn(&query)?).await?
    } else {
        store::shares::given(&app.db, caller.user_id, app.clock.now()).await?
    };
    Ok(Json(rows.into_iter().map(ShareWrapper::from).collect()))
}

/// GET api/v1/users/shares/received.
pub(super) async fn received(State(app): State<App>, Caller(caller): Caller) -> Result<Json<Vec<ShareWrapper>>> {
    let rows = store::shares::received(&app.db, caller.user_id, app.clock.now()).await?;
    Ok(Json(rows.into_iter().map(ShareWrapper::from).collect()))
}

/// GET api/v1/users/shares/{id}.
pub(super) async fn get(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Json<ShareWrapper>> {
    let share = app.sharing().find(&caller.0, key(&id, Error::SHARE_NOT_FOUND)?).await?;
    Ok(Json(share.into()))
}

/// POST api/v1/users/shares: one share, or all or none of several under `shares`. No mail is sent, so
/// `email_template_id` has no effect.
pub(super) async fn create(State(app): State<App>, caller: Caller, Body(body): Body) -> Result<Response> {
    if let Some(entries) = entries::entries(&body)? {
        let shares = entries::read_all(&app, &caller, &entries).await?;
        let rows = app.sharing().create(&caller.0, &shares).await?;
        let shares: Vec<_> = rows.into_iter().map(ShareWrapper::from).collect();
        return Ok((StatusCode::CREATED, Json(shares)).into_response());
    }
    let share = entries::read(&app, &caller, Form::under(&body, "share")?).await?;
    let rows = app.sharing().create(&caller.0, &[share]).await?;
    let share = rows.into_iter().next().map(ShareWrapper::from).ok_or(Error::SHARE_NOT_FOUND)?;
    Ok((StatusCode::CREATED, Json(share)).into_response())
}

/// PUT api/v1/users/shares/{id}: missing fields stay; device and recipient are fixed.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<ShareWrapper>> {
    let share = app.sharing().find_to_change(&caller.0, key(&id, Error::SHARE_NOT_FOUND)?).await?;
    let change = input::read_change(Form::under(&body, "share")?, &share, app.clock.now())?;
    let share = app.sharing().update(&caller.0, share.id, change).await?;
    Ok(Json(share.into()))
}

/// DELETE api/v1/users/shares/{id}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode> {
    app.sharing().delete(&caller.0, key(&id, Error::SHARE_NOT_FOUND)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// DELETE api/v1/users/shares?resource_name=device&resource_id=DSN[&user_id=]: all shares of a device, or those of one recipient.
pub(super) async fn delete_of_device(State(app): State<App>, caller: Caller, query: Query) -> Result<StatusCode> {
    let (dsn, user_id) = (dsn(&query)?, query.number("user_id")?);
    app.sharing().delete_of_device(&caller.0, dsn, user_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The device that a query names.
fn dsn(query: &Query) -> Result<&str> {
    let blank = |field| Error::invalid(field, "can't be blank");
    if query.get("resource_name").ok_or_else(|| blank("resource_name"))? != input::DEVICE {
        return Err(Error::invalid("resource_name", "is not device"));
    }
    query.get("resource_id").ok_or_else(|| blank("resource_id"))
}

impl From<ShareError> for Error {
    fn from(error: ShareError) -> Self {
        match error {
            ShareError::NotFound => Self::SHARE_NOT_FOUND,
            ShareError::Forbidden => Self::FORBIDDEN,
            ShareError::AlreadyShared => {
                Self::Text(StatusCode::NOT_FOUND, "The device is already shared with this user")
            }
            ShareError::RecipientNotFound => Self::invalid("user_email", "not found"),
            ShareError::RecipientHasDevice => Self::invalid("user_email", "has the device already"),
            ShareError::RecipientHasRole => {
                Self::invalid("user_email", "has a role, which determines the visible devices")
            }
            ShareError::RoleNotFound => Self::invalid("role_name", "not found"),
            ShareError::TooManyOfDevice { max } => {
                Self::invalid("resource_id", format!("is shared too often (max: {max})"))
            }
            ShareError::TooManyGiven { max } => Self::invalid("base", format!("has too many shares (max: {max})")),
            ShareError::Period(error) => Self::invalid("end_date_at", error.to_string()),
            ShareError::Access(AccessError::Unregistered) => Self::invalid("resource_id", "is not registered"),
            ShareError::Access(error) => error.into(),
            ShareError::Database(error) => error.into(),
        }
    }
}
