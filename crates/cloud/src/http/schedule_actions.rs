//! Device service: actions of schedules (docs/wire.md#schedules).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::Value;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{Path, key};
use super::schedules::{self, hold_loose};
use crate::app::App;
use crate::domain::policy;
use crate::domain::schedule::FirePoint;
use crate::domain::value::{BaseType, Direction};
use crate::store;
use crate::store::properties::PropertyRow;
use crate::store::schedule_actions::{Action, ActionRow};
use crate::store::schedules::ScheduleRow;
use crate::wire::schedule::{ActionWrapper, DeletedWrapper};

/// The most actions of a schedule: a list carries all of them.
const MOST: i64 = 50;
/// Bounds of texts, in characters.
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
    let action = read(&app, &schedule, Form::under(&body, "schedule_action")?, None).await?;
    let mut tx = app.db.begin().await?;
    hold_loose(&mut tx, schedule.id).await?;
    if store::schedule_actions::count(&mut tx, schedule.id).await? >= MOST {
        return Err(Error::invalid("base", format!("has too many actions (max: {MOST})")));
    }
    let row = store::schedule_actions::insert(&mut tx, schedule.id, &action).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json((&row).into())))
}

/// GET apiv1/schedule_actions/{id}.
pub(super) async fn get(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Json<ActionWrapper>> {
    let (_, row) = find(&app, &caller, &id, policy::Action::ReadDevice).await?;
    Ok(Json((&row).into()))
}

/// PUT apiv1/schedule_actions/{id}: what is not named stays.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<ActionWrapper>> {
    let (schedule, row) = find(&app, &caller, &id, policy::Action::EditDevice).await?;
    let action = read(&app, &schedule, Form::under(&body, "schedule_action")?, Some(row.action())).await?;
    let mut tx = app.db.begin().await?;
    hold_loose(&mut tx, schedule.id).await?;
    let row = store::schedule_actions::update(&mut tx, row.id, &action).await?;
    tx.commit().await?;
    Ok(Json((&row.ok_or(Error::SCHEDULE_ACTION_NOT_FOUND)?).into()))
}

/// DELETE apiv1/schedule_actions/{id}.
pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DeletedWrapper>> {
    let (schedule, row) = find(&app, &caller, &id, policy::Action::EditDevice).await?;
    let mut tx = app.db.begin().await?;
    hold_loose(&mut tx, schedule.id).await?;
    let deleted = store::schedule_actions::delete(&mut tx, row.id).await?;
    tx.commit().await?;
    if deleted { Ok(Json((&row).into())) } else { Err(Error::SCHEDULE_ACTION_NOT_FOUND) }
}

async fn find(app: &App, caller: &Caller, id: &str, action: policy::Action) -> Result<(ScheduleRow, ActionRow)> {
    let id = key(id, Error::SCHEDULE_ACTION_NOT_FOUND)?;
    let row = store::schedule_actions::find(&app.db, id).await?.ok_or(Error::SCHEDULE_ACTION_NOT_FOUND)?;
    match schedules::find(app, caller, &row.schedule_id.to_string(), action).await {
        Ok(schedule) => Ok((schedule, row)),
        // Whoever may not know of the schedule does not learn that it has this action.
        Err(Error::Text(StatusCode::NOT_FOUND, _)) => Err(Error::SCHEDULE_ACTION_NOT_FOUND),
        Err(error) => Err(error),
    }
}

/// A new action, or one that is `known` with what is named. It has the type of its property, whatever is said.
///
/// # Errors
/// 422 with all that is wrong.
async fn read(app: &App, schedule: &ScheduleRow, mut form: Form<'_>, known: Option<Action>) -> Result<Action> {
    let name = match &known {
        Some(known) if !form.has("name") => known.name.clone(),
        _ => form.required("name", NAME).to_owned(),
    };
    if known.is_none() || form.has("base_type") {
        form.required("base_type", SHORT);
    }
    let property = store::properties::by_name(&app.db, schedule.device_id, &name).await?;
    let value = match (&property, &known) {
        (None, _) => {
            if !name.is_empty() {
                form.refuse("name", "is no property of the device");
            }
            Value::Null
        }
        (Some(property), Some(known)) if !form.has("value") => accepted(&mut form, property, &known.value),
        (Some(property), _) => {
            let value = form.value("value").unwrap_or(&Value::Null);
            accepted(&mut form, property, value)
        }
    };
    let active = form.flag("active").unwrap_or(known.as_ref().is_none_or(|known| known.active));
    let fire_point = fire_point(&mut form, known.as_ref().and_then(|known| known.fire_point));
    form.check()?;
    let base_type = property.map_or(BaseType::String, |property| property.base_type());
    Ok(Action { name, base_type, value, active, fire_point })
}

fn accepted(form: &mut Form<'_>, property: &PropertyRow, value: &Value) -> Value {
    if property.direction() == Direction::Output {
        form.refuse("name", "is a property that only the device itself writes");
    }
    property.base_type().accept(value, &property.limits()).unwrap_or_else(|reason| {
        form.refuse("value", reason);
        Value::Null
    })
}

/// One of three, or none.
fn fire_point(form: &mut Form<'_>, known: Option<FirePoint>) -> Option<FirePoint> {
    let mut set = Vec::new();
    for point in FirePoint::ALL {
        let is_set =
            if form.has(point.as_str()) { form.flag(point.as_str()).unwrap_or_default() } else { known == Some(point) };
        set.extend(is_set.then_some(point));
    }
    if set.len() > 1 {
        form.refuse("base", "An action has one of at_start, at_end and in_range");
    }
    set.first().copied()
}
