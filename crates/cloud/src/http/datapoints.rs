//! Device service: datapoints (wire-facts 4.3). Creating one commands the device.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::Path;
use super::properties::PropertyRef;
use super::query::Query;
use crate::app::App;
use crate::domain::policy::Action;
use crate::domain::value::Direction;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::wire::datapoint::{Datapoint, DatapointWrapper};

/// The most datapoints of one answer, and how many there are unless the caller wants fewer.
const MAX_LIMIT: i64 = 100;
/// Bounds of a datapoint's metadata: pairs, and bytes of a name or a text.
const METADATA_PAIRS: usize = 10;
const METADATA_TEXT: usize = 1024;

type Created = (StatusCode, Json<DatapointWrapper>);

/// POST apiv1/dsns/{dsn}/properties/{name}/datapoints.
pub(super) async fn create_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name)): Path<(String, String)>,
    body: Body,
) -> Result<Created> {
    create(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name), &body).await
}

/// POST apiv1/devices/{key}/properties/{name}/datapoints.
pub(super) async fn create_by_device(
    State(app): State<App>,
    caller: Caller,
    Path((device, name)): Path<(String, String)>,
    body: Body,
) -> Result<Created> {
    create(&app, &caller, PropertyRef::of_device(&device, &name)?, &body).await
}

/// POST apiv1/properties/{key}/datapoints.
pub(super) async fn create_by_property(
    State(app): State<App>,
    caller: Caller,
    Path(property): Path<String>,
    body: Body,
) -> Result<Created> {
    create(&app, &caller, PropertyRef::of_key(&property)?, &body).await
}

/// GET apiv1/dsns/{dsn}/properties/{name}/datapoints.
pub(super) async fn list_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name)): Path<(String, String)>,
    query: Query,
) -> Result<Json<Vec<DatapointWrapper>>> {
    list(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name), &query).await
}

/// GET apiv1/devices/{key}/properties/{name}/datapoints.
pub(super) async fn list_by_device(
    State(app): State<App>,
    caller: Caller,
    Path((device, name)): Path<(String, String)>,
    query: Query,
) -> Result<Json<Vec<DatapointWrapper>>> {
    list(&app, &caller, PropertyRef::of_device(&device, &name)?, &query).await
}

/// GET apiv1/properties/{key}/datapoints.
pub(super) async fn list_by_property(
    State(app): State<App>,
    caller: Caller,
    Path(property): Path<String>,
    query: Query,
) -> Result<Json<Vec<DatapointWrapper>>> {
    list(&app, &caller, PropertyRef::of_key(&property)?, &query).await
}

/// GET apiv1/dsns/{dsn}/properties/{name}/datapoints/{id}.
pub(super) async fn get_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name, id)): Path<(String, String, String)>,
) -> Result<Json<DatapointWrapper>> {
    get(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name), &id).await
}

/// GET apiv1/devices/{key}/properties/{name}/datapoints/{id}: how clients wait for an ack.
pub(super) async fn get_by_device(
    State(app): State<App>,
    caller: Caller,
    Path((device, name, id)): Path<(String, String, String)>,
) -> Result<Json<DatapointWrapper>> {
    get(&app, &caller, PropertyRef::of_device(&device, &name)?, &id).await
}

async fn create(app: &App, caller: &Caller, property: PropertyRef<'_>, Body(body): &Body) -> Result<Created> {
    let (_, property) = property.find(app, caller, Action::WriteDatapoint).await?;
    if property.direction() == Direction::Output {
        return Err(Error::invalid("base", "Only the device itself writes this property"));
    }
    let mut form = Form::under(body, "datapoint")?;
    let value = property.base_type().accept(form.value("value").unwrap_or(&Value::Null), property.limits());
    let metadata = form.value("metadata").map(metadata).transpose();
    if let Err(reason) = &value {
        form.refuse("value", *reason);
    }
    if let Err(reason) = &metadata {
        form.refuse("metadata", *reason);
    }
    form.check()?;
    let (Ok(value), Ok(metadata)) = (value, metadata) else { return Err(Error::MALFORMED) };
    let row = app.commands().give(&caller.0.user_uuid, &property, &value, metadata).await?;
    let datapoint = Datapoint::new(&row, property.ack_enabled);
    Ok((StatusCode::CREATED, Json(DatapointWrapper { datapoint })))
}

async fn list(
    app: &App,
    caller: &Caller,
    property: PropertyRef<'_>,
    query: &Query,
) -> Result<Json<Vec<DatapointWrapper>>> {
    let (_, property) = property.find(app, caller, Action::ReadDevice).await?;
    let limit = query.number("limit")?.filter(|limit| (1..=MAX_LIMIT).contains(limit)).unwrap_or(MAX_LIMIT);
    let since = query.time("created_at_since_date")?.unwrap_or(Timestamp::MIN);
    let until = query.time("created_at_end_date")?.unwrap_or(Timestamp::MAX);
    let rows = store::datapoints::newest(&app.db, property.id, since, until, limit).await?;
    let wrapped = |row| DatapointWrapper { datapoint: Datapoint::new(&row, property.ack_enabled) };
    Ok(Json(rows.into_iter().map(wrapped).collect()))
}

async fn get(app: &App, caller: &Caller, property: PropertyRef<'_>, id: &str) -> Result<Json<DatapointWrapper>> {
    let (_, property) = property.find(app, caller, Action::ReadDevice).await?;
    let row = store::datapoints::find(&app.db, property.id, id).await?.ok_or(Error::DATAPOINT_NOT_FOUND)?;
    Ok(Json(DatapointWrapper { datapoint: Datapoint::new(&row, property.ack_enabled) }))
}

fn metadata(value: &Value) -> std::result::Result<&Map<String, Value>, &'static str> {
    let pairs = value.as_object().ok_or("is not an object")?;
    if pairs.len() > METADATA_PAIRS {
        return Err("has too many pairs (max: 10)");
    }
    for (name, value) in pairs {
        match value {
            Value::Array(_) | Value::Object(_) => return Err("has a value that is not a text, number or boolean"),
            Value::String(text) if text.len() > METADATA_TEXT => return Err("has a text that is too long"),
            _ if name.len() > METADATA_TEXT => return Err("has a name that is too long"),
            _ => {}
        }
    }
    Ok(pairs)
}
