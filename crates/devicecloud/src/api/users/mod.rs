//! The signed-in user's own account, and calls for users who cannot sign in.

mod account;
mod mail;
mod token;

use std::sync::Arc;

use http::Method;

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::Result;
use crate::error::messages;
use crate::http::{Request, Response};
use crate::model::{User, read};
use crate::session::CloudSession;

pub use account::UpdateEmail;
pub use mail::RequestMail;

/// Calls for the account of the signed-in user, passwords and confirmations; returned by [`Client::users`](crate::Client::users).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::UserChanges;
///
/// let users = client.users();
/// users.update_profile(UserChanges::new().firstname("Jo").company("")).await?;
/// users.update_password(&"correct horse".into(), &"Battery-Staple-2".into()).await?;
/// let user = users.profile().await?;
/// println!("{} has the role {:?}", user.uuid, user.role);
///
/// // A forgotten password is reset with the token from an e-mail.
/// users.request_password_reset("jo@example.com").send().await?;
/// let password = "Correct-Horse-3".into();
/// users.reset_password(&"0123456789abcdef0123456789abcdef".into(), &password, &password).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Users {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Users);

impl Users {
    /// The profile of the signed-in user. `GET users/get_user_profile.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; see [`Client`](crate::Client) for errors of all calls.
    pub async fn profile(&self) -> Result<User> {
        self.call(self.request(Method::GET, "users/get_user_profile.json")?).await?.read(read::one)
    }

    async fn call(&self, request: Request) -> Result<Response> {
        self.session.call(messages::NO_SESSION_ACTIVE, Ok(request)).await
    }

    fn request(&self, method: Method, route: &'static str) -> Result<Request> {
        Ok(Request::new(method, Service::User, route, &[])?.retries(self.retries))
    }
}

/// A request that is never retried: a second attempt after a success would fail.
fn request_once(method: Method, route: &'static str) -> Result<Request> {
    Ok(Request::new(method, Service::User, route, &[])?.once())
}
