use std::borrow::Borrow;

use http::Method;

use super::Devices;
use super::include::{Include, with_include};
use crate::api::device_ref::DeviceRef;
use crate::error::Result;
use crate::error::messages;
use crate::http::Request;
use crate::model::{Device, DeviceKey, Dsn, read};

/// Builder for reading one device; returned by [`Devices::get`] and [`Devices::get_by_key`].
#[derive(Clone, Debug)]
#[must_use]
pub struct GetDevice {
    devices: Devices,
    device: DeviceRef,
    include: Vec<Include>,
}

impl GetDevice {
    pub(super) fn by_dsn(devices: Devices, dsn: Dsn) -> Self {
        Self { devices, device: DeviceRef::Dsn(dsn), include: Vec::new() }
    }

    pub(super) fn by_key(devices: Devices, key: DeviceKey) -> Self {
        Self { devices, device: DeviceRef::Key(key), include: Vec::new() }
    }

    /// Additional data to include.
    pub fn include(mut self, parts: impl IntoIterator<Item = impl Borrow<Include>>) -> Self {
        self.include.extend(parts.into_iter().map(|part| *part.borrow()));
        self
    }

    /// Fetches the device.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'DSN is required' or 'Device key is required';
    /// `Server` with status 404 if it does not exist or is not visible to you; see [`Client`](crate::Client) for errors
    /// of all calls.
    pub async fn send(&self) -> Result<Device> {
        let request = self.request();
        self.devices.session.call(messages::SESSION_MANAGER_REQUIRED, request).await?.read(read::one)
    }

    fn request(&self) -> Result<Request> {
        let request = self.device.request(Method::GET, "apiv1/dsns/{}", "apiv1/devices/{}.json")?;
        Ok(with_include(request.retries(self.devices.retries), &self.include))
    }
}
