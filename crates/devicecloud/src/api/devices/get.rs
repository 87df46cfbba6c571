use std::borrow::Borrow;

use reqwest::Method;

use super::Devices;
use super::include::{Include, with_include};
use crate::api::required;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{Device, Dsn, read};

/// One device; made by [`Devices::get`].
#[derive(Clone, Debug)]
#[must_use]
pub struct GetDevice {
    devices: Devices,
    dsn: Dsn,
    include: Vec<Include>,
}

impl GetDevice {
    pub(super) fn new(devices: Devices, dsn: Dsn) -> Self {
        Self { devices, dsn, include: Vec::new() }
    }

    /// What else the device should carry.
    pub fn include(mut self, parts: impl IntoIterator<Item = impl Borrow<Include>>) -> Self {
        self.include.extend(parts.into_iter().map(|part| *part.borrow()));
        self
    }

    /// Fetches the device.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'DSN is required'; `Server` with status 404 when it
    /// is not there or not yours; see [`Client`](crate::Client) for what any call may return.
    pub async fn send(&self) -> Result<Device> {
        let request = self.request();
        self.devices.client.call(messages::SESSION_MANAGER_REQUIRED, request).await?.read(read::one)
    }

    fn request(&self) -> Result<Request> {
        required(self.dsn.is_blank(), messages::DSN_REQUIRED)?;
        let request = Request::new(Method::GET, Service::Device, "apiv1/dsns/{}", &[self.dsn.as_str()])?;
        Ok(with_include(request.retries(self.devices.retries), &self.include))
    }
}
