//! Device service: datapoints (docs/wire.md#datapoints). Creating one commands the device.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::files;
use super::form::Form;
use super::history::{Cursor, HistoryPage, MAX_LIMIT, Meta};
use super::path::Path;
use super::properties::PropertyRef;
use super::query::Query;
use crate::app::App;
use crate::devices::commands::CommandInput;
use crate::domain::policy::Action;
use crate::domain::value::{Direction, is_plain};
use crate::store;
use crate::store::datapoints::DatapointRow;
use crate::store::devices::DeviceRef;
use crate::store::properties::PropertyRow;
use crate::wire::datapoint::{Datapoint, DatapointWrapper};

/// Limits of a datapoint's metadata: number of pairs, and bytes of a name or a text.
const METADATA_PAIRS: usize = 10;
const METADATA_TEXT: usize = 1024;

#[derive(Serialize)]
struct DatapointPage {
    meta: Meta,
    datapoints: Vec<Value>,
}

/// POST apiv1/dsns/{dsn}/properties/{name}/datapoints.
pub(super) async fn create_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name)): Path<(String, String)>,
    body: Body,
) -> Result<Response> {
    create(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name), &body).await
}

/// POST apiv1/devices/{key}/properties/{name}/datapoints.
pub(super) async fn create_by_device(
    State(app): State<App>,
    caller: Caller,
    Path((device, name)): Path<(String, String)>,
    body: Body,
) -> Result<Response> {
    create(&app, &caller, PropertyRef::of_device(&device, &name)?, &body).await
}

/// POST apiv1/properties/{key}/datapoints.
pub(super) async fn create_by_property(
    State(app): State<App>,
    caller: Caller,
    Path(property): Path<String>,
    body: Body,
) -> Result<Response> {
    create(&app, &caller, PropertyRef::of_key(&property)?, &body).await
}

/// GET apiv1/dsns/{dsn}/properties/{name}/datapoints.
pub(super) async fn list_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name)): Path<(String, String)>,
    query: Query,
) -> Result<Response> {
    list(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name), &query).await
}

/// GET apiv1/devices/{key}/properties/{name}/datapoints.
pub(super) async fn list_by_device(
    State(app): State<App>,
    caller: Caller,
    Path((device, name)): Path<(String, String)>,
    query: Query,
) -> Result<Response> {
    list(&app, &caller, PropertyRef::of_device(&device, &name)?, &query).await
}

/// GET apiv1/properties/{key}/datapoints.
pub(super) async fn list_by_property(
    State(app): State<App>,
    caller: Caller,
    Path(property): Path<String>,
    query: Query,
) -> Result<Response> {
    list(&app, &caller, PropertyRef::of_key(&property)?, &query).await
}

/// GET apiv1/dsns/{dsn}/properties/{name}/datapoints/{id}.
pub(super) async fn get_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name, id)): Path<(String, String, String)>,
) -> Result<Response> {
    get(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name), &id).await
}

/// GET apiv1/devices/{key}/properties/{name}/datapoints/{id}: clients poll it for the ack.
pub(super) async fn get_by_device(
    State(app): State<App>,
    caller: Caller,
    Path((device, name, id)): Path<(String, String, String)>,
) -> Result<Response> {
    get(&app, &caller, PropertyRef::of_device(&device, &name)?, &id).await
}

async fn create(app: &App, caller: &Caller, property: PropertyRef<'_>, Body(body): &Body) -> Result<Response> {
    let (_, property) = property.find(app, caller, Action::WriteDatapoint).await?;
    let form = Form::under(body, "datapoint")?;
    if files::has_files(&property) {
        let metadata = placeholder(&property, form)?;
        let datapoint = app.files().create(&caller.0.user_uuid, &property, metadata).await?;
        return Ok((StatusCode::CREATED, Json(DatapointWrapper { datapoint })).into_response());
    }
    let input = command_input(&property, form)?;
    let rows = app.commands().issue(&caller.0.user_uuid, &[input]).await?;
    let row = rows.first().ok_or(Error::INTERNAL)?;
    let datapoint = Datapoint::new(row, property.ack_enabled);
    Ok((StatusCode::CREATED, Json(DatapointWrapper { datapoint })).into_response())
}

