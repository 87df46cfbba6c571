use std::fmt;

use http::Method;
use serde_json::json;

use super::{Users, request_once};
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};
use crate::model::UserChanges;
use crate::model::secret::SecretText;

impl Users {
    /// Changes the profile. Fields that are not set stay unchanged. `PUT users.json`
    ///
    /// # Errors
    /// `InvalidArgument` 'User may not be null'; `Precondition` 'Library has not been initialized. Call
    /// AylaNetworks.initialize() before calling any other methods' when the client is [without an
    /// application](crate::Config::without_application), or 'No session is active'; `Server` with status 422 and
    /// [`fields`](Error::fields) if the cloud rejects a value; see [`Client`](crate::Client) for errors of all calls.
    pub async fn update_profile(&self, changes: impl Into<Option<UserChanges>>) -> Result<()> {
        let changes = changes.into().ok_or_else(|| invalid(messages::USER_NULL))?;
        if self.session.config().application().is_err() {
            return Err(Error::new(ErrorKind::Precondition, messages::NOT_INITIALIZED));
        }
        let request = self.request(Method::PUT, "users.json")?.body(json!({"user": changes.body()}));
        self.call(request).await.map(drop)
    }

    /// Changes the password of the signed-in user. Never retried, because the old password is no longer valid after a
    /// success. Password rules are checked by the cloud, which may also end the user's other sessions. `PUT users.json`
    ///
    /// # Errors
    /// `InvalidArgument` 'Password must not be empty' or 'Current and new password are identical'; `Precondition` 'No
    /// session is active'; `Server` with status 422 and [`fields`](Error::fields) if the current password is wrong or
    /// the new one too weak; see [`Client`](crate::Client) for errors of all calls.
    pub async fn update_password(&self, current: &SecretText, new: &SecretText) -> Result<()> {
        required(current.is_blank() || new.is_blank(), messages::PASSWORD_EMPTY)?;
        if current.expose() == new.expose() {
            return Err(invalid(messages::PASSWORDS_IDENTICAL));
        }
        let user = json!({"current_password": current.expose(), "password": new.expose()});
        self.call(request_once(Method::PUT, "users.json")?.body(json!({"user": user}))).await.map(drop)
    }

    /// Changes the e-mail address of the signed-in user. A cloud may require that the new address is confirmed, with
    /// [`confirm_email`](Self::confirm_email) or [`confirm`](Self::confirm); until then, the user signs in with the old
    /// one. `PUT users/update_email.json`
    pub fn update_email(&self, email: impl Into<String>) -> UpdateEmail {
        UpdateEmail { users: self.clone(), email: email.into(), current_password: None }
    }

    /// Deletes the account of the signed-in user and all its data. The session [closes](crate::SessionEvent::Closed)
    /// and the store is cleared. `DELETE users.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `Server` with status 409 if the cloud does not allow deleting this
    /// account (such as the last administrator); see [`Client`](crate::Client) for errors of all calls.
    pub async fn delete_account(&self) -> Result<()> {
        let request = request_once(Method::DELETE, "users.json")?;
        self.session.call_and_close(messages::NO_SESSION_ACTIVE, request).await.map(drop)
    }
}

/// Builder for changing the e-mail address; returned by [`Users::update_email`]. `Debug` output does not contain the
/// address.
#[derive(Clone)]
#[must_use]
pub struct UpdateEmail {
    users: Users,
    email: String,
    current_password: Option<SecretText>,
}

impl UpdateEmail {
    /// Also sends the password of the user, so that the address takes effect at once and the session
    /// [closes](crate::SessionEvent::Closed). An extension of this project's cloud.
    pub fn current_password(self, password: impl Into<SecretText>) -> Self {
        Self { current_password: Some(password.into()), ..self }
    }

    /// Changes the address, or requests the change. Never retried, because each request sends e-mails. Without
    /// [`current_password`](Self::current_password) the session stays open. If the cloud has ended it nevertheless, the
    /// next call closes it.
    ///
    /// # Errors
    /// `InvalidArgument` 'Invalid Email address' if it is blank or has no '@', 'Password must not be empty';
    /// `Precondition` 'No session is active'; `Server` with status 422 and [`fields`](Error::fields) if the address is
    /// invalid or taken, or the password wrong; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<()> {
        let Self { users, email, current_password } = self;
        required(email.trim().is_empty() || !email.contains('@'), messages::EMAIL_INVALID)?;
        required(current_password.as_ref().is_some_and(SecretText::is_blank), messages::PASSWORD_EMPTY)?;
        let request = request_once(Method::PUT, "users/update_email.json")?;
        let Some(current) = current_password else {
            return users.call(request.body(json!({"email": email}))).await.map(drop);
        };
        let request = request.body(json!({"email": email, "current_password": current.expose()}));
        users.session.call_and_close(messages::NO_SESSION_ACTIVE, request).await.map(drop)
    }
}

impl fmt::Debug for UpdateEmail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateEmail").finish_non_exhaustive()
    }
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}
