//! Device service: schedules (docs/wire.md#schedules). A device gets them from its template; to make and delete them is what
//! an older interface could do.

mod form;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use platform::db::Tx;
use serde_json::{Value, json};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{OfDevice, Path, key};
use super::query::Query;
use crate::app::App;
use crate::domain::policy::Action;
use crate::domain::time_zone;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::schedules::ScheduleRow;
use crate::wire::schedule::ScheduleWrapper;

/// The most schedules of a device: a list carries all of them.
const MOST: i64 = 50;

/// GET apiv1/devices/{key}/schedules, apiv1/dsns/{dsn}/schedules.
pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
) -> Result<Json<Vec<ScheduleWrapper>>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    told(&app, &store::schedules::of_device(&app.db, device.id).await?).await.map(Json)
}

/// GET apiv1/schedules/all/by_user: those of all devices that the caller owns.
pub(super) async fn list_own(State(app): State<App>, Caller(caller): Caller) -> Result<Json<Vec<ScheduleWrapper>>> {
    told(&app, &store::schedules::of_owner(&app.db, caller.user_id).await?).await.map(Json)
}

/// GET apiv1/devices/{key}/schedules/find_by_name?name=.
pub(super) async fn find_by_name(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    query: Query,
) -> Result<Json<ScheduleWrapper>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    let name = query.get("name").ok_or_else(|| Error::invalid("name", "can't be blank"))?;
    let row = store::schedules::by_name(&app.db, device.id, name).await?.ok_or(Error::SCHEDULE_NOT_FOUND)?;
    one(&app, &row).await
}

/// GET apiv1/schedules/{id}.
pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ScheduleWrapper>> {
    one(&app, &find(&app, &caller, &id, Action::ReadDevice).await?).await
}

/// POST apiv1/devices/{key}/schedules.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<(StatusCode, Json<ScheduleWrapper>)> {
    let device = caller.device(&app, device.reference(), Action::EditDevice).await?;
    let schedule = form::read(Form::under(&body, "schedule")?, None)?;
    let zone = time_zone::of(device.tz_id.as_deref());
    let mut tx = app.db.begin().await?;
    store::device_edits::lock_rows(&mut tx, caller.0.oem_id, device.id).await?.ok_or(Error::DEVICE_NOT_FOUND)?;
    if store::schedules::count(&mut tx, device.id).await? >= MOST {
        return Err(Error::invalid("base", format!("has too many schedules (max: {MOST})")));
    }
    let id = store::schedules::insert(&mut tx, device.id, &schedule, &zone, app.clock.now()).await?;
    let id = id.ok_or_else(|| Error::invalid("name", form::TAKEN))?;
    tx.commit().await?;
    let row = store::schedules::find(&app.db, id).await?.ok_or(Error::SCHEDULE_NOT_FOUND)?;
    Ok((StatusCode::CREATED, one(&app, &row).await?))
}

/// PUT apiv1/devices/{key}/schedules/{id}: what is not named stays.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Path((_, id)): Path<(String, String)>,
    Body(body): Body,
) -> Result<Json<ScheduleWrapper>> {
    let device = caller.device(&app, device.reference(), Action::EditDevice).await?;
    let row = find(&app, &caller, &id, Action::EditDevice).await?;
    if row.device_id != device.id {
        return Err(Error::SCHEDULE_NOT_FOUND);
    }
    let form = Form::under(&body, "schedule")?;
    let mut tx = app.db.begin().await?;
    let row = store::schedules::find_locked(&mut tx, row.id).await?.ok_or(Error::SCHEDULE_NOT_FOUND)?;
    let schedule = form::read(form, Some(row.schedule()))?;
    let updated = store::schedules::update(&mut tx, row.id, &schedule, &row.zone(), app.clock.now()).await;
    updated.map_err(
        |error| if error.is_unique_violation() { Error::invalid("name", form::TAKEN) } else { error.into() },
    )?;
    tx.commit().await?;
    let row = store::schedules::find(&app.db, row.id).await?.ok_or(Error::SCHEDULE_NOT_FOUND)?;
    one(&app, &row).await
}

/// PUT apiv1/schedules/{id}/clear: it rests, and its actions are gone.
pub(super) async fn clear(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ScheduleWrapper>> {
    let row = find(&app, &caller, &id, Action::EditDevice).await?;
    let mut tx = app.db.begin().await?;
    hold_loose(&mut tx, row.id).await?;
    store::schedules::clear(&mut tx, row.id).await?;
    tx.commit().await?;
    let row = store::schedules::find(&app.db, row.id).await?.ok_or(Error::SCHEDULE_NOT_FOUND)?;
    one(&app, &row).await
}

/// DELETE apiv1/schedules/{id}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Json<Value>> {
    let row = find(&app, &caller, &id, Action::EditDevice).await?;
    let deleted = store::schedules::delete(&app.db, row.id).await?;
    if deleted { Ok(Json(json!({}))) } else { Err(Error::SCHEDULE_NOT_FOUND) }
}

/// Holds a schedule whose actions may change, until the end of the transaction.
///
/// # Errors
/// 404 when it is gone; 422 when its actions stay as they are.
pub(super) async fn hold_loose(tx: &mut Tx, id: i64) -> Result<()> {
    let row = store::schedules::find_locked(tx, id).await?.ok_or(Error::SCHEDULE_NOT_FOUND)?;
    if row.fixed_actions { Err(Error::invalid("base", "The actions of this schedule are fixed")) } else { Ok(()) }
}

/// The schedule with which the caller wants to do this.
///
/// # Errors
/// 404 when the caller may not know of it, then 403.
pub(super) async fn find(app: &App, caller: &Caller, id: &str, action: Action) -> Result<ScheduleRow> {
    let id = key(id, Error::SCHEDULE_NOT_FOUND)?;
    let row = store::schedules::find(&app.db, id).await?.ok_or(Error::SCHEDULE_NOT_FOUND)?;
    let device = store::devices::find(&app.db, &caller.scope(app), DeviceRef::Key(row.device_id)).await?;
    let device = device.ok_or(Error::SCHEDULE_NOT_FOUND)?;
    if caller.may(&device, action) { Ok(row) } else { Err(Error::FORBIDDEN) }
}

async fn told(app: &App, rows: &[ScheduleRow]) -> Result<Vec<ScheduleWrapper>> {
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let actions = store::schedule_actions::of_schedules(&app.db, &ids).await?;
    Ok(rows.iter().map(|row| ScheduleWrapper::new(row, &actions)).collect())
}

async fn one(app: &App, row: &ScheduleRow) -> Result<Json<ScheduleWrapper>> {
    let actions = store::schedule_actions::of_schedules(&app.db, &[row.id]).await?;
    Ok(Json(ScheduleWrapper::new(row, &actions)))
}
