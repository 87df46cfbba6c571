use reqwest::Method;
use serde_json::json;

use super::Devices;
use crate::api::required;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::DeviceKey;

impl Devices {
    /// Gives a device the name that people know it by. `PUT apiv1/devices/{key}.json`
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
    /// `Server` with status 404 when the device is not there or not yours, 403 when it is not yours to change, 422 when the
    /// name is too long; see [`Client`](crate::Client) for what any call may return.
    pub async fn rename(&self, key: impl Into<DeviceKey>, display_name: impl Into<String>) -> Result<()> {
        self.device_call(rename(&key.into(), &display_name.into())).await.map(drop)
    }

    /// Gives a device up: what hangs on it goes (data, labels, address, time zone), and it is nobody's.
    /// `DELETE apiv1/devices/{key}.json`
    ///
    /// # Errors
    /// As [`rename`](Self::rename), but for the name.
    pub async fn unregister(&self, key: impl Into<DeviceKey>) -> Result<()> {
        self.device_call(of_key(Method::DELETE, "apiv1/devices/{}.json", &key.into())).await.map(drop)
    }

    /// Sets a device back to what it was when it was made; it stays registered, but nodes behind it do not.
    /// `PUT apiv1/devices/{key}/cmds/factory_reset.json`
    ///
    /// # Errors
    /// As [`rename`](Self::rename), but for the name.
    pub async fn factory_reset(&self, key: impl Into<DeviceKey>) -> Result<()> {
        let route = "apiv1/devices/{}/cmds/factory_reset.json";
        self.device_call(of_key(Method::PUT, route, &key.into())).await.map(drop)
    }
}

fn rename(key: &DeviceKey, display_name: &str) -> Result<Request> {
    required(key.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
    required(display_name.trim().is_empty(), messages::DISPLAY_NAME_REQUIRED)?;
    let request = Request::new(Method::PUT, Service::Device, "apiv1/devices/{}.json", &[key.as_str()])?;
    Ok(request.body(json!({"device": {"product_name": display_name}})))
}

/// A call whose only argument is the key of a device.
pub(super) fn of_key(method: Method, route: &'static str, key: &DeviceKey) -> Result<Request> {
    required(key.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
    Request::new(method, Service::Device, route, &[key.as_str()])
}
