use reqwest::Method;

use crate::api::{family, required};
use crate::client::Client;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{DeviceKey, Notification, read};

/// Calls about who is told when something happens to a device; made by [`Client::notifications`].
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// let device = client.devices().get("AC000W000000001").send().await?;
/// for notification in client.notifications().list(&device.key).await? {
///     println!("{} after {:?} s", notification.notification_type, notification.threshold);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Notifications {
    client: Client,
    retries: bool,
}

family!(Notifications);

impl Notifications {
    /// The notifications of a device, whoever made them. `GET apiv1/devices/{key}/notifications/all`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Device key is required'; `Server` with status 404 when the
    /// device is not there or not yours; see [`Client`] for what any call may return.
    pub async fn list(&self, device: impl Into<DeviceKey>) -> Result<Vec<Notification>> {
        let request = Self::list_request(&device.into()).map(|request| request.retries(self.retries));
        self.client.call(messages::NO_SESSION_ACTIVE, request).await?.read(read::many)
    }

    fn list_request(device: &DeviceKey) -> Result<Request> {
        required(device.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
        Request::new(Method::GET, Service::Device, "apiv1/devices/{}/notifications/all", &[device.as_str()])
    }
}
