use reqwest::Method;

use crate::api::family;
use crate::client::Client;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{User, read};

/// Calls about the signed-in user; made by [`Client::users`].
#[derive(Clone, Debug)]
pub struct Users {
    client: Client,
    retries: bool,
}

family!(Users);

impl Users {
    /// The profile of the signed-in user. `GET users/get_user_profile.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let user = client.users().profile().await?;
    /// println!("{} has the role {:?}", user.uuid, user.role);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; see [`Client`] for what any call may return.
    pub async fn profile(&self) -> Result<User> {
        let request = Request::new(Method::GET, Service::User, "users/get_user_profile.json", &[])
            .map(|request| request.retries(self.retries));
        self.client.call(messages::NO_SESSION_ACTIVE, request).await?.read(read::one)
    }
}