/// The metadata of a file, whose datapoint has no value yet.
fn placeholder<'a>(property: &PropertyRow, mut datapoint: Form<'a>) -> Result<Option<&'a Map<String, Value>>> {
    writable(property)?;
    if datapoint.value("value").is_some_and(|value| value != "") {
        datapoint.refuse("value", "comes with the upload of a file");
    }
    let metadata = datapoint.value("metadata").map(metadata).transpose();
    if let Err(reason) = &metadata {
        datapoint.refuse("metadata", *reason);
    }
    datapoint.check()?;
    metadata.map_err(|_| Error::MALFORMED)
}

fn writable(property: &PropertyRow) -> Result<()> {
    match property.direction() {
        Direction::Input => Ok(()),
        Direction::Output => Err(Error::invalid("base", "Only the device itself writes this property")),
    }
}

/// Reads the command of a new datapoint.
///
/// # Errors
/// 422 if only the device writes the property, or with all invalid fields.
pub(super) fn command_input<'a>(property: &'a PropertyRow, mut datapoint: Form<'a>) -> Result<CommandInput<'a>> {
    writable(property)?;
    let value = property.base_type().accept(datapoint.value("value").unwrap_or(&Value::Null), &property.limits());
    let metadata = datapoint.value("metadata").map(metadata).transpose();
    if let Err(reason) = &value {
        datapoint.refuse("value", *reason);
    }
    if let Err(reason) = &metadata {
        datapoint.refuse("metadata", *reason);
    }
    datapoint.check()?;
    let (Ok(value), Ok(metadata)) = (value, metadata) else { return Err(Error::MALFORMED) };
    Ok(CommandInput { property, value, metadata })
}

async fn list(app: &App, caller: &Caller, property: PropertyRef<'_>, query: &Query) -> Result<Response> {
    let (_, property) = property.find(app, caller, Action::ReadDevice).await?;
    let span = query.span()?;
    if let Some(cursor) = Cursor::of(query)? {
        let HistoryPage { meta, rows } = cursor.page(&app.db, property.id, span).await?;
        let datapoints = listed(app, &property, &rows).await?;
        return Ok(Json(DatapointPage { meta, datapoints }).into_response());
    }
    let limit = query.limit("limit", MAX_LIMIT)?;
    let rows = store::datapoints::newest(&app.db, property.id, span, None, limit).await?;
    Ok(Json(listed(app, &property, &rows).await?).into_response())
}

/// The datapoints in their wrappers. Those of a file property have a URL for the download.
async fn listed(app: &App, property: &PropertyRow, rows: &[DatapointRow]) -> Result<Vec<Value>> {
    if !files::has_files(property) {
        let wrapped = |row| json!({ "datapoint": Datapoint::new(row, property.ack_enabled) });
        return Ok(rows.iter().map(wrapped).collect());
    }
    let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let files = store::files::find_all(&app.db, &ids).await?;
    let wrapped = |row: &DatapointRow| {
        let file = files.iter().find(|file| file.id == row.id)?;
        Some(json!({ "datapoint": app.files().closed(row, file, property) }))
    };
    Ok(rows.iter().filter_map(wrapped).collect())
}

async fn get(app: &App, caller: &Caller, property: PropertyRef<'_>, id: &str) -> Result<Response> {
    let (_, property) = property.find(app, caller, Action::ReadDevice).await?;
    if files::has_files(&property) {
        return Ok(files::get(app, &property, id).await?.into_response());
    }
    let row = store::datapoints::find(&app.db, property.id, id).await?.ok_or(Error::DATAPOINT_NOT_FOUND)?;
    Ok(Json(DatapointWrapper { datapoint: Datapoint::new(&row, property.ack_enabled) }).into_response())
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
            Value::String(text) if !is_plain(text) => return Err("has a character that is not allowed"),
            _ if name.len() > METADATA_TEXT => return Err("has a name that is too long"),
            _ if !is_plain(name) => return Err("has a character that is not allowed"),
            _ => {}
        }
    }
    Ok(pairs)
}
