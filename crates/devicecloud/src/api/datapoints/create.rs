use std::collections::BTreeMap;

use http::Method;
use serde_json::{Value, json};

use super::{CREATE, Datapoints};
use crate::api::property_ref::PropertyRef;
use crate::debug::debug_only;
use crate::error::Result;
use crate::error::messages;
use crate::http::Request;
use crate::model::{Datapoint, PropertyValue, read};

/// Builder for writing a value; returned by [`Datapoints::create`].
#[derive(Clone)]
#[must_use]
pub struct CreateDatapoint {
    pub(super) datapoints: Datapoints,
    pub(super) property: PropertyRef,
    value: PropertyValue,
    metadata: BTreeMap<String, String>,
}

debug_only!(CreateDatapoint { property, value });

impl CreateDatapoint {
    pub(super) fn new(datapoints: &Datapoints, property: PropertyRef, value: PropertyValue) -> Self {
        Self { datapoints: datapoints.clone(), property, value, metadata: BTreeMap::new() }
    }

    /// Adds a metadata entry to the datapoint; clouds allow 10.
    pub fn metadata(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), text.into());
        self
    }

    /// Writes the value. `Ok` means that the cloud stored it, not that the device received it. If the response is empty
    /// or has an unknown shape, the returned datapoint has the value, the current time and a blank id.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'DSN is required', 'Device key is required' or
    /// 'Property key is required' (depending on how the property is identified), 'Property name is required' or
    /// 'Invalid property value'; `Server` with status 422 if the value does not fit the property; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Datapoint> {
        self.write(self.request()).await
    }

    pub(super) async fn write(&self, request: Result<Request>) -> Result<Datapoint> {
        let response = self.datapoints.session.call(messages::SESSION_NOT_ACTIVE, request).await?;
        Ok(response
            .read_if_possible(read::one)
            .filter(|written: &Datapoint| !written.id.is_blank())
            .unwrap_or_else(|| Datapoint::as_sent(self.value.clone(), self.datapoints.session.now())))
    }

    pub(super) fn request(&self) -> Result<Request> {
        let request = self.property.request(Method::POST, &CREATE)?.retries(self.datapoints.retries);
        Ok(request.body(json!({"datapoint": to_wire(&self.value, &self.metadata)?})))
    }
}

/// The JSON of a new datapoint.
pub(super) fn to_wire(value: &PropertyValue, metadata: &BTreeMap<String, String>) -> Result<Value> {
    let mut datapoint = json!({"value": value.to_wire()?});
    if !metadata.is_empty() {
        datapoint["metadata"] = json!(metadata);
    }
    Ok(datapoint)
}
