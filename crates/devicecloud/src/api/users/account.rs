use reqwest::Method;
use serde_json::json;

use super::{Users, request_once};
use crate::api::required;
use crate::error::{Error, ErrorKind, Result};
use crate::messages;
use crate::model::UserChanges;
use crate::secret::SecretText;

impl Users {
    /// Changes the profile; what the changes do not name stays as it is. `PUT users.json`
    ///
    /// # Errors
    /// `InvalidArgument` 'User may not be null'; `Precondition` 'Library has not been initialized. Call
    /// AylaNetworks.initialize() before calling any other methods' when the client is
    /// [without an application](crate::Config::without_application), or 'No session is active'; `Server` with status 422
    /// and [`fields`](Error::fields) when the cloud takes a value not; see [`Client`](crate::Client) for what any call may
    /// return.
    pub async fn update_profile(&self, changes: impl Into<Option<UserChanges>>) -> Result<()> {
        let changes = changes.into().ok_or_else(|| invalid(messages::USER_NULL))?;
        if self.client.config().application().is_err() {
            return Err(Error::new(ErrorKind::Precondition, messages::NOT_INITIALIZED));
        }
        let request = self.request(Method::PUT, "users.json")?.body(json!({"user": changes.body()}));
        self.call(request).await.map(drop)
    }

    /// Changes the password of the signed-in user. It is sent once: the old password is good no more. The library knows no
    /// rules for passwords, the cloud does. A cloud may end other sessions of the user with it. `PUT users.json`
    ///
    /// # Errors
    /// `InvalidArgument` 'Password must not be empty' or 'Current and new password are identical'; `Precondition` 'No session
    /// is active'; `Server` with status 422 and [`fields`](Error::fields) when the current password is wrong or the new one
    /// too weak; see [`Client`](crate::Client) for what any call may return.
    pub async fn update_password(&self, current: &SecretText, new: &SecretText) -> Result<()> {
        required(current.is_blank() || new.is_blank(), messages::PASSWORD_EMPTY)?;
        if current.expose() == new.expose() {
            return Err(invalid(messages::PASSWORDS_IDENTICAL));
        }
        let user = json!({"current_password": current.expose(), "password": new.expose()});
        self.call(request_once(Method::PUT, "users.json")?.body(json!({"user": user}))).await.map(drop)
    }

    /// Gives the signed-in user another e-mail address. With it the cloud signs the user out everywhere, so the session
    /// [closes](crate::SessionEvent::Closed) and the store is emptied. `PUT users/update_email.json`
    ///
    /// # Errors
    /// `InvalidArgument` 'Invalid Email address' when it is blank or has no '@'; `Precondition` 'No session is active';
    /// `Server` with status 422 and [`fields`](Error::fields) when the address is invalid or taken; see
    /// [`Client`](crate::Client) for what any call may return.
    pub async fn update_email(&self, email: impl Into<String>) -> Result<()> {
        let email = email.into();
        required(email.trim().is_empty() || !email.contains('@'), messages::EMAIL_INVALID)?;
        let request = request_once(Method::PUT, "users/update_email.json")?.body(json!({"email": email}));
        self.client.call_last(messages::NO_SESSION_ACTIVE, request).await.map(drop)
    }

    /// Deletes the account of the signed-in user with all that hangs on it. The session [closes](crate::SessionEvent::Closed)
    /// and the store is emptied. `DELETE users.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `Server` with status 409 when the cloud cannot do without this account; see
    /// [`Client`](crate::Client) for what any call may return.
    pub async fn delete_account(&self) -> Result<()> {
        let request = request_once(Method::DELETE, "users.json")?;
        self.client.call_last(messages::NO_SESSION_ACTIVE, request).await.map(drop)
    }
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}
