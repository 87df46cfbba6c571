use http::Method;
use serde_json::json;

use super::Devices;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;
use crate::model::DeviceKey;

impl Devices {
    /// Sets the display name of a device. `PUT apiv1/devices/{key}.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let device = client.devices().get("AC000W000000001").send().await?;
    /// client.devices().rename(&device.key, "Lobby").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Device key is required' or 'Display name is requried';
    /// `Server` with status 404 if the device does not exist or is not visible to you, 403 if you may not change it,
    /// 422 if the name is too long; see [`Client`](crate::Client) for errors of all calls.
    pub async fn rename(&self, key: impl Into<DeviceKey>, display_name: impl Into<String>) -> Result<()> {
        self.device_call(rename(&key.into(), &display_name.into())).await.map(drop)
    }

    /// Unregisters a device from its owner and deletes its data, labels, address and time zone.
    /// `DELETE apiv1/devices/{key}.json`
    ///
    /// # Errors
    /// As [`rename`](Self::rename), except those for the name.
    pub async fn unregister(&self, key: impl Into<DeviceKey>) -> Result<()> {
        self.device_call(device_request(Method::DELETE, "apiv1/devices/{}.json", &key.into())).await.map(drop)
    }

    /// Resets a device to its factory state. It stays registered; nodes behind it become unregistered.
    /// `PUT apiv1/devices/{key}/cmds/factory_reset.json`
    ///
    /// # Errors
    /// As [`rename`](Self::rename), except those for the name.
    pub async fn factory_reset(&self, key: impl Into<DeviceKey>) -> Result<()> {
        let route = "apiv1/devices/{}/cmds/factory_reset.json";
        self.device_call(device_request(Method::PUT, route, &key.into())).await.map(drop)
    }
}

fn rename(key: &DeviceKey, display_name: &str) -> Result<Request> {
    required(key.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
    required(display_name.trim().is_empty(), messages::DISPLAY_NAME_REQUIRED)?;
    let request = Request::new(Method::PUT, Service::Device, "apiv1/devices/{}.json", &[key.as_str()])?;
    Ok(request.body(json!({"device": {"product_name": display_name}})))
}

/// A request whose only argument is a device key.
pub(super) fn device_request(method: Method, route: &'static str, key: &DeviceKey) -> Result<Request> {
    required(key.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
    Request::new(method, Service::Device, route, &[key.as_str()])
}
