//! Subscription service (docs/wire.md#stream). Only its owner sees a subscription; its events are those of
//! the devices in the owner's scope at the time.

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::Value;

use super::body::Body;
use super::error::{Error, Result, Service};
use super::extract::{AccessToken, Caller};
use super::form::Form;
use super::path::{Path, key};
use crate::app::App;
use crate::store;
use crate::store::subscriptions::{NewSubscription, SubscriptionRow};
use crate::stream::filter::EVERY_PROPERTY;
use crate::stream::rights;
use crate::wire::subscription::SubscriptionWrapper;

/// The event types of the protocol.
const TYPES: [&str; 5] = ["datapoint", "datapointack", "connectivity", "location", "registration"];
const DEFAULT_TYPES: [&str; 2] = ["datapoint", "datapointack"];
/// Matches all devices, or all properties.
const EVERYTHING: &str = "*";
/// Maximum length of texts, in characters, and of lists, in bytes.
const TEXT: usize = 255;
const LIST: usize = 16 * 1024;
/// How many requests a new subscription counts as: its stream has a connection of its own and reads the owner's rights.
const COUNTED_AS: usize = 10;

/// POST api/v1/subscriptions. The subscription ends with the session that creates it.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    AccessToken(token): AccessToken,
    Body(body): Body,
) -> Result<(StatusCode, Json<SubscriptionWrapper>)> {
    let mut form = Form::of(&body);
    let name = form.text("name", TEXT).unwrap_or_default().to_owned();
    let description = form.text("description", TEXT).unwrap_or_default().to_owned();
    let mut dsns = form.list("dsn", LIST).filter(|dsns| *dsns != [EVERYTHING]);
    let properties = form.list("property_name", LIST).unwrap_or_else(|| vec![EVERY_PROPERTY]);
    let oem_model = form.text("oem_model", TEXT).filter(|oem_model| *oem_model != EVERYTHING);
    let client_type = form.text("client_type", TEXT).unwrap_or("mobile");
    let types = form.list("subscription_type", TEXT).unwrap_or_else(|| DEFAULT_TYPES.to_vec());
    if !["mobile", "cloud"].contains(&client_type) {
        form.refuse("client_type", "is not mobile or cloud");
    }
    if !types.iter().all(|name| TYPES.contains(name)) {
        form.refuse("subscription_type", "is not a list of event types");
    }
    if form.value("batch_size").is_some_and(|size| !is_one(size)) {
        form.refuse("batch_size", "is not 1: events are sent one by one");
    }
    form.check()?;
    // The request itself is counted already.
    app.limits.count_user(&caller.0, COUNTED_AS - 1)?;
    if let Some(dsns) = &mut dsns {
        let mut named = HashSet::new();
        dsns.retain(|dsn| named.insert(*dsn));
        let known = store::devices::count_in_scope(&app.db, &caller.scope(&app), dsns).await?;
        if usize::try_from(known) != Ok(dsns.len()) {
            return Err(Error::DEVICE_NOT_FOUND);
        }
    }
    let new = NewSubscription {
        name,
        description,
        dsn: dsns.map(|dsns| dsns.join(",")),
        property_name: properties.join(","),
        oem_model: oem_model.map(Into::into),
        client_type: client_type.into(),
        subscription_type: types.join(","),
    };
    let row = app.subscriptions().create(&token.unwrap_or_default(), &new).await?;
    let row = row.ok_or(Error::Unauthenticated(Service::Device))?;
    Ok((StatusCode::CREATED, Json(wrapped(&app, row))))
}

/// GET api/v1/subscriptions.
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Result<Json<Vec<SubscriptionWrapper>>> {
    let rows = store::subscriptions::of_user(&app.db, caller.0.user_id).await?;
    Ok(Json(rows.into_iter().map(|row| wrapped(&app, row)).collect()))
}

/// GET api/v1/subscriptions/{id}.
pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<SubscriptionWrapper>> {
    let id = key(&id, Error::SUBSCRIPTION_NOT_FOUND)?;
    let row = store::subscriptions::find(&app.db, caller.0.user_id, id).await?;
    Ok(Json(wrapped(&app, row.ok_or(Error::SUBSCRIPTION_NOT_FOUND)?)))
}

/// DELETE api/v1/subscriptions/{id}: invalidates its stream key and closes its sockets.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode> {
    let id = key(&id, Error::SUBSCRIPTION_NOT_FOUND)?;
    if store::subscriptions::delete(&app.db, caller.0.user_id, id).await? {
        rights::publish(&app.bus, caller.0.user_id);
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Error::SUBSCRIPTION_NOT_FOUND)
    }
}

fn wrapped(app: &App, row: SubscriptionRow) -> SubscriptionWrapper {
    let connected = app.hub.is_read(row.id);
    SubscriptionWrapper::new(row, connected)
}

/// The number 1, also as a text, which the specified client library sends.
fn is_one(value: &Value) -> bool {
    value.as_i64() == Some(1) || value.as_str() == Some("1")
}
