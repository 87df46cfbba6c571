//! Apps of triggers, which name the recipients.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::find;
use super::input::read_app;
use crate::app::App;
use crate::domain::policy::Action;
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::merge::merged;
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
    let trigger = find(&app, &caller, &id, Action::ReadDevice).await?;
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
    let trigger = find(&app, &caller, &id, Action::EditDevice).await?;
    let new = read_app(Form::under_or_bare(&body, "trigger_app")?)?;
    let row = app.triggers().create_app(&caller.0, &trigger, new).await?;
    Ok((StatusCode::CREATED, Json(row.into())))
}

/// PUT apiv1/trigger_apps/{key}: missing fields stay.
pub(in crate::http) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<TriggerAppWrapper>> {
    let change = |row: &TriggerAppRow| -> Result<_> {
        let members = merged(TriggerAppWrapper::from(row.clone()), &body, "trigger_app")?;
        read_app(Form::of(&members))
    };
    let row = app.triggers().update_app(&caller.0, key(&id, Error::TRIGGER_APP_NOT_FOUND)?, change).await?;
    Ok(Json(row.into()))
}

/// DELETE apiv1/trigger_apps/{key}.
pub(in crate::http) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    app.triggers().delete_app(&caller.0, key(&id, Error::TRIGGER_APP_NOT_FOUND)?).await?;
    Ok(StatusCode::OK)
}
