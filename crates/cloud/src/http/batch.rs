//! Device service: values of many properties in one call (docs/wire.md#datapoints). A bad entry does not fail the others.

use std::collections::{BTreeSet, HashMap};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::body::Body;
use super::datapoints::wish;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use crate::app::App;
use crate::devices::commands::CommandInput;
use crate::domain::policy::Action;
use crate::store;
use crate::store::properties::PropertyRow;
use crate::wire::datapoint::Datapoint;

/// The most entries of a batch: it is one transaction, for which other writers wait.
const MOST: usize = 500;
/// Bytes of a serial number or a property's name.
const MAX_NAME: usize = 255;

/// What became of an entry.
#[derive(Serialize)]
struct Told<'a> {
    dsn: Option<&'a Value>,
    name: Option<&'a Value>,
    status: u16,
    /// The datapoint, or what the entry alone would have been answered.
    #[serde(flatten)]
    outcome: Value,
}

/// A device in the caller's scope.
struct Known {
    may_be_commanded: bool,
    /// Those that entries name, by name.
    properties: HashMap<String, PropertyRow>,
}

/// POST apiv1/batch_datapoints.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<(StatusCode, Json<Value>)> {
    let entries = entries(&body)?;
    let known = known(&app, &caller, entries).await?;
    let (mut wishes, mut refusals) = (Vec::new(), Vec::with_capacity(entries.len()));
    for entry in entries {
        refusals.push(accept(&known, entry).map(|wish| wishes.push(wish)).err());
    }
    let rows = app.commands().issue(&caller.0.user_uuid, &wishes).await?;
    let mut written = wishes.iter().zip(&rows);
    let told = entries.iter().zip(refusals).map(|(entry, refusal)| {
        let created = if refusal.is_none() { written.next() } else { None };
        let (status, outcome) = match created {
            Some((wish, row)) => {
                let datapoint = Datapoint::new(row, wish.property.ack_enabled);
                (StatusCode::CREATED, json!({ "datapoint": datapoint }))
            }
            None => refusal.unwrap_or(Error::INTERNAL).into_parts(),
        };
        Told { dsn: entry.get("dsn"), name: entry.get("name"), status: status.as_u16(), outcome }
    });
    Ok((StatusCode::CREATED, Json(told.map(|told| json!(told)).collect())))
}

/// # Errors
/// 422 unless it is a list of 1 to [`MOST`] entries.
fn entries(body: &Map<String, Value>) -> Result<&[Value]> {
    let invalid = |text: String| Error::invalid("batch_datapoints", text);
    match body.get("batch_datapoints") {
        None | Some(Value::Null) => Err(invalid("can't be blank".to_owned())),
        Some(Value::Array(entries)) if entries.is_empty() => Err(invalid("can't be blank".to_owned())),
        Some(Value::Array(entries)) if entries.len() > MOST => {
            Err(invalid(format!("has too many entries (max: {MOST})")))
        }
        Some(Value::Array(entries)) => Ok(entries),
        Some(_) => Err(invalid("is not a list".to_owned())),
    }
}

/// Reads what all entries name, by serial number: one statement for the devices, one for the properties.
async fn known(app: &App, caller: &Caller, entries: &[Value]) -> Result<HashMap<String, Known>> {
    let texts = |member: &str| -> Vec<&str> {
        let texts = entries.iter().filter_map(|entry| entry.get(member)?.as_str());
        texts
            .filter(|text| text.len() <= MAX_NAME && !text.contains('\0'))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
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
        (device.dsn, Known { may_be_commanded, properties })
    });
    Ok(known.collect())
}

fn accept<'a>(known: &'a HashMap<String, Known>, entry: &'a Value) -> Result<CommandInput<'a>> {
    let members = entry.as_object().ok_or_else(|| Error::invalid("base", "is not an object"))?;
    let mut form = Form::of(members);
    let (dsn, name) = (form.required("dsn", MAX_NAME), form.required("name", MAX_NAME));
    form.check()?;
    let device = known.get(dsn).ok_or(Error::DEVICE_NOT_FOUND)?;
    if !device.may_be_commanded {
        return Err(Error::FORBIDDEN);
    }
    wish(device.properties.get(name).ok_or(Error::PROPERTY_NOT_FOUND)?, Form::under(members, "datapoint")?)
}
