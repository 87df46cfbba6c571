//! Device service: values of many properties in one call (docs/wire.md#datapoints). An invalid entry does not fail the others.

use std::collections::{BTreeSet, HashMap};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::body::Body;
use super::datapoints::command_input;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use crate::app::App;
use crate::devices::commands::CommandInput;
use crate::domain::policy::Action;
use crate::domain::value::is_plain;
use crate::store;
use crate::store::datapoints::DatapointRow;
use crate::store::properties::PropertyRow;
use crate::wire::datapoint::Datapoint;

/// Maximum number of entries of a batch.
const MAX_ENTRIES: usize = 500;
/// Maximum number of entries of a transaction: other writers wait for it. Triggers with many recipients take longer than these
/// entries, and take their time once in each transaction.
const PER_TRANSACTION: usize = 50;
/// Maximum length of a serial number or a property's name, in bytes.
const MAX_NAME: usize = 255;

/// The result of an entry.
#[derive(Serialize)]
struct EntryResult<'a> {
    dsn: Option<&'a Value>,
    name: Option<&'a Value>,
    status: u16,
    /// The datapoint, or the error that the entry would get in a separate request.
    #[serde(flatten)]
    outcome: Value,
}

/// A device in the caller's scope.
struct KnownDevice {
    may_be_commanded: bool,
    /// The properties that entries name, by name.
    properties: HashMap<String, PropertyRow>,
}

/// POST apiv1/batch_datapoints.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<(StatusCode, Json<Value>)> {
    let entries = entries(&body)?;
    // The request itself is counted already.
    app.limits.count_user(&caller.0, entries.len() - 1)?;
    let known = known(&app, &caller, entries).await?;
    let (mut inputs, mut errors) = (Vec::new(), Vec::with_capacity(entries.len()));
    for entry in entries {
        errors.push(accept(&known, entry).map(|input| inputs.push(input)).err());
    }
    let (rows, failure) = issue(&app, &caller, &inputs).await?;
    let mut written = inputs.iter().zip(&rows);
    let results = entries.iter().zip(errors).map(|(entry, error)| {
        let created = if error.is_none() { written.next() } else { None };
        let (status, outcome) = match (created, error) {
            (Some((input, row)), _) => {
                let datapoint = Datapoint::new(row, input.property.ack_enabled);
                (StatusCode::CREATED, json!({ "datapoint": datapoint }))
            }
            (None, Some(error)) => error.into_parts(),
            (None, None) => failure.clone(),
        };
        EntryResult { dsn: entry.get("dsn"), name: entry.get("name"), status: status.as_u16(), outcome }
    });
    Ok((StatusCode::CREATED, Json(results.map(|result| json!(result)).collect())))
}

/// Issues the commands in several transactions, which batches take in turns: other writers wait for one of them at most.
/// Returns the datapoints of the first inputs, up to a failure, and the status and body for the others.
///
/// # Errors
/// A database error if nothing was written.
async fn issue(
    app: &App,
    caller: &Caller,
    inputs: &[CommandInput<'_>],
) -> Result<(Vec<DatapointRow>, (StatusCode, Value))> {
    let mut rows = Vec::with_capacity(inputs.len());
    for part in inputs.chunks(PER_TRANSACTION) {
        match app.batch_turns.take(app.commands().issue(&caller.0.user_uuid, part)).await {
            Ok(written) => rows.extend(written),
            Err(error) if rows.is_empty() => return Err(error.into()),
            Err(error) => {
                tracing::error!(%error, "the rest of a batch could not be written");
                return Ok((rows, Error::from(error).into_parts()));
            }
        }
    }
    Ok((rows, Error::INTERNAL.into_parts()))
}

/// The entries of a batch.
///
/// # Errors
/// 422 unless it is a list of 1 to [`MAX_ENTRIES`] entries.
fn entries(body: &Map<String, Value>) -> Result<&[Value]> {
    let invalid = |text: String| Error::invalid("batch_datapoints", text);
    match body.get("batch_datapoints") {
        None | Some(Value::Null) => Err(invalid("can't be blank".to_owned())),
        Some(Value::Array(entries)) if entries.is_empty() => Err(invalid("can't be blank".to_owned())),
        Some(Value::Array(entries)) if entries.len() > MAX_ENTRIES => {
            Err(invalid(format!("has too many entries (max: {MAX_ENTRIES})")))
        }
        Some(Value::Array(entries)) => Ok(entries),
        Some(_) => Err(invalid("is not a list".to_owned())),
    }
}

/// Reads the devices and properties that entries name, by serial number, with one statement each.
async fn known(app: &App, caller: &Caller, entries: &[Value]) -> Result<HashMap<String, KnownDevice>> {
    let texts = |member: &str| -> Vec<&str> {
        let texts = entries.iter().filter_map(|entry| entry.get(member)?.as_str());
        texts.filter(|text| text.len() <= MAX_NAME && is_plain(text)).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let devices = store::devices::find_all(&app.db, &caller.scope(app), &texts("dsn")).await?;
    let ids: Vec<i64> = devices.iter().map(|device| device.id).collect();
    let mut properties: HashMap<i64, HashMap<String, PropertyRow>> = HashMap::new();
    for property in store::properties::named(&app.db, &ids, &texts("name")).await? {
        properties.entry(property.device_id).or_default().insert(property.name.clone(), property);
    }
    let known = devices.into_iter().map(|device| {
        let may_be_commanded = caller.may(&device, Action::WriteDatapoint);
        let properties = properties.remove(&device.id).unwrap_or_default();
        (device.dsn, KnownDevice { may_be_commanded, properties })
    });
    Ok(known.collect())
}

/// The command of an entry.
fn accept<'a>(known: &'a HashMap<String, KnownDevice>, entry: &'a Value) -> Result<CommandInput<'a>> {
    let members = entry.as_object().ok_or_else(|| Error::invalid("base", "is not an object"))?;
    let mut form = Form::of(members);
    let (dsn, name) = (form.required("dsn", MAX_NAME), form.required("name", MAX_NAME));
    form.check()?;
    let device = known.get(dsn).ok_or(Error::DEVICE_NOT_FOUND)?;
    if !device.may_be_commanded {
        return Err(Error::FORBIDDEN);
    }
    command_input(device.properties.get(name).ok_or(Error::PROPERTY_NOT_FOUND)?, Form::under(members, "datapoint")?)
}
