//! The signed-in user's own account, and what somebody who cannot sign in may ask for.

mod account;
mod mail;
mod token;

use reqwest::Method;

use crate::api::family;
use crate::client::Client;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::{Answer, Request};
use crate::messages;
use crate::model::{User, read};

pub use mail::RequestMail;

/// Calls about the account of the signed-in user, and about passwords and confirmations; made by [`Client::users`].
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
/// // Who forgot the password asks for a mail, and brings the token that it carries.
/// users.request_password_reset("jo@example.com").send().await?;
/// let password = "Correct-Horse-3".into();
/// users.reset_password(&"0123456789abcdef0123456789abcdef".into(), &password, &password).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Users {
    client: Client,
    retries: bool,
}

family!(Users);

impl Users {
    /// The profile of the signed-in user. `GET users/get_user_profile.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; see [`Client`] for what any call may return.
    pub async fn profile(&self) -> Result<User> {
        self.call(self.request(Method::GET, "users/get_user_profile.json")?).await?.read(read::one)
    }

    async fn call(&self, request: Request) -> Result<Answer> {
        self.client.call(messages::NO_SESSION_ACTIVE, Ok(request)).await
    }

    fn request(&self, method: Method, route: &'static str) -> Result<Request> {
        Ok(Request::new(method, Service::User, route, &[])?.retries(self.retries))
    }
}

/// A request that must not be repeated: what it does cannot be done twice, so that the repetition of a success would fail.
fn request_once(method: Method, route: &'static str) -> Result<Request> {
    Ok(Request::new(method, Service::User, route, &[])?.retries(false))
}
