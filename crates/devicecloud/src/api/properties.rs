use std::sync::Arc;

use http::Method;

use crate::api::call_group;
use crate::api::device_ref::DeviceRef;
use crate::api::property_ref::{PropertyRef, Routes};
use crate::error::Result;
use crate::error::messages;
use crate::http::Request;
use crate::model::{DeviceKey, Dsn, Property, PropertyKey, PropertyReader, read};
use crate::session::CloudSession;

const ONE: Routes = Routes {
    by_dsn: "apiv1/dsns/{}/properties/{}.json",
    by_device: "apiv1/devices/{}/properties/{}.json",
    by_key: "apiv1/properties/{}.json",
};

/// Calls for the properties of a device; returned by [`Client::properties`](crate::Client::properties).
#[derive(Clone, Debug)]
pub struct Properties {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Properties);

impl Properties {
    /// The properties of a device. `GET apiv1/dsns/{dsn}/properties.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// for property in client.properties().list("AC000W000000001").names(["intensity", "fan"]).send().await? {
    ///     if let Some(value) = property.value {
    ///         println!("{} = {value}", property.name);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn list(&self, dsn: impl Into<Dsn>) -> ListProperties {
        ListProperties { properties: self.clone(), device: DeviceRef::Dsn(dsn.into()), names: Vec::new() }
    }

    /// The properties of a device, by the device's key. `GET apiv1/devices/{key}/properties.json`
    pub fn list_by_device(&self, device: impl Into<DeviceKey>) -> ListProperties {
        ListProperties { properties: self.clone(), device: DeviceRef::Key(device.into()), names: Vec::new() }
    }

    /// One property of a device. `GET apiv1/dsns/{dsn}/properties/{name}.json`
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'DSN is required' or 'Property name is required';
    /// `Server` with status 404 if the device does not exist or is not visible to you, or has no such property; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn get(&self, dsn: impl Into<Dsn>, name: impl Into<String>) -> Result<Property> {
        self.one(&PropertyRef::Dsn(dsn.into(), name.into())).await
    }

    /// One property of a device, by the device's key. `GET apiv1/devices/{key}/properties/{name}.json`
    ///
    /// # Errors
    /// As [`get`](Self::get), with 'Device key is required' instead of 'DSN is required'.
    pub async fn get_by_device(&self, device: impl Into<DeviceKey>, name: impl Into<String>) -> Result<Property> {
        self.one(&PropertyRef::Device(device.into(), name.into())).await
    }

    /// One property by its own key. `GET apiv1/properties/{key}.json`
    ///
    /// # Errors
    /// As [`get`](Self::get), with 'Property key is required' as the only `InvalidArgument`.
    pub async fn get_by_key(&self, key: impl Into<PropertyKey>) -> Result<Property> {
        self.one(&PropertyRef::Key(key.into())).await
    }

    async fn one(&self, property: &PropertyRef) -> Result<Property> {
        let request = property.request(Method::GET, &ONE).map(|request| request.retries(self.retries));
        self.session.call(messages::SESSION_NOT_ACTIVE, request).await?.read(read::one)
    }
}

/// Builder for listing the properties of a device; returned by [`Properties::list`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ListProperties {
    properties: Properties,
    device: DeviceRef,
    names: Vec<String>,
}

impl ListProperties {
    /// Only properties with these names; all by default. `%` at either end of a name matches any text. Unknown names
    /// are omitted.
    pub fn names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Fetches the properties.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'DSN is required' or 'Device key is required'; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Vec<Property>> {
        self.properties.session.call(messages::SESSION_NOT_ACTIVE, self.request()).await?.items::<PropertyReader>()
    }

    fn request(&self) -> Result<Request> {
        let (by_dsn, by_key) = ("apiv1/dsns/{}/properties.json", "apiv1/devices/{}/properties.json");
        let request = self.device.request(Method::GET, by_dsn, by_key)?.retries(self.properties.retries);
        Ok(self.names.iter().fold(request, |request, name| request.query("names[]", name)))
    }
}
