//! Device service: triggers, which notify people about values of a property (docs/wire.md#notifications). A user
//! who sees a device sees all of its triggers; a user who may edit the device may change them.

mod apps;
mod input;

pub(super) use apps::{create as create_app, delete as delete_app, list as apps, update as update_app};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::merge::merged;
use super::path::{Path, key};
use super::properties::PropertyRef;
use crate::app::App;
use crate::devices::triggers::TriggerError;
use crate::domain::policy::Action;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::triggers::TriggerRow;
use crate::wire::trigger::TriggerWrapper;
use input::read_trigger;

/// GET apiv1/properties/{key}/triggers, and the same with `/all`: all users who see the device see its triggers.
pub(super) async fn list_by_property(
    State(app): State<App>,
    caller: Caller,
    Path(property): Path<String>,
) -> Result<Json<Vec<TriggerWrapper>>> {
    list(&app, &caller, PropertyRef::of_key(&property)?).await
}

/// GET apiv1/dsns/{dsn}/properties/{name}/triggers, and the same with `/all`.
pub(super) async fn list_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name)): Path<(String, String)>,
) -> Result<Json<Vec<TriggerWrapper>>> {
    list(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name)).await
}

/// POST apiv1/properties/{key}/triggers.
pub(super) async fn create_by_property(
    State(app): State<App>,
    caller: Caller,
    Path(property): Path<String>,
    Body(body): Body,
) -> Result<(StatusCode, Json<TriggerWrapper>)> {
    create(&app, &caller, PropertyRef::of_key(&property)?, &body).await
}

/// POST apiv1/dsns/{dsn}/properties/{name}/triggers.
pub(super) async fn create_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name)): Path<(String, String)>,
    Body(body): Body,
) -> Result<(StatusCode, Json<TriggerWrapper>)> {
    create(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name), &body).await
}

/// PUT apiv1/triggers/{key}: missing fields stay. Its apps are changed by their own calls, so `trigger_apps` has no effect.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<TriggerWrapper>> {
    let change = |row: &TriggerRow| -> Result<_> {
        let mut members = merged(TriggerWrapper::new(row.clone(), &[]), &body, "trigger")?;
        members.remove("trigger_apps");
        read_trigger(Form::of(&members), row.base_type())
    };
    let row = app.triggers().update(&caller.0, key(&id, Error::TRIGGER_NOT_FOUND)?, change).await?;
    let apps = store::trigger_apps::of_triggers(&app.db, &[row.id]).await?;
    Ok(Json(TriggerWrapper::new(row, &apps)))
}

/// DELETE apiv1/triggers/{key}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode> {
    app.triggers().delete(&caller.0, key(&id, Error::TRIGGER_NOT_FOUND)?).await?;
    Ok(StatusCode::OK)
}

async fn list(app: &App, caller: &Caller, property: PropertyRef<'_>) -> Result<Json<Vec<TriggerWrapper>>> {
    let (_, property) = property.find(app, caller, Action::ReadDevice).await?;
    let rows = store::triggers::of_property(&app.db, property.id).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let apps = store::trigger_apps::of_triggers(&app.db, &ids).await?;
    Ok(Json(rows.into_iter().map(|row| TriggerWrapper::new(row, &apps)).collect()))
}

async fn create(
    app: &App,
    caller: &Caller,
    property: PropertyRef<'_>,
    body: &Map<String, Value>,
) -> Result<(StatusCode, Json<TriggerWrapper>)> {
    let (_, property) = property.find(app, caller, Action::EditDevice).await?;
    let input = read_trigger(Form::under_or_bare(body, "trigger")?, property.base_type())?;
    let row = app.triggers().create(&caller.0, &property, input).await?;
    let apps = store::trigger_apps::of_triggers(&app.db, &[row.id]).await?;
    Ok((StatusCode::CREATED, Json(TriggerWrapper::new(row, &apps))))
}

/// The trigger of a path, if the caller may perform the action on its device.
async fn find(app: &App, caller: &Caller, id: &str, action: Action) -> Result<TriggerRow> {
    Ok(app.triggers().find(&caller.0, key(id, Error::TRIGGER_NOT_FOUND)?, action).await?)
}

impl From<TriggerError> for Error {
    fn from(error: TriggerError) -> Self {
        match error {
            TriggerError::NotFound => Self::TRIGGER_NOT_FOUND,
            TriggerError::AppNotFound => Self::TRIGGER_APP_NOT_FOUND,
            TriggerError::TooMany { max } => Self::invalid("base", format!("has too many triggers (max: {max})")),
            TriggerError::TooManyApps { max } => Self::invalid("base", format!("has too many apps (max: {max})")),
            TriggerError::Access(error) => error.into(),
            TriggerError::Database(error) => error.into(),
        }
    }
}
