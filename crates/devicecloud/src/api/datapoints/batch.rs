use std::collections::BTreeMap;

use http::Method;
use serde_json::{Value, json};

use super::Datapoints;
use super::create::to_wire;
use crate::debug::debug_only;
use crate::endpoints::Service;
use crate::error::{Error, ErrorKind, Result, required};
use crate::http::{Request, parse_error_body};
use crate::messages;
use crate::model::read::{self, Fields};
use crate::model::{Datapoint, Dsn, PropertyValue, Time};

/// Builder for writing several values in one call; returned by [`Datapoints::batch`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateBatch {
    datapoints: Datapoints,
    entries: Vec<NewEntry>,
}

#[derive(Clone)]
struct NewEntry {
    dsn: Dsn,
    property_name: String,
    value: PropertyValue,
    metadata: BTreeMap<String, String>,
}

debug_only!(NewEntry { dsn, property_name, value });

/// The result for one value of a batch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchEntry {
    /// The device.
    pub dsn: Dsn,
    /// The property.
    pub property_name: String,
    /// The datapoint, or a `Server` error with the status of this entry.
    pub result: Result<Datapoint>,
}

impl CreateBatch {
    pub(super) fn new(datapoints: &Datapoints) -> Self {
        Self { datapoints: datapoints.clone(), entries: Vec::new() }
    }

    /// Adds a value of a device's property.
    pub fn add(
        mut self,
        dsn: impl Into<Dsn>,
        property_name: impl Into<String>,
        value: impl Into<PropertyValue>,
    ) -> Self {
        let entry = NewEntry {
            dsn: dsn.into(),
            property_name: property_name.into(),
            value: value.into(),
            metadata: BTreeMap::new(),
        };
        self.entries.push(entry);
        self
    }

    /// Adds a metadata entry to the value that was added last; clouds allow 10.
    pub fn metadata(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        if let Some(last) = self.entries.last_mut() {
            last.metadata.insert(name.into(), text.into());
        }
        self
    }

    /// Writes the values and returns the result of each, in the same order. An invalid entry does not fail the others.
    /// An entry that is missing from the response counts as written, with a blank id, as in
    /// [`CreateDatapoint::send`](super::CreateDatapoint::send).
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'Datapoint is required' for an empty batch, 'DSN is
    /// required', 'Property name is required' or 'Invalid property value'; `Server` with status 422 if the batch is too
    /// large for the cloud; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Vec<BatchEntry>> {
        let response = self.datapoints.session.call(messages::SESSION_NOT_ACTIVE, self.request()).await?;
        let responses = response.json().ok();
        let responses = responses.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let now = self.datapoints.session.now();
        Ok(self.entries.iter().enumerate().map(|(n, entry)| entry.batch_entry(responses.get(n), now)).collect())
    }

    fn request(&self) -> Result<Request> {
        required(self.entries.is_empty(), messages::DATAPOINT_REQUIRED)?;
        let entries = self.entries.iter().map(NewEntry::to_wire).collect::<Result<Vec<_>>>()?;
        let request = Request::new(Method::POST, Service::Device, "apiv1/batch_datapoints.json", &[])?;
        Ok(request.retries(self.datapoints.retries).body(json!({"batch_datapoints": entries})))
    }
}

impl NewEntry {
    fn to_wire(&self) -> Result<Value> {
        required(self.dsn.is_blank(), messages::DSN_REQUIRED)?;
        required(self.property_name.trim().is_empty(), messages::PROPERTY_NAME_REQUIRED)?;
        let datapoint = to_wire(&self.value, &self.metadata)?;
        Ok(json!({"dsn": self.dsn.as_str(), "name": self.property_name, "datapoint": datapoint}))
    }

    fn batch_entry(&self, response: Option<&Value>, now: Time) -> BatchEntry {
        let fields = response.and_then(Value::as_object).map(Fields);
        let status = fields.as_ref().and_then(|fields| u16::try_from(fields.integer("status")?).ok());
        let result = match status {
            Some(status) if !(200..300).contains(&status) => Err(entry_error(status, response)),
            _ => {
                let datapoint = fields.and_then(|fields| read::one(fields.value("datapoint")?));
                Ok(datapoint.unwrap_or_else(|| Datapoint::as_sent(self.value.clone(), now)))
            }
        };
        BatchEntry { dsn: self.dsn.clone(), property_name: self.property_name.clone(), result }
    }
}

/// The error that a single write would have returned for this entry.
fn entry_error(status: u16, response: Option<&Value>) -> Error {
    let members = ["error", "errors"].into_iter();
    let members: Value = members.filter_map(|name| Some((name.to_owned(), response?.get(name)?.clone()))).collect();
    let body = parse_error_body(status, members.to_string().as_bytes());
    Error::new(ErrorKind::Server, body.message).with_status(status).with_fields(body.fields)
}
