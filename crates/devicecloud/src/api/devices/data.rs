use reqwest::Method;
use serde_json::{Value, json};

use super::Devices;
use crate::api::required;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{Datum, Dsn, read};

const ALL: &str = "apiv1/dsns/{}/data.json";
const ONE: &str = "apiv1/dsns/{}/data/{}.json";

/// Calls about the key/value data of one device, which go with the device; made by [`Devices::data`].
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// let data = client.devices().data("AC000W000000001");
/// data.create("floor", "2").await?;
/// for datum in data.list().keys(["floor", "room"]).send().await? {
///     println!("{} = {}", datum.key, datum.value);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DeviceData {
    devices: Devices,
    dsn: Dsn,
}

impl DeviceData {
    pub(super) fn new(devices: Devices, dsn: Dsn) -> Self {
        Self { devices, dsn }
    }

    /// The data, all of them or those of some keys. `GET apiv1/dsns/{dsn}/data.json`
    pub fn list(&self) -> ListData {
        ListData { data: self.clone(), keys: Vec::new() }
    }

    /// Makes a datum. It is sent once: making is not idempotent. When the cloud's answer cannot be read, the datum is told as
    /// it was sent. `POST apiv1/dsns/{dsn}/data.json`
    ///
    /// # Errors
    /// As [`get`](Self::get); `Server` with status 403 when the device is not yours to change, 422 when there is such a key
    /// already, or key or value is too long.
    pub async fn create(&self, key: impl Into<String>, value: impl Into<String>) -> Result<Datum> {
        let (key, value) = (key.into(), value.into());
        let request = self.all(Method::POST).and_then(|request| {
            key_required(&key)?;
            Ok(request.body(json!({"datum": {"key": key, "value": value}})))
        });
        let answer = self.devices.device_call(request).await?;
        Ok(answer.read_if_possible(read::one).unwrap_or_else(|| Datum::unread(key, value)))
    }

    /// One datum. `GET apiv1/dsns/{dsn}/data/{key}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'DSN is required' or 'Datum key is required'; `Server` with
    /// status 404 when the device is not there or not yours, or has no such key; see [`Client`](crate::Client) for what any
    /// call may return.
    pub async fn get(&self, key: impl Into<String>) -> Result<Datum> {
        self.devices.device_call(self.one(Method::GET, &key.into(), None)).await?.read(read::one)
    }

    /// Gives a datum another value. When the cloud's answer cannot be read, the datum is told as it was sent.
    /// `PUT apiv1/dsns/{dsn}/data/{key}.json`
    ///
    /// # Errors
    /// As [`create`](Self::create); `Server` with status 404 when there is no such key.
    pub async fn update(&self, key: impl Into<String>, value: impl Into<String>) -> Result<Datum> {
        let (key, value) = (key.into(), value.into());
        let request = self.one(Method::PUT, &key, Some(json!({"datum": {"value": value}})));
        let answer = self.devices.device_call(request).await?;
        Ok(answer.read_if_possible(read::one).unwrap_or_else(|| Datum::unread(key, value)))
    }

    /// Deletes a datum. `DELETE apiv1/dsns/{dsn}/data/{key}.json`
    ///
    /// # Errors
    /// As [`get`](Self::get); `Server` with status 403 when the device is not yours to change.
    pub async fn delete(&self, key: impl Into<String>) -> Result<()> {
        self.devices.device_call(self.one(Method::DELETE, &key.into(), None)).await.map(drop)
    }

    fn all(&self, method: Method) -> Result<Request> {
        required(self.dsn.is_blank(), messages::DSN_REQUIRED)?;
        Request::new(method, Service::Device, ALL, &[self.dsn.as_str()])
    }

    fn one(&self, method: Method, key: &str, body: Option<Value>) -> Result<Request> {
        required(self.dsn.is_blank(), messages::DSN_REQUIRED)?;
        key_required(key)?;
        let request = Request::new(method, Service::Device, ONE, &[self.dsn.as_str(), key])?;
        Ok(match body {
            Some(body) => request.body(body),
            None => request,
        })
    }
}

fn key_required(key: &str) -> Result<()> {
    required(key.trim().is_empty(), messages::DATUM_KEY_REQUIRED)
}

/// The data of a device; made by [`DeviceData::list`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ListData {
    data: DeviceData,
    keys: Vec<String>,
}

impl ListData {
    /// Only the data of these keys; all by default. In a key `%` stands for any text.
    pub fn keys(mut self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.keys.extend(keys.into_iter().map(Into::into));
        self
    }

    /// Fetches the data. Keys that the device does not have are left out.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'DSN is required'; `Server` with status 404 when the device is
    /// not there or not yours; see [`Client`](crate::Client) for what any call may return.
    pub async fn send(&self) -> Result<Vec<Datum>> {
        self.data.devices.device_call(self.request()).await?.read(read::many)
    }

    fn request(&self) -> Result<Request> {
        let request = self.data.all(Method::GET)?;
        Ok(match self.keys.as_slice() {
            // A cloud takes one pattern as it is, and several keys as an array.
            [pattern] if pattern.contains('%') => request.query("keys", pattern),
            keys => keys.iter().fold(request, |request, key| request.query("keys[]", key)),
        })
    }
}
