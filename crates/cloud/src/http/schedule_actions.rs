//! Device service: actions of schedules (docs/wire.md#schedules).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{Path, key};
use super::schedules;
use crate::app::App;
use crate::devices::schedules::ActionChange;
use crate::domain::policy;
use crate::domain::schedule::FirePoint;
use crate::store;
use crate::store::schedule_actions::{Action, ActionRow};
use crate::store::schedules::ScheduleRow;
use crate::wire::schedule::{ActionWrapper, DeletedWrapper};

/// Maximum lengths, in characters.
const NAME: usize = 255;
const SHORT: usize = 64;

/// GET apiv1/schedules/{id}/schedule_actions.
pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Vec<ActionWrapper>>> {
    let schedule = schedules::find(&app, &caller, &id, policy::Action::ReadDevice).await?;
    let rows = store::schedule_actions::of_schedules(&app.db, &[schedule.id]).await?;
    Ok(Json(rows.iter().map(ActionWrapper::from).collect()))
}

/// POST apiv1/schedules/{id}/schedule_actions.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<(StatusCode, Json<ActionWrapper>)> {
    let schedule = schedules::find(&app, &caller, &id, policy::Action::EditDevice).await?;
    let new = read(&app, &schedule, Form::under(&body, "schedule_action")?, None).await?;
    let row = app.schedules().create_action(&caller.0, schedule.id, new).await?;
    Ok((StatusCode::CREATED, Json((&row).into())))
}

/// GET apiv1/schedule_actions/{id}.
pub(super) async fn get(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Json<ActionWrapper>> {
    let (_, row) = find(&app, &caller, &id, policy::Action::ReadDevice).await?;
    Ok(Json((&row).into()))
}

/// PUT apiv1/schedule_actions/{id}: missing fields stay.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<ActionWrapper>> {
    let (schedule, row) = find(&app, &caller, &id, policy::Action::EditDevice).await?;
    let change = read(&app, &schedule, Form::under(&body, "schedule_action")?, Some(&row.action())).await?;
    let row = app.schedules().update_action(&caller.0, row.id, change).await?;
    Ok(Json((&row).into()))
}

/// DELETE apiv1/schedule_actions/{id}.
pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DeletedWrapper>> {
    let row = app.schedules().delete_action(&caller.0, key(&id, Error::SCHEDULE_ACTION_NOT_FOUND)?).await?;
    Ok(Json((&row).into()))
}

/// The action of a path and its schedule, if the caller may perform the action on the device.
async fn find(app: &App, caller: &Caller, id: &str, action: policy::Action) -> Result<(ScheduleRow, ActionRow)> {
    Ok(app.schedules().find_action(&caller.0, key(id, Error::SCHEDULE_ACTION_NOT_FOUND)?, action).await?)
}

/// Reads a new action, or a change of the action `before`. `base_type` is checked but has no effect: an action has the type of
/// its property.
///
/// # Errors
/// 422 with all invalid fields.
async fn read(app: &App, schedule: &ScheduleRow, mut form: Form<'_>, before: Option<&Action>) -> Result<ActionChange> {
    let is_new = before.is_none();
    let name = (is_new || form.has("name")).then(|| form.required("name", NAME).to_owned());
    if is_new || form.has("base_type") {
        form.required("base_type", SHORT);
    }
    let value = form.has("value").then(|| form.value("value").cloned().unwrap_or_default());
    let active = form.flag("active");
    let fire_points = FirePoint::ALL.map(|point| {
        let point = point.as_str();
        form.has(point).then(|| form.flag(point).unwrap_or_default())
    });
    let change = ActionChange { name, value, active, fire_points };
    let property = store::properties::by_name(&app.db, schedule.device_id, change.property_name(before)).await?;
    if let Err(faults) = change.apply(before, property.as_ref()) {
        faults.into_iter().for_each(|(field, text)| form.refuse(field, text));
    }
    form.check()?;
    Ok(change)
}
