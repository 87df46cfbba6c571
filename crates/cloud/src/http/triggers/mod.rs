//! Device service: triggers, which notify people about values of a property (docs/wire.md#notifications). Whoever sees the
//! device sees all of it; whoever may change the device may change it.

mod apps;
mod wish;

pub(super) use apps::{create as create_app, delete as delete_app, list as apps};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{Path, key};
use super::properties::PropertyRef;
use crate::app::App;
use crate::domain::policy::Action;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::triggers::{NewTrigger, TriggerRow};
use crate::wire::trigger::TriggerWrapper;
use wish::Wish;

/// The most triggers of a property: each of its values is compared with all of them.
const MOST: i64 = 20;

/// GET apiv1/properties/{key}/triggers, and the same with `/all`: a trigger is everybody's who sees the device.
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

/// DELETE apiv1/triggers/{key}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode> {
    let trigger = find(&app, &caller, key(&id, Error::TRIGGER_NOT_FOUND)?, Action::EditDevice).await?;
    let deleted = store::triggers::delete(&app.db, trigger.id).await?;
    if deleted { Ok(StatusCode::OK) } else { Err(Error::TRIGGER_NOT_FOUND) }
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
    let (device, property) = property.find(app, caller, Action::EditDevice).await?;
    let wish = Wish::read(Form::under_or_bare(body, "trigger")?, property.base_type())?;
    let new = NewTrigger {
        property_id: property.id,
        user_id: caller.0.user_id,
        trigger_type: wish.trigger_type,
        compare_type: wish.compare_type,
        value: wish.value.as_deref(),
        active: wish.active,
    };
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // Held, so that nobody sends it back to stock meanwhile.
    if store::device_edits::lock_rows(&mut tx, caller.0.oem_id, device.id).await? != Some(true) {
        return Err(Error::invalid("base", "is not registered"));
    }
    if store::triggers::count(&mut tx, property.id).await? >= MOST {
        return Err(Error::invalid("base", format!("has too many triggers (max: {MOST})")));
    }
    let id = store::triggers::insert(&mut tx, new, now).await?;
    for app in &wish.apps {
        store::trigger_apps::insert(&mut tx, id, app, now).await?;
    }
    tx.commit().await?;
    let row = store::triggers::find(&app.db, id).await?.ok_or(Error::TRIGGER_NOT_FOUND)?;
    let apps = store::trigger_apps::of_triggers(&app.db, &[id]).await?;
    Ok((StatusCode::CREATED, Json(TriggerWrapper::new(row, &apps))))
}

/// The trigger with whose device the caller wants to do this.
///
/// # Errors
/// 404 when the caller may not know of it, 403 when the caller may not do this.
async fn find(app: &App, caller: &Caller, id: i64, action: Action) -> Result<TriggerRow> {
    let row = store::triggers::find(&app.db, id).await?.ok_or(Error::TRIGGER_NOT_FOUND)?;
    let device = store::devices::find(&app.db, &caller.scope(app), DeviceRef::Key(row.device_id)).await?;
    let device = device.ok_or(Error::TRIGGER_NOT_FOUND)?;
    if caller.may(&device, action) { Ok(row) } else { Err(Error::FORBIDDEN) }
}
