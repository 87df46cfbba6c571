//! Whom triggers tell.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::find;
use super::wish::{MAX_APPS, read_app};
use crate::app::App;
use crate::domain::policy::Action;
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::path::{Path, key};
use crate::store;
use crate::store::trigger_apps::TriggerAppRow;
use crate::wire::trigger::TriggerAppWrapper;

/// GET apiv1/triggers/{key}/trigger_apps.
pub(in crate::http) async fn list(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Vec<TriggerAppWrapper>>> {
    let trigger = find(&app, &caller, key(&id, Error::TRIGGER_NOT_FOUND)?, Action::ReadDevice).await?;
    let rows = store::trigger_apps::of_triggers(&app.db, &[trigger.id]).await?;
    Ok(Json(rows.into_iter().map(TriggerAppWrapper::from).collect()))
}

/// POST apiv1/triggers/{key}/trigger_apps.
pub(in crate::http) async fn create(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<(StatusCode, Json<TriggerAppWrapper>)> {
    let trigger = find(&app, &caller, key(&id, Error::TRIGGER_NOT_FOUND)?, Action::EditDevice).await?;
    let new = read_app(Form::under_or_bare(&body, "trigger_app")?)?;
    let mut tx = app.db.begin().await?;
    let count = store::trigger_apps::count_locked(&mut tx, trigger.id).await?;
    if count.ok_or(Error::TRIGGER_NOT_FOUND)? >= MAX_APPS {
        return Err(Error::invalid("base", format!("has too many apps (max: {MAX_APPS})")));
    }
    let id = store::trigger_apps::insert(&mut tx, trigger.id, &new, app.clock.now()).await?;
    tx.commit().await?;
    let row = TriggerAppRow { id, trigger_id: trigger.id, app: new, told_at: None };
    Ok((StatusCode::CREATED, Json(row.into())))
}

/// DELETE apiv1/trigger_apps/{key}.
pub(in crate::http) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let row = store::trigger_apps::find(&app.db, key(&id, Error::TRIGGER_APP_NOT_FOUND)?).await?;
    let row = row.ok_or(Error::TRIGGER_APP_NOT_FOUND)?;
    // Whose trigger is not there for the caller, neither is the app.
    find(&app, &caller, row.trigger_id, Action::EditDevice).await?;
    let deleted = store::trigger_apps::delete(&app.db, row.id).await?;
    if deleted { Ok(StatusCode::OK) } else { Err(Error::TRIGGER_APP_NOT_FOUND) }
}
