use super::Devices;
use crate::api::ListData;
use crate::api::data::{Data, Owner};
use crate::error::Result;
use crate::model::{Datum, Dsn};

/// Calls for the key/value data of one device, which are deleted with the device; returned by [`Devices::data`].
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
pub struct DeviceData(Data);

impl DeviceData {
    pub(super) fn new(devices: Devices, dsn: Dsn) -> Self {
        let Devices { session, retries } = devices;
        Self(Data { session, retries, owner: Owner::Device(dsn) })
    }

    /// Lists the data, all or by key. `GET apiv1/dsns/{dsn}/data.json`
    pub fn list(&self) -> ListData {
        self.0.list()
    }

    /// Creates a datum. Never retried, because it is not idempotent. If the response is empty or has an unknown shape,
    /// returns the datum as it was sent. `POST apiv1/dsns/{dsn}/data.json`
    ///
    /// # Errors
    /// As [`get`](Self::get); `Server` with status 403 if you may not change the device, 422 if the key exists already,
    /// or key or value is too long.
    pub async fn create(&self, key: impl Into<String>, value: impl Into<String>) -> Result<Datum> {
        self.0.create(key.into(), value.into()).await
    }

    /// One datum. `GET apiv1/dsns/{dsn}/data/{key}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'DSN is required' or 'Datum key is required'; `Server`
    /// with status 404 if the device does not exist or is not visible to you, or has no such key; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn get(&self, key: impl Into<String>) -> Result<Datum> {
        self.0.get(key.into()).await
    }

    /// Changes the value of a datum. If the response is empty or has an unknown shape, returns the datum as it was
    /// sent. `PUT apiv1/dsns/{dsn}/data/{key}.json`
    ///
    /// # Errors
    /// As [`create`](Self::create); `Server` with status 404 if there is no such key.
    pub async fn update(&self, key: impl Into<String>, value: impl Into<String>) -> Result<Datum> {
        self.0.update(key.into(), value.into()).await
    }

    /// Deletes a datum. `DELETE apiv1/dsns/{dsn}/data/{key}.json`
    ///
    /// # Errors
    /// As [`get`](Self::get); `Server` with status 403 if you may not change the device.
    pub async fn delete(&self, key: impl Into<String>) -> Result<()> {
        self.0.delete(key.into()).await
    }
}
