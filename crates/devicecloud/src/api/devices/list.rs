use std::borrow::Borrow;

use futures::{Stream, TryStreamExt, stream};
use http::Method;

use super::Devices;
use super::include::{Include, with_include};
use crate::api::paging::{Paging, paging_setters};
use crate::config::endpoints::Service;
use crate::error::Result;
use crate::error::messages;
use crate::http::Request;
use crate::model::{Device, DevicePage, Fingerprint};

/// Builder for listing devices; returned by [`Devices::list`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ListDevices {
    devices: Devices,
    paging: Paging,
    include: Vec<Include>,
}

impl ListDevices {
    pub(super) fn new(devices: Devices) -> Self {
        Self { devices, paging: Paging::default(), include: Vec::new() }
    }

    paging_setters!("Devices");

    /// Additional data to include with each device.
    pub fn include(mut self, parts: impl IntoIterator<Item = impl Borrow<Include>>) -> Self {
        self.include.extend(parts.into_iter().map(|part| *part.borrow()));
        self
    }

    /// Fetches the page.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` for a page or page size of 0; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<DevicePage> {
        let request = self.request();
        self.devices.session.call(messages::SESSION_MANAGER_REQUIRED, request).await?.page()
    }

    /// Fetches the page, and skips parsing if its contents are unchanged: returns `None` in place of the page if its
    /// fingerprint equals `known`. For applications that read a large fleet repeatedly.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub async fn send_if_changed(&self, known: Option<Fingerprint>) -> Result<(Option<DevicePage>, Fingerprint)> {
        let request = self.request();
        let response = self.devices.session.call(messages::SESSION_MANAGER_REQUIRED, request).await?;
        let fingerprint = Fingerprint(response.fingerprint());
        if known == Some(fingerprint) {
            return Ok((None, fingerprint));
        }
        Ok((Some(response.page()?), fingerprint))
    }

    /// This page and all following pages, fetched one by one. The stream ends after the first error.
    pub fn pages(self) -> impl Stream<Item = Result<DevicePage>> + Send + 'static {
        stream::try_unfold(Some(self), |list| async move {
            let Some(list) = list else { return Ok(None) };
            let page = list.send().await?;
            let next = list.paging.next(page.next_page, page.devices.is_empty());
            Ok(Some((page, next.map(|next| list.page(next)))))
        })
    }

    /// The devices of this page and all following pages.
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use futures::TryStreamExt;
    ///
    /// let mut devices = std::pin::pin!(client.devices().list().per_page(100).items());
    /// while let Some(device) = devices.try_next().await? {
    ///     println!("{}", device.dsn);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn items(self) -> impl Stream<Item = Result<Device>> + Send + 'static {
        self.pages().map_ok(|page| stream::iter(page.devices.into_iter().map(Ok))).try_flatten()
    }

    fn request(&self) -> Result<Request> {
        self.paging.check()?;
        let request =
            Request::new(Method::GET, Service::Device, "apiv1/devices.json", &[])?.retries(self.devices.retries);
        Ok(with_include(self.paging.apply(request), &self.include))
    }
}
