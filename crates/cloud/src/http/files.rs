//! Device service: files (docs/wire.md#files, A-113). Reading and completing a file's datapoint needs
//! permission; its bytes are transferred at signed URLs, which need no token.

use axum::Json;
use axum::body::Body as Bytes;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::limits::CountedByAddress;
use super::path::Path;
use super::properties::PropertyRef;
use super::query::Query;
use crate::app::App;
use crate::devices::files::{UploadError, UrlUse};
use crate::domain::policy::Action;
use crate::domain::value::BaseType;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::files::FileRow;
use crate::store::properties::PropertyRow;
use crate::wire::datapoint::DatapointWrapper;
use crate::wire::file::FileDatapoint;

const NOT_FOUND: Error = Error::Text(StatusCode::NOT_FOUND, "File not found");
const INCOMPLETE: Error = Error::Text(StatusCode::NOT_ACCEPTABLE, "The file is not complete");
const ALREADY_THERE: Error = Error::Text(StatusCode::NOT_ACCEPTABLE, "The file is already uploaded");
const TOO_LARGE: Error = Error::Text(StatusCode::PAYLOAD_TOO_LARGE, "The file is too large");
const BROKEN: Error = Error::Text(StatusCode::BAD_REQUEST, "The upload broke off");
const STALLED: Error = Error::Text(StatusCode::REQUEST_TIMEOUT, "The upload took too long");

type FileResponse = Json<DatapointWrapper<FileDatapoint>>;

/// PUT apiv1/dsns/{dsn}/properties/{name}/datapoints/{id}.
pub(super) async fn put_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name, id)): Path<(String, String, String)>,
    body: Body,
) -> Result<FileResponse> {
    put(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name), &id, &body).await
}

/// PUT apiv1/devices/{key}/properties/{name}/datapoints/{id}: a file's location.
pub(super) async fn put_by_device(
    State(app): State<App>,
    caller: Caller,
    Path((device, name, id)): Path<(String, String, String)>,
    body: Body,
) -> Result<FileResponse> {
    put(&app, &caller, PropertyRef::of_device(&device, &name)?, &id, &body).await
}

/// PUT apiv1/datapoints/{id}: the same without device and property.
pub(super) async fn put_by_id(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<FileResponse> {
    let file = store::files::find(&app.db, &id).await?.ok_or(Error::DATAPOINT_NOT_FOUND)?;
    match put(&app, &caller, PropertyRef::Key(file.property_id), &id, &body).await {
        // The id does not name the device.
        Err(Error::Text(StatusCode::NOT_FOUND, _)) => Err(Error::DATAPOINT_NOT_FOUND),
        result => result,
    }
}

/// Completes a file, or records with `fetched` that it was downloaded.
async fn put(
    app: &App,
    caller: &Caller,
    property: PropertyRef<'_>,
    id: &str,
    Body(body): &Body,
) -> Result<FileResponse> {
    let (_, property) = property.find(app, caller, Action::WriteDatapoint).await?;
    let form = Form::under(body, "datapoint")?;
    let file = find(app, &property, id).await?;
    match form.value("fetched") {
        None if !app.files().close(&file, &property).await? => return Err(INCOMPLETE),
        None => {}
        Some(Value::String(text)) if text == "true" => {
            if file.closed_at.is_none() {
                return Err(INCOMPLETE);
            }
            store::files::record_download(&app.db, id, app.clock.now()).await?;
        }
        Some(_) => return Err(Error::invalid("fetched", "is not the text true")),
    }
    get(app, &property, id).await
}

/// A complete file, with a URL for the download.
pub(super) async fn get(app: &App, property: &PropertyRow, id: &str) -> Result<FileResponse> {
    let file = find(app, property, id).await?;
    if file.closed_at.is_none() {
        return Err(INCOMPLETE);
    }
    let row = store::datapoints::find(&app.db, property.id, id).await?.ok_or(Error::DATAPOINT_NOT_FOUND)?;
    Ok(Json(DatapointWrapper { datapoint: app.files().closed(&row, &file, property) }))
}

async fn find(app: &App, property: &PropertyRow, id: &str) -> Result<FileRow> {
    let file = store::files::find(&app.db, id).await?.filter(|file| file.property_id == property.id);
    file.ok_or(Error::DATAPOINT_NOT_FOUND)
}

/// Whether a property's values are files.
pub(super) fn has_files(property: &PropertyRow) -> bool {
    property.base_type() == BaseType::File
}

/// PUT files/{id}: uploads the bytes, at a signed URL.
pub(super) async fn upload(
    State(app): State<App>,
    _: CountedByAddress,
    Path(id): Path<String>,
    query: Query,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode> {
    let file = addressed(&app, &id, UrlUse::Upload, &query).await?;
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    match app.files().upload(&file, length, body.into_data_stream()).await {
        Ok(()) => Ok(StatusCode::OK),
        Err(UploadError::Replaced) => Err(ALREADY_THERE),
        Err(UploadError::TooLarge) => Err(TOO_LARGE),
        Err(UploadError::Broken) => Err(BROKEN),
        Err(UploadError::Stalled) => Err(STALLED),
        Err(UploadError::Database(error)) => Err(error.into()),
    }
}

/// GET files/{id}: downloads the bytes, at a signed URL.
pub(super) async fn download(
    State(app): State<App>,
    _: CountedByAddress,
    Path(id): Path<String>,
    query: Query,
) -> Result<Response> {
    let file = addressed(&app, &id, UrlUse::Download, &query).await?;
    // Users' bytes under our origin: a browser must neither show nor run them.
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (CONTENT_DISPOSITION, HeaderValue::from_static("attachment")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CONTENT_LENGTH, HeaderValue::from(file.size.unwrap_or_default())),
    ];
    Ok((headers, Bytes::from_stream(app.files().download(&file))).into_response())
}

/// The file of a signed URL. An invalid, forged or expired URL is not found.
async fn addressed(app: &App, id: &str, used: UrlUse, query: &Query) -> Result<FileRow> {
    let (expires, signature) = (query.get("expires"), query.get("signature"));
    let (Some(Ok(expires)), Some(signature)) = (expires.map(str::parse), signature) else { return Err(NOT_FOUND) };
    app.files().addressed(id, used, expires, signature).await?.ok_or(NOT_FOUND)
}
