use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::json;

use crate::api::{family, required};
use crate::client::Client;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{Datapoint, DatapointId, DeviceKey, Dsn, PropertyValue, read};

/// Calls about the values of a property; made by [`Client::datapoints`].
#[derive(Clone, Debug)]
pub struct Datapoints {
    client: Client,
    retries: bool,
}

family!(Datapoints);

impl Datapoints {
    /// Writes a value to a property. It is sent once: a write is not idempotent.
    /// `POST apiv1/dsns/{dsn}/properties/{name}/datapoints`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let written = client.datapoints().create("AC000W000000001", "intensity", 30).send().await?;
    /// println!("datapoint {}", written.id);
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(
        &self,
        dsn: impl Into<Dsn>,
        property_name: impl Into<String>,
        value: impl Into<PropertyValue>,
    ) -> CreateDatapoint {
        CreateDatapoint {
            datapoints: self.clone(),
            dsn: dsn.into(),
            property_name: property_name.into(),
            value: value.into(),
            metadata: BTreeMap::new(),
        }
    }

    /// One datapoint: how to learn whether a device acknowledged.
    /// `GET apiv1/devices/{key}/properties/{name}/datapoints/{id}.json`
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'Device key is required', 'Property name is required' or
    /// 'Datapoint id is required'; see [`Client`] for what any call may return.
    pub async fn get(
        &self,
        device: impl Into<DeviceKey>,
        property_name: impl Into<String>,
        id: impl Into<DatapointId>,
    ) -> Result<Datapoint> {
        let request = self.get_request(&device.into(), &property_name.into(), &id.into());
        self.client.call(messages::SESSION_NOT_ACTIVE, request).await?.read(read::one)
    }

    fn get_request(&self, device: &DeviceKey, property_name: &str, id: &DatapointId) -> Result<Request> {
        required(device.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
        required(property_name.trim().is_empty(), messages::PROPERTY_NAME_REQUIRED)?;
        required(id.is_blank(), messages::DATAPOINT_ID_REQUIRED)?;
        let route = "apiv1/devices/{}/properties/{}/datapoints/{}.json";
        let arguments = [device.as_str(), property_name, id.as_str()];
        Ok(Request::new(Method::GET, Service::Device, route, &arguments)?.retries(self.retries))
    }
}

/// A value to write; made by [`Datapoints::create`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateDatapoint {
    datapoints: Datapoints,
    dsn: Dsn,
    property_name: String,
    value: PropertyValue,
    metadata: BTreeMap<String, String>,
}

impl CreateDatapoint {
    /// Adds a pair of a name and a text to the datapoint; clouds allow 10.
    pub fn metadata(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), text.into());
        self
    }

    /// Writes the value. `Ok` means that the cloud has it, not that the device has. When the cloud's answer cannot be read,
    /// the datapoint has the value and a blank id.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'DSN is required', 'Property name is required' or
    /// 'Invalid property value'; `Server` with status 422 when the value does not fit; see [`Client`] for what any call may return.
    pub async fn send(&self) -> Result<Datapoint> {
        let answer = self.datapoints.client.call(messages::SESSION_NOT_ACTIVE, self.request()).await?;
        Ok(answer.read_if_possible(read::one).unwrap_or_else(|| Datapoint::unread(self.value.clone())))
    }

    fn request(&self) -> Result<Request> {
        required(self.dsn.is_blank(), messages::DSN_REQUIRED)?;
        required(self.property_name.trim().is_empty(), messages::PROPERTY_NAME_REQUIRED)?;
        let mut datapoint = json!({"value": self.value.to_wire()?});
        if !self.metadata.is_empty() {
            datapoint["metadata"] = json!(self.metadata);
        }
        let route = "apiv1/dsns/{}/properties/{}/datapoints";
        let arguments = [self.dsn.as_str(), self.property_name.as_str()];
        let request = Request::new(Method::POST, Service::Device, route, &arguments)?;
        Ok(request.retries(self.datapoints.retries).body(json!({"datapoint": datapoint})))
    }
}
