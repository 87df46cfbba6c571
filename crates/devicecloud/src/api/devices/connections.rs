use http::Method;

use super::Devices;
use crate::api::device_ref::DeviceRef;
use crate::error::Result;
use crate::http::Request;
use crate::model::{ConnectionChange, DeviceKey, Dsn, Time, read};

/// Maximum number of changes in one request.
const MAX_LIMIT: i64 = 1_000;

/// Builder for reading a device's connection history; returned by [`Devices::connection_history`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ConnectionHistory {
    devices: Devices,
    device: DeviceRef,
    limit: i64,
    since: Option<Time>,
    until: Option<Time>,
}

impl ConnectionHistory {
    pub(super) fn by_dsn(devices: Devices, dsn: Dsn) -> Self {
        Self::of(devices, DeviceRef::Dsn(dsn))
    }

    pub(super) fn by_key(devices: Devices, key: DeviceKey) -> Self {
        Self::of(devices, DeviceRef::Key(key))
    }

    fn of(devices: Devices, device: DeviceRef) -> Self {
        Self { devices, device, limit: MAX_LIMIT, since: None, until: None }
    }

    /// The maximum number of changes; 1,000 by default. Values outside 1 to 1,000 become 1,000.
    pub fn limit(self, count: i64) -> Self {
        Self { limit: if (1..=MAX_LIMIT).contains(&count) { count } else { MAX_LIMIT }, ..self }
    }

    /// Only changes at this time or later, and the last one before it.
    pub fn since(self, time: Time) -> Self {
        Self { since: Some(time), ..self }
    }

    /// Only changes at this time or earlier.
    pub fn until(self, time: Time) -> Self {
        Self { until: Some(time), ..self }
    }

    /// Fetches the newest changes, up to the [limit](Self::limit), in chronological order. If the cloud knows the
    /// status at [`since`](Self::since) and the limit leaves room, the first entry is that status, with a time before
    /// the span.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'DSN is required' or 'Device key is required'; `Server`
    /// with status 404 if the device does not exist or is not visible to you, or the cloud has no such history; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Vec<ConnectionChange>> {
        self.devices.device_call(self.request()).await?.read(read::many)
    }

    fn request(&self) -> Result<Request> {
        let (by_dsn, by_key) = ("apiv1/dsns/{}/connection_history.json", "apiv1/devices/{}/connection_history.json");
        let request = self.device.request(Method::GET, by_dsn, by_key)?.query("limit", self.limit.to_string());
        let span = [("filter[created_at_since_date]", self.since), ("filter[created_at_end_date]", self.until)];
        let span = span.into_iter().filter_map(|(name, time)| Some((name, time?)));
        Ok(span.fold(request, |request, (name, time)| request.query(name, time.to_string())))
    }
}
