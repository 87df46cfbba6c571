use reqwest::Method;

use crate::api::{family, required};
use crate::client::Client;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{Dsn, Property, read};

/// Calls about the properties of a device; made by [`Client::properties`].
#[derive(Clone, Debug)]
pub struct Properties {
    client: Client,
    retries: bool,
}

family!(Properties);

impl Properties {
    /// The properties of a device. `GET apiv1/dsns/{dsn}/properties.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// for property in client.properties().list("AC000W000000001").names(["intensity", "fan"]).send().await? {
    ///     println!("{} = {:?}", property.name, property.value);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn list(&self, dsn: impl Into<Dsn>) -> ListProperties {
        ListProperties { properties: self.clone(), dsn: dsn.into(), names: Vec::new() }
    }
}

/// The properties of a device; made by [`Properties::list`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ListProperties {
    properties: Properties,
    dsn: Dsn,
    names: Vec<String>,
}

impl ListProperties {
    /// Only the properties with these names; all by default. The cloud leaves out names that it does not know.
    pub fn names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Fetches the properties.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'DSN is required'; see [`Client`] for what any call may return.
    pub async fn send(&self) -> Result<Vec<Property>> {
        self.properties.client.call(messages::SESSION_NOT_ACTIVE, self.request()).await?.read(read::many)
    }

    fn request(&self) -> Result<Request> {
        required(self.dsn.is_blank(), messages::DSN_REQUIRED)?;
        let route = "apiv1/dsns/{}/properties.json";
        let request = Request::new(Method::GET, Service::Device, route, &[self.dsn.as_str()])?;
        let request = request.retries(self.properties.retries);
        Ok(self.names.iter().fold(request, |request, name| request.query("names[]", name)))
    }
}
