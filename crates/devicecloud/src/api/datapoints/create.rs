use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use super::{CREATE, Datapoints};
use crate::api::address::PropertyAddress;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{Datapoint, PropertyValue, read};

/// A value to write; made by [`Datapoints::create`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateDatapoint {
    datapoints: Datapoints,
    property: PropertyAddress,
    value: PropertyValue,
    metadata: BTreeMap<String, String>,
}

impl CreateDatapoint {
    pub(super) fn new(datapoints: &Datapoints, property: PropertyAddress, value: PropertyValue) -> Self {
        Self { datapoints: datapoints.clone(), property, value, metadata: BTreeMap::new() }
    }

    /// Adds a pair of a name and a text to the datapoint; clouds allow 10.
    pub fn metadata(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), text.into());
        self
    }

    /// Writes the value. `Ok` means that the cloud has it, not that the device has. When the answer is empty or has an unknown
    /// shape, the datapoint has the value, the present time and a blank id.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'DSN is required', 'Device key is required' or 'Property key
    /// is required' (whichever names the property), 'Property name is required' or 'Invalid property value'; `Server` with
    /// status 422 when the value does not fit; see [`Client`](crate::Client) for what any call may return.
    pub async fn send(&self) -> Result<Datapoint> {
        let answer = self.datapoints.client.call(messages::SESSION_NOT_ACTIVE, self.request()).await?;
        Ok(answer
            .read_if_possible(read::one)
            .unwrap_or_else(|| Datapoint::unread(self.value.clone(), self.datapoints.client.now())))
    }

    fn request(&self) -> Result<Request> {
        let request = self.property.request(Method::POST, &CREATE)?.retries(self.datapoints.retries);
        Ok(request.body(json!({"datapoint": to_wire(&self.value, &self.metadata)?})))
    }
}

/// A datapoint as the cloud wants it.
pub(super) fn to_wire(value: &PropertyValue, metadata: &BTreeMap<String, String>) -> Result<Value> {
    let mut datapoint = json!({"value": value.to_wire()?});
    if !metadata.is_empty() {
        datapoint["metadata"] = json!(metadata);
    }
    Ok(datapoint)
}
