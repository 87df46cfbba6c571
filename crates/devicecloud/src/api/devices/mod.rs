//! Calls on devices, their data, their location and their connection history.

mod connections;
mod data;
mod get;
mod include;
mod list;
mod location;
mod update;

pub use connections::ConnectionHistory;
pub use data::DeviceData;
pub use get::GetDevice;
pub use include::Include;
pub use list::ListDevices;
pub use location::SetLocation;

use std::sync::Arc;

use http::Method;

use crate::api::call_group;
use crate::api::role_labels::device_labels_request;
use crate::config::endpoints::Service;
use crate::error::Result;
use crate::error::messages;
use crate::http::{Request, Response};
use crate::model::{Device, DeviceKey, DeviceReader, Dsn, RoleLabel, read};
use crate::session::CloudSession;

/// Calls for devices; returned by [`Client::devices`](crate::Client::devices).
#[derive(Clone, Debug)]
pub struct Devices {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Devices);

impl Devices {
    /// Lists devices page by page: those of an end user, or all that an administrator manages.
    /// `GET apiv1/devices.json?paginated=true`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::{Include, Order};
    ///
    /// let page = client.devices().list().per_page(50).order_by("dsn").order(Order::Asc).include([Include::Data]).send().await?;
    /// println!("{} of {}", page.devices.len(), page.total);
    /// # Ok(())
    /// # }
    /// ```
    pub fn list(&self) -> ListDevices {
        ListDevices::new(self.clone())
    }

    /// All devices in one response. Use [`list`](Self::list) for large numbers of devices. `GET apiv1/devices.json`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; see [`Client`](crate::Client) for errors of all calls.
    pub async fn all(&self) -> Result<Vec<Device>> {
        let request = Request::new(Method::GET, Service::Device, "apiv1/devices.json", &[])
            .map(|request| request.retries(self.retries));
        self.session.call(messages::SESSION_MANAGER_REQUIRED, request).await?.items::<DeviceReader>()
    }

    /// One device by its serial number. `GET apiv1/dsns/{dsn}`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let device = client.devices().get("AC000W000000001").send().await?;
    /// println!("{:?} is {}", device.product_name, device.connection_status);
    /// # Ok(())
    /// # }
    /// ```
    pub fn get(&self, dsn: impl Into<Dsn>) -> GetDevice {
        GetDevice::by_dsn(self.clone(), dsn.into())
    }

    /// One device by its key. `GET apiv1/devices/{key}.json`
    pub fn get_by_key(&self, key: impl Into<DeviceKey>) -> GetDevice {
        GetDevice::by_key(self.clone(), key.into())
    }

    /// When a device went online and offline. An extension of the protocol: a cloud without this history responds with
    /// status 404. `GET apiv1/dsns/{dsn}/connection_history.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// for change in client.devices().connection_history("AC000W000000001").limit(20).send().await? {
    ///     println!("{} since {:?}", change.status, change.event_time);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn connection_history(&self, dsn: impl Into<Dsn>) -> ConnectionHistory {
        ConnectionHistory::by_dsn(self.clone(), dsn.into())
    }

    /// Like [`connection_history`](Self::connection_history), with the device identified by its key.
    /// `GET apiv1/devices/{key}/connection_history.json`
    pub fn connection_history_by_key(&self, key: impl Into<DeviceKey>) -> ConnectionHistory {
        ConnectionHistory::by_key(self.clone(), key.into())
    }

    /// Calls for the key/value data of a device. Sends nothing by itself.
    pub fn data(&self, dsn: impl Into<Dsn>) -> DeviceData {
        DeviceData::new(self.clone(), dsn.into())
    }

    /// The role labels of a device. Like [`RoleLabels::list`](crate::api::RoleLabels::list), on the other route.
    /// `GET apiv1/devices/{key}/role_labels`
    ///
    /// # Errors
    /// As [`RoleLabels::list`](crate::api::RoleLabels::list).
    pub async fn role_labels(&self, key: impl Into<DeviceKey>) -> Result<Vec<RoleLabel>> {
        let request = device_labels_request(Method::GET, "apiv1/devices/{}/role_labels", &key.into());
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::SESSION_MANAGER_REQUIRED, request).await?.read(read::many)
    }

    /// Sends a request with the session error of the specification's device calls.
    async fn device_call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::NO_SESSION_ACTIVE, request).await
    }
}
