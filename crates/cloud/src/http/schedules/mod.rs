//! Device service: schedules (docs/wire.md#schedules). Devices receive them from their template; creating and
//! deleting them is deprecated.

mod input;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{OfDevice, Path, key};
use super::query::Query;
use crate::app::App;
use crate::devices::schedules::ScheduleError;
use crate::domain::policy::Action;
use crate::store;
use crate::store::schedules::ScheduleRow;
use crate::wire::schedule::ScheduleWrapper;

/// GET apiv1/devices/{key}/schedules, apiv1/dsns/{dsn}/schedules.
pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
) -> Result<Json<Vec<ScheduleWrapper>>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    wrapped(&app, &store::schedules::of_device(&app.db, device.id).await?).await.map(Json)
}

/// GET apiv1/schedules/all/by_user: the schedules of all devices that the caller owns.
pub(super) async fn list_own(State(app): State<App>, Caller(caller): Caller) -> Result<Json<Vec<ScheduleWrapper>>> {
    wrapped(&app, &store::schedules::of_owner(&app.db, caller.user_id).await?).await.map(Json)
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
    let schedule = input::read_new(Form::under(&body, "schedule")?)?;
    let row = app.schedules().create(&caller.0, device.id, &schedule).await?;
    Ok((StatusCode::CREATED, one(&app, &row).await?))
}

/// PUT apiv1/devices/{key}/schedules/{id}: missing fields stay.
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
    let change = input::read_change(Form::under(&body, "schedule")?, row.schedule())?;
    let row = app.schedules().update(&caller.0, row.id, change).await?;
    one(&app, &row).await
}

/// PUT apiv1/schedules/{id}/clear: deactivates the schedule and deletes its actions.
pub(super) async fn clear(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ScheduleWrapper>> {
    let row = app.schedules().clear(&caller.0, key(&id, Error::SCHEDULE_NOT_FOUND)?).await?;
    one(&app, &row).await
}

/// DELETE apiv1/schedules/{id}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Json<Value>> {
    app.schedules().delete(&caller.0, key(&id, Error::SCHEDULE_NOT_FOUND)?).await?;
    Ok(Json(json!({})))
}

/// The schedule of a path, if the caller may perform the action on its device.
pub(super) async fn find(app: &App, caller: &Caller, id: &str, action: Action) -> Result<ScheduleRow> {
    Ok(app.schedules().find(&caller.0, key(id, Error::SCHEDULE_NOT_FOUND)?, action).await?)
}

async fn wrapped(app: &App, rows: &[ScheduleRow]) -> Result<Vec<ScheduleWrapper>> {
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let actions = store::schedule_actions::of_schedules(&app.db, &ids).await?;
    Ok(rows.iter().map(|row| ScheduleWrapper::new(row, &actions)).collect())
}

async fn one(app: &App, row: &ScheduleRow) -> Result<Json<ScheduleWrapper>> {
    let actions = store::schedule_actions::of_schedules(&app.db, &[row.id]).await?;
    Ok(Json(ScheduleWrapper::new(row, &actions)))
}

impl From<ScheduleError> for Error {
    fn from(error: ScheduleError) -> Self {
        let base = |text: String| Self::invalid("base", text);
        match error {
            ScheduleError::NotFound => Self::SCHEDULE_NOT_FOUND,
            ScheduleError::ActionNotFound => Self::SCHEDULE_ACTION_NOT_FOUND,
            ScheduleError::NameTaken => Self::invalid("name", "has already been taken"),
            ScheduleError::FixedActions => base("The actions of this schedule are fixed".to_owned()),
            ScheduleError::TooMany { max } => base(format!("has too many schedules (max: {max})")),
            ScheduleError::TooManyActions { max } => base(format!("has too many actions (max: {max})")),
            ScheduleError::Invalid(faults) => Self::invalid_fields(faults),
            ScheduleError::Access(error) => error.into(),
            ScheduleError::Database(error) => error.into(),
        }
    }
}
