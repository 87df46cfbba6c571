//! Calls on values of properties: creating one or many, waiting for the device, and reading the history.

mod ack_polling;
mod await_ack;
mod batch;
mod create;
mod list;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::api::call_group;
use crate::api::property_ref::{PropertyRef, Routes};
use crate::error::Result;
use crate::error::messages;
use crate::model::{Datapoint, DatapointId, DeviceKey, Dsn, PropertyKey, PropertyValue, read};
use crate::session::CloudSession;

pub(crate) use ack_polling::AckPolling;
pub use ack_polling::DEFAULT_ACK_WAIT;
pub use batch::{BatchEntry, CreateBatch};
pub use create::CreateDatapoint;
pub use list::ListDatapoints;

/// The routes for writing a datapoint.
pub(crate) const CREATE: Routes = Routes {
    by_dsn: "apiv1/dsns/{}/properties/{}/datapoints",
    by_device: "apiv1/devices/{}/properties/{}/datapoints",
    by_key: "apiv1/properties/{}/datapoints.json",
};

/// Calls for the values (datapoints) of a property; returned by [`Client::datapoints`](crate::Client::datapoints).
#[derive(Clone, Debug)]
pub struct Datapoints {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Datapoints);

impl Datapoints {
    /// Writes a value to a property. Never retried, because it is not idempotent.
    /// `POST apiv1/dsns/{dsn}/properties/{name}/datapoints`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let written = client.datapoints().create("AC000W000000001", "intensity", 30).send().await?;
    /// println!("datapoint {}", written.id);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// To wait for the device, see [`CreateDatapoint::and_wait`].
    pub fn create(
        &self,
        dsn: impl Into<Dsn>,
        property_name: impl Into<String>,
        value: impl Into<PropertyValue>,
    ) -> CreateDatapoint {
        CreateDatapoint::new(self, PropertyRef::Dsn(dsn.into(), property_name.into()), value.into())
    }

    /// Like [`create`](Self::create), with the device identified by its key.
    /// `POST apiv1/devices/{key}/properties/{name}/datapoints`
    pub fn create_by_device(
        &self,
        device: impl Into<DeviceKey>,
        property_name: impl Into<String>,
        value: impl Into<PropertyValue>,
    ) -> CreateDatapoint {
        CreateDatapoint::new(self, PropertyRef::Device(device.into(), property_name.into()), value.into())
    }

    /// Like [`create`](Self::create), with the property identified by its key.
    /// `POST apiv1/properties/{key}/datapoints.json`
    pub fn create_by_key(&self, key: impl Into<PropertyKey>, value: impl Into<PropertyValue>) -> CreateDatapoint {
        CreateDatapoint::new(self, PropertyRef::Key(key.into()), value.into())
    }

    /// Writes several values in one call, to properties of any devices. `POST apiv1/batch_datapoints.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let batch = client.datapoints().batch().add("AC000W000000001", "fan", 2).add("AC000W000000002", "fan", 2);
    /// for entry in batch.send().await? {
    ///     if let Err(error) = entry.result {
    ///         println!("{}: {error}", entry.dsn);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn batch(&self) -> CreateBatch {
        CreateBatch::new(self)
    }

    /// The newest values of a property. `GET apiv1/dsns/{dsn}/properties/{name}/datapoints.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// for datapoint in client.datapoints().list("AC000W000000001", "intensity").limit(10).send().await? {
    ///     if let (Some(value), Some(at)) = (datapoint.value, datapoint.created_at) {
    ///         println!("{value} at {at}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn list(&self, dsn: impl Into<Dsn>, property_name: impl Into<String>) -> ListDatapoints {
        ListDatapoints::new(self, PropertyRef::Dsn(dsn.into(), property_name.into()))
    }

    /// The newest values of a property of the device with this key.
    /// `GET apiv1/devices/{key}/properties/{name}/datapoints.json`
    pub fn list_by_device(&self, device: impl Into<DeviceKey>, property_name: impl Into<String>) -> ListDatapoints {
        ListDatapoints::new(self, PropertyRef::Device(device.into(), property_name.into()))
    }

    /// The newest values of the property with this key. `GET apiv1/properties/{key}/datapoints.json`
    pub fn list_by_key(&self, key: impl Into<PropertyKey>) -> ListDatapoints {
        ListDatapoints::new(self, PropertyRef::Key(key.into()))
    }

    /// One datapoint. Its [`ack`](Datapoint::ack) shows whether the device answered.
    /// `GET apiv1/devices/{key}/properties/{name}/datapoints/{id}.json`
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'Device key is required', 'Property name is required'
    /// or 'Datapoint id is required'; see [`Client`](crate::Client) for errors of all calls.
    pub async fn get(
        &self,
        device: impl Into<DeviceKey>,
        property_name: impl Into<String>,
        id: impl Into<DatapointId>,
    ) -> Result<Datapoint> {
        let request = PropertyRef::Device(device.into(), property_name.into()).datapoint_request(&id.into());
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::SESSION_NOT_ACTIVE, request).await?.read(read::one)
    }
}
