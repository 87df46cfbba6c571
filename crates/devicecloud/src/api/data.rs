//! Calls for key/value data, shared by devices and users.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::{Datum, Dsn, read};
use crate::session::CloudSession;

/// The owner of the data.
#[derive(Clone, Debug)]
pub(super) enum Owner {
    Device(Dsn),
    User,
}

#[derive(Clone, Debug)]
pub(super) struct Data {
    pub(super) session: Arc<CloudSession>,
    pub(super) retries: bool,
    pub(super) owner: Owner,
}

impl Data {
    pub(super) fn list(&self) -> ListData {
        ListData { data: self.clone(), keys: Vec::new() }
    }

    pub(super) async fn create(&self, key: String, value: String) -> Result<Datum> {
        let request = self.all(Method::POST).and_then(|request| {
            key_required(&key)?;
            Ok(request.body(json!({"datum": {"key": key, "value": value}})))
        });
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| Datum::as_sent(key, value)))
    }

    pub(super) async fn get(&self, key: String) -> Result<Datum> {
        self.call(self.one(Method::GET, &key, None)).await?.read(read::one)
    }

    pub(super) async fn update(&self, key: String, value: String) -> Result<Datum> {
        let request = self.one(Method::PUT, &key, Some(json!({"datum": {"value": value}})));
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| Datum::as_sent(key, value)))
    }

    pub(super) async fn delete(&self, key: String) -> Result<()> {
        self.call(self.one(Method::DELETE, &key, None)).await.map(drop)
    }

    fn all(&self, method: Method) -> Result<Request> {
        match &self.owner {
            Owner::Device(dsn) => {
                required(dsn.is_blank(), messages::DSN_REQUIRED)?;
                Request::new(method, Service::Device, "apiv1/dsns/{}/data.json", &[dsn.as_str()])
            }
            Owner::User => Request::new(method, Service::User, "api/v1/users/data.json", &[]),
        }
    }

    fn one(&self, method: Method, key: &str, body: Option<Value>) -> Result<Request> {
        let request = match &self.owner {
            Owner::Device(dsn) => {
                required(dsn.is_blank(), messages::DSN_REQUIRED)?;
                key_required(key)?;
                Request::new(method, Service::Device, "apiv1/dsns/{}/data/{}.json", &[dsn.as_str(), key])
            }
            Owner::User => {
                key_required(key)?;
                Request::new(method, Service::User, "api/v1/users/data/{}.json", &[key])
            }
        }?;
        Ok(match body {
            Some(body) => request.body(body),
            None => request,
        })
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::NO_SESSION_ACTIVE, request).await
    }
}

fn key_required(key: &str) -> Result<()> {
    required(key.trim().is_empty(), messages::DATUM_KEY_REQUIRED)
}

/// Builder for listing the data of a device or of the signed-in user; returned by
/// [`DeviceData::list`](crate::api::DeviceData::list) and [`UserData::list`](crate::api::UserData::list).
#[derive(Clone, Debug)]
#[must_use]
pub struct ListData {
    data: Data,
    keys: Vec<String>,
}

impl ListData {
    /// Only data with these keys; all by default. `%` in a key matches any text.
    pub fn keys(mut self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.keys.extend(keys.into_iter().map(Into::into));
        self
    }

    /// Fetches the data. Keys that do not exist are omitted.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; of a device also `InvalidArgument` 'DSN is required', and `Server` with
    /// status 404 if it does not exist or is not visible to you; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Vec<Datum>> {
        self.data.call(self.request()).await?.read(read::many)
    }

    fn request(&self) -> Result<Request> {
        let request = self.data.all(Method::GET)?;
        Ok(match self.keys.as_slice() {
            // Clouds accept a single pattern as `keys`, and several keys as `keys[]`.
            [pattern] if pattern.contains('%') => request.query("keys", pattern),
            keys => keys.iter().fold(request, |request, key| request.query("keys[]", key)),
        })
    }
}
