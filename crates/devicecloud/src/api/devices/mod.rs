mod change;
mod connections;
mod data;
mod get;
mod include;
mod list;
mod place;

pub use connections::ConnectionHistory;
pub use data::DeviceData;
pub use get::GetDevice;
pub use include::Include;
pub use list::{ListDevices, Order};
pub use place::SetLocation;

use reqwest::Method;

use crate::api::family;
use crate::api::role_labels::of_device;
use crate::client::Client;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::{Answer, Request};
use crate::messages;
use crate::model::{Device, DeviceKey, DeviceMembers, Dsn, RoleLabel, read};

/// Calls about devices; made by [`Client::devices`].
#[derive(Clone, Debug)]
pub struct Devices {
    client: Client,
    retries: bool,
}

family!(Devices);

impl Devices {
    /// Devices page by page: an end user's own, an administrator's all. `GET apiv1/devices.json?paginated=true`
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

    /// All devices in one answer: for a household, not for a fleet. `GET apiv1/devices.json`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; see [`Client`] for what any call may return.
    pub async fn all(&self) -> Result<Vec<Device>> {
        let request = Request::new(Method::GET, Service::Device, "apiv1/devices.json", &[])
            .map(|request| request.retries(self.retries));
        self.client.call(messages::SESSION_MANAGER_REQUIRED, request).await?.items::<DeviceMembers>()
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

    /// When a device came and went. An addition to the protocol: a cloud that keeps no such history answers 404.
    /// `GET apiv1/dsns/{dsn}/connection_history.json`
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

    /// When the device with this key came and went; as [`connection_history`](Self::connection_history).
    /// `GET apiv1/devices/{key}/connection_history.json`
    pub fn connection_history_by_key(&self, key: impl Into<DeviceKey>) -> ConnectionHistory {
        ConnectionHistory::by_key(self.clone(), key.into())
    }

    /// The key/value data of a device. Nothing is sent.
    pub fn data(&self, dsn: impl Into<Dsn>) -> DeviceData {
        DeviceData::new(self.clone(), dsn.into())
    }

    /// The role labels of a device, as [`RoleLabels::list`](crate::api::RoleLabels::list) tells them.
    /// `GET apiv1/devices/{key}/role_labels`
    ///
    /// # Errors
    /// As there.
    pub async fn role_labels(&self, key: impl Into<DeviceKey>) -> Result<Vec<RoleLabel>> {
        let request = of_device(Method::GET, "apiv1/devices/{}/role_labels", &key.into());
        let request = request.map(|request| request.retries(self.retries));
        self.client.call(messages::SESSION_MANAGER_REQUIRED, request).await?.read(read::many)
    }

    /// What the specification calls a device call.
    async fn device_call(&self, request: Result<Request>) -> Result<Answer> {
        let request = request.map(|request| request.retries(self.retries));
        self.client.call(messages::NO_SESSION_ACTIVE, request).await
    }
}
