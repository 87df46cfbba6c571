//! Calls on shares of devices.

mod create;
mod new_share;
mod update;

pub use create::{CreateShare, CreateShares};
pub use new_share::NewShare;
pub use update::UpdateShare;

use std::sync::Arc;

use http::Method;

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::{Share, ShareId, read};
use crate::session::CloudSession;

const ALL: &str = "api/v1/users/shares.json";
const ONE: &str = "api/v1/users/shares/{}.json";

/// Calls for shares, which give other users access to a device; returned by [`Client::shares`](crate::Client::shares).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::{NewShare, ShareOperation};
///
/// let shares = client.shares();
/// let guest = NewShare::for_device("AC000W000000001", "jo@example.com")
///     .operation(ShareOperation::Write)
///     .end_date_at("2026-12-01T00:00:00Z".parse::<devicecloud::Time>()?);
/// let share = shares.create(guest).send().await?;
/// shares.update(&share).operation(ShareOperation::Read).send().await?;
/// for share in shares.received().await? {
///     println!("{} may be used", share.resource_id);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Shares {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Shares);

impl Shares {
    /// The active shares that the signed-in user created. `GET api/v1/users/shares.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; see [`Client`](crate::Client) for errors of all calls.
    pub async fn owned(&self) -> Result<Vec<Share>> {
        self.call(Request::new(Method::GET, Service::User, ALL, &[])).await?.read(read::many)
    }

    /// The active shares that the signed-in user received. `GET api/v1/users/shares/received.json`
    ///
    /// # Errors
    /// As [`owned`](Self::owned).
    pub async fn received(&self) -> Result<Vec<Share>> {
        let request = Request::new(Method::GET, Service::User, "api/v1/users/shares/received.json", &[]);
        self.call(request).await?.read(read::many)
    }

    /// One share. `GET api/v1/users/shares/{id}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'ShareId is required'; `Server` with status 404 if it
    /// does not exist, is not visible to you, or has ended; see [`Client`](crate::Client) for errors of all calls.
    pub async fn get(&self, id: impl Into<ShareId>) -> Result<Share> {
        self.call(share_request(Method::GET, &id.into(), messages::SHARE_ID_REQUIRED)).await?.read(read::one)
    }

    /// Creates a share. Never retried, because it is not idempotent. `POST api/v1/users/shares.json`
    pub fn create(&self, share: NewShare) -> CreateShare {
        CreateShare::new(self.clone(), share)
    }

    /// Creates several shares in one call. Never retried, because it is not idempotent. `POST api/v1/users/shares.json`
    pub fn create_several(&self, shares: impl IntoIterator<Item = NewShare>) -> CreateShares {
        CreateShares::new(self.clone(), shares.into_iter().collect())
    }

    /// Changes the operation, role or time span of a share. `PUT api/v1/users/shares/{id}.json`
    pub fn update(&self, share: &Share) -> UpdateShare {
        UpdateShare::new(self.clone(), share)
    }

    /// Deletes a share that you created or received. `DELETE api/v1/users/shares/{id}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'ShareId is requried'; `Server` with status 404 if it
    /// does not exist or is not visible to you, 403 if you may not end it; see [`Client`](crate::Client) for errors of
    /// all
    /// calls.
    pub async fn delete(&self, id: impl Into<ShareId>) -> Result<()> {
        self.call(share_request(Method::DELETE, &id.into(), messages::SHARE_ID_REQURIED)).await.map(drop)
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::NO_SESSION_ACTIVE, request).await
    }
}

fn share_request(method: Method, id: &ShareId, missing: &str) -> Result<Request> {
    required(id.is_blank(), missing)?;
    Request::new(method, Service::User, ONE, &[id.as_str()])
}
