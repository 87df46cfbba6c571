use std::collections::{BTreeMap, HashMap, VecDeque};

use http::Method;
use serde_json::{Map, Value, json};

use super::Datapoints;
use super::create::to_wire;
use crate::config::endpoints::Service;
use crate::debug::debug_only;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Outcome, Result, required};
use crate::http::{Request, Response, parse_error_body};
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
    /// The datapoint, or a `Server` error with the status of this entry, or a `Json` error with the outcome `Unknown` if
    /// the response does not name it.
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
    /// The entries of the response are matched by serial number and name, and several values of one property in order.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'Datapoint is required' for an empty batch, 'DSN is
    /// required', 'Property name is required' or 'Invalid property value'; `Server` with status 422 if the batch is too
    /// large for the cloud; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Vec<BatchEntry>> {
        let response = self.datapoints.session.call(messages::SESSION_NOT_ACTIVE, self.request()).await?;
        let answers = response.json().ok();
        let mut answers = by_property(answers.as_ref());
        let now = self.datapoints.session.now();
        Ok(self.entries.iter().map(|entry| entry.batch_entry(&mut answers, &response, now)).collect())
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

    fn batch_entry(&self, answers: &mut Answers<'_>, response: &Response, now: Time) -> BatchEntry {
        let property = (self.dsn.as_str().to_owned(), self.property_name.clone());
        let answer = answers.get_mut(&property).and_then(VecDeque::pop_front);
        let result = answer.and_then(|answer| self.read(answer, now));
        let unknown = || Err(response.unexpected_shape().with_outcome(Outcome::Unknown));
        BatchEntry {
            dsn: self.dsn.clone(),
            property_name: self.property_name.clone(),
            result: result.unwrap_or_else(unknown),
        }
    }

    /// The result in an entry of the response; `None` if it does not say what became of the value.
    fn read(&self, answer: &Map<String, Value>, now: Time) -> Option<Result<Datapoint>> {
        let fields = Fields(answer);
        let status = fields.integer("status").and_then(|status| u16::try_from(status).ok());
        let datapoint = fields.value("datapoint").and_then(read::one);
        match status {
            Some(status) if !(200..300).contains(&status) => Some(Err(entry_error(status, answer))),
            Some(_) => Some(Ok(datapoint.unwrap_or_else(|| Datapoint::as_sent(self.value.clone(), now)))),
            None => datapoint.map(Ok),
        }
    }
}

/// The entries of a response by serial number and name of the property.
type Answers<'a> = HashMap<(String, String), VecDeque<&'a Map<String, Value>>>;

fn by_property(response: Option<&Value>) -> Answers<'_> {
    let mut answers = Answers::new();
    for answer in response.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        let fields = Fields(answer);
        let property = (fields.text_or_empty("dsn"), fields.text_or_empty("name"));
        answers.entry(property).or_default().push_back(answer);
    }
    answers
}

/// The error that a single write would have returned for this entry.
fn entry_error(status: u16, answer: &Map<String, Value>) -> Error {
    let members = ["error", "errors"].into_iter();
    let members: Value = members.filter_map(|name| Some((name.to_owned(), answer.get(name)?.clone()))).collect();
    let body = parse_error_body(status, members.to_string().as_bytes());
    Error::new(ErrorKind::Server, body.message).quoting_response().with_status(status).with_fields(body.fields)
}
