use std::sync::Arc;

use crate::api::ListData;
use crate::api::data::{Data, Owner};
use crate::error::Result;
use crate::model::Datum;
use crate::session::CloudSession;

/// Calls for the key/value data of the signed-in user, which are deleted with the account; returned by
/// [`Client::user_data`](crate::Client::user_data).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// let data = client.user_data();
/// data.create("theme", "dark").await?;
/// for datum in data.list().keys(["theme", "units"]).send().await? {
///     println!("{} = {}", datum.key, datum.value);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct UserData(Data);

impl UserData {
    pub(crate) fn new(session: Arc<CloudSession>) -> Self {
        Self(Data { session, retries: true, owner: Owner::User })
    }

    /// The same calls without retries.
    #[must_use]
    pub fn without_retry(self) -> Self {
        Self(Data { retries: false, ..self.0 })
    }

    /// Lists the data, all or by key. `GET api/v1/users/data.json`
    pub fn list(&self) -> ListData {
        self.0.list()
    }

    /// Creates a datum. Never retried, because it is not idempotent. If the response is empty or has an unknown shape,
    /// returns the datum as it was sent. `POST api/v1/users/data.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Datum key is required'; `Server` with status 422 if
    /// the key exists already, key or value is too long, or there are too many data; see [`Client`](crate::Client) for errors of all
    /// calls.
    pub async fn create(&self, key: impl Into<String>, value: impl Into<String>) -> Result<Datum> {
        self.0.create(key.into(), value.into()).await
    }

    /// One datum. `GET api/v1/users/data/{key}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Datum key is required'; `Server` with status 404 if
    /// there is no such key; see [`Client`](crate::Client) for errors of all calls.
    pub async fn get(&self, key: impl Into<String>) -> Result<Datum> {
        self.0.get(key.into()).await
    }

    /// Changes the value of a datum. If the response is empty or has an unknown shape, returns the datum as it was
    /// sent. `PUT api/v1/users/data/{key}.json`
    ///
    /// # Errors
    /// As [`get`](Self::get); `Server` with status 422 if the value is too long.
    pub async fn update(&self, key: impl Into<String>, value: impl Into<String>) -> Result<Datum> {
        self.0.update(key.into(), value.into()).await
    }

    /// Deletes a datum. `DELETE api/v1/users/data/{key}.json`
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn delete(&self, key: impl Into<String>) -> Result<()> {
        self.0.delete(key.into()).await
    }
}
