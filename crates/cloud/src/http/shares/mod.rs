//! User service: shares of devices (docs/wire.md#sharing). Whoever may change a device may share it, and
//! change or end what is shared of it; a recipient may give a share back.

mod give;
mod wish;

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
use crate::domain::policy::Action;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::shares::ShareRow;
use crate::wire::share::ShareWrapper;

/// GET api/v1/users/shares: those that the caller gave.
pub(super) async fn list(State(app): State<App>, Caller(caller): Caller) -> Result<Json<Vec<ShareWrapper>>> {
    let rows = store::shares::given(&app.db, caller.user_id, app.clock.now()).await?;
    Ok(Json(rows.into_iter().map(ShareWrapper::from).collect()))
}

/// GET api/v1/users/shares/received.
pub(super) async fn received(State(app): State<App>, Caller(caller): Caller) -> Result<Json<Vec<ShareWrapper>>> {
    let rows = store::shares::received(&app.db, caller.user_id, app.clock.now()).await?;
    Ok(Json(rows.into_iter().map(ShareWrapper::from).collect()))
}

/// GET api/v1/users/shares/{id}.
pub(super) async fn get(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Json<ShareWrapper>> {
    Ok(Json(Known::find(&app, &caller, &id).await?.share.into()))
}

/// POST api/v1/users/shares: one, or with `shares` several, of which all are made or none. Nobody is written to, so an
/// `email_template_id` changes nothing.
pub(super) async fn create(State(app): State<App>, caller: Caller, Body(body): Body) -> Result<Response> {
    let now = app.clock.now();
    if let Some(entries) = give::several(&body)? {
        let shares = give::accept_all(&app, &caller, &entries, now).await?;
        let rows = give::make(&app, &caller, &shares, now).await?;
        let told: Vec<_> = rows.into_iter().map(ShareWrapper::from).collect();
        return Ok((StatusCode::CREATED, Json(told)).into_response());
    }
    let share = give::accept(&app, &caller, Form::under(&body, "share")?, now).await?;
    let rows = give::make(&app, &caller, &[share], now).await?;
    let told = rows.into_iter().next().map(ShareWrapper::from).ok_or(Error::SHARE_NOT_FOUND)?;
    Ok((StatusCode::CREATED, Json(told)).into_response())
}

/// PUT api/v1/users/shares/{id}: what is not named stays; device and recipient cannot be others.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<ShareWrapper>> {
    let known = Known::find(&app, &caller, &id).await?;
    if !known.may_change {
        return Err(Error::FORBIDDEN);
    }
    let (share, now) = (known.share, app.clock.now());
    let (right, period) = wish::change(Form::under(&body, "share")?, &share, now)?;
    let right = match right {
        Some(right) => Some(right.resolve(&app.db, caller.0.oem_id).await?),
        None => None,
    };
    store::shares::update(&app.db, share.id, right, period, now).await?;
    let share = store::shares::find(&app.db, share.id, now).await?;
    Ok(Json(share.ok_or(Error::SHARE_NOT_FOUND)?.into()))
}

/// DELETE api/v1/users/shares/{id}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode> {
    let known = Known::find(&app, &caller, &id).await?;
    if !known.may_change && !known.is_party {
        return Err(Error::FORBIDDEN);
    }
    let deleted = store::shares::delete(&app.db, known.share.id).await?;
    if deleted { Ok(StatusCode::NO_CONTENT) } else { Err(Error::SHARE_NOT_FOUND) }
}

/// DELETE api/v1/users/shares?resource_name=device&resource_id=DSN[&user_id=]: all of a device, or those of one recipient.
pub(super) async fn delete_of_device(State(app): State<App>, caller: Caller, query: Query) -> Result<StatusCode> {
    let blank = |field| Error::invalid(field, "can't be blank");
    if query.get("resource_name").ok_or_else(|| blank("resource_name"))? != wish::DEVICE {
        return Err(Error::invalid("resource_name", "is not device"));
    }
    let dsn = query.get("resource_id").ok_or_else(|| blank("resource_id"))?;
    let user_id = query.number("user_id")?;
    let device = caller.device(&app, DeviceRef::Dsn(dsn), Action::ShareDevice).await?;
    let deleted = store::shares::delete_of_device(&app.db, device.id, user_id).await?;
    if deleted > 0 { Ok(StatusCode::NO_CONTENT) } else { Err(Error::SHARE_NOT_FOUND) }
}

/// A share that the caller may know of.
struct Known {
    share: ShareRow,
    /// Whether the caller gave or received it.
    is_party: bool,
    may_change: bool,
}

impl Known {
    /// # Errors
    /// 404 when it is not there, or neither concerns the caller nor is of a device that the caller has.
    async fn find(app: &App, caller: &Caller, id: &str) -> Result<Self> {
        let id = key(id, Error::SHARE_NOT_FOUND)?;
        let share = store::shares::find(&app.db, id, app.clock.now()).await?.ok_or(Error::SHARE_NOT_FOUND)?;
        let device = store::devices::find(&app.db, &caller.scope(app), DeviceRef::Key(share.device_id)).await?;
        // Of other people's shares, a recipient knows nothing.
        let device = device.filter(|device| device.shared().is_none());
        let is_party = [share.owner_id, share.user_id].contains(&caller.0.user_id);
        if device.is_none() && !is_party {
            return Err(Error::SHARE_NOT_FOUND);
        }
        let may_change = device.is_some_and(|device| caller.may(&device, Action::ShareDevice));
        Ok(Self { share, is_party, may_change })
    }
}
