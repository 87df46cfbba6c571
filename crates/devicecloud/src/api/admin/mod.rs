//! Calls of administrators on users.

mod create;
mod list;

pub use create::CreateUser;
pub use list::ListUsers;

use std::sync::Arc;

use http::Method;
use serde_json::json;

use crate::api::{NewUser, call_group};
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::{OemId, User, UserChanges, UserId, UserUuid, read};
use crate::session::CloudSession;

/// Calls for administrators of a manufacturer (OEM); returned by [`Client::admin`](crate::Client::admin). Administrators list devices with
/// [`Devices::list`](crate::api::Devices::list).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::NewUser;
/// use futures::TryStreamExt;
///
/// let admin = client.admin();
/// let jo = NewUser::new("jo@example.com", "Correct-Horse-1").firstname("Jo").lastname("Moss");
/// let user = admin.create_user(jo).send().await?;
/// println!("created {}", user.uuid);
/// let mut users = std::pin::pin!(admin.users("0dfc7900").per_page(100).order_by("lastname").items());
/// while let Some(user) = users.try_next().await? {
///     println!("{}: {:?}", user.uuid, user.role_tags);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Admin {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Admin);

impl Admin {
    /// The users of a manufacturer that are visible to you, page by page. `GET oems/{oemId}/users.json`
    pub fn users(&self, oem: impl Into<OemId>) -> ListUsers {
        ListUsers::new(self.clone(), "oems/{}/users.json", oem.into())
    }

    /// The end users of a manufacturer (users without a role), page by page. `GET oems/{oemId}/end_users.json`
    pub fn end_users(&self, oem: impl Into<OemId>) -> ListUsers {
        ListUsers::new(self.clone(), "oems/{}/end_users.json", oem.into())
    }

    /// One user by id. `GET users/{userId}.json`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'User id is empty'; `Server` with status 404 if
    /// the user does not exist or is not visible to you, 403 if you may not read it; see [`Client`](crate::Client) for errors of all
    /// calls.
    pub async fn get_user(&self, id: impl Into<UserId>) -> Result<User> {
        self.call(user_request(Method::GET, "users/{}.json", id.into().as_str())).await?.read(read::one)
    }

    /// One user by UUID. `GET users/{userUuid}.json`
    ///
    /// # Errors
    /// As [`get_user`](Self::get_user).
    pub async fn get_user_by_uuid(&self, uuid: impl Into<UserUuid>) -> Result<User> {
        self.call(user_request(Method::GET, "users/{}.json", uuid.into().as_str())).await?.read(read::one)
    }

    /// Creates a user without a role. Never retried, because it is not idempotent. `POST users.json`
    pub fn create_user(&self, user: NewUser) -> CreateUser {
        CreateUser::new(self.clone(), user)
    }

    /// Changes the profile of another user: only fields that are set; a blank text clears a field. E-mail address and
    /// password can only be changed by the user. `PUT users/{userId}.json`
    ///
    /// This call is an extension of the protocol.
    ///
    /// # Errors
    /// As [`get_user`](Self::get_user); `Server` with status 422 and [`fields`](crate::Error::fields) if the cloud
    /// rejects a value.
    pub async fn update_user(&self, id: impl Into<UserId>, changes: &UserChanges) -> Result<()> {
        let request = user_request(Method::PUT, "users/{}.json", id.into().as_str());
        self.call(request.map(|request| request.body(json!({"user": changes.body()})))).await.map(drop)
    }

    /// Deletes a user and all data of the user. `DELETE admin/users/{userId}.json`
    ///
    /// # Errors
    /// As [`get_user`](Self::get_user); `Server` with status 409 for the last administrator.
    pub async fn delete_user(&self, id: impl Into<UserId>) -> Result<()> {
        self.call(user_request(Method::DELETE, "admin/users/{}.json", id.into().as_str())).await.map(drop)
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::SESSION_MANAGER_REQUIRED, request).await
    }
}

fn user_request(method: Method, route: &'static str, id: &str) -> Result<Request> {
    required(id.trim().is_empty(), messages::USER_ID_EMPTY)?;
    Request::new(method, Service::User, route, &[id])
}
