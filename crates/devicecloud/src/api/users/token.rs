use reqwest::Method;
use serde_json::json;

use super::{Users, request_once};
use crate::api::required;
use crate::error::Result;
use crate::messages;
use crate::secret::SecretText;

impl Users {
    /// Confirms an account with the token of its mail. Needs no session, and is sent once: a token is good once.
    /// `PUT users/confirmation.json`
    ///
    /// # Errors
    /// `InvalidArgument` 'Confirmation Token is required'; `Server` with status 422 and
    /// [`fields`](crate::Error::fields) when the token is unknown, used or too old; see [`Client`](crate::Client) for what any
    /// call may return.
    pub async fn confirm(&self, token: &SecretText) -> Result<()> {
        required(token.is_blank(), messages::CONFIRMATION_TOKEN_REQUIRED)?;
        let request = request_once(Method::PUT, "users/confirmation.json")?;
        self.client.call_unsigned(request.query("confirmation_token", token.expose())).await.map(drop)
    }

    /// Sets a new password with the token of a mail that [`request_password_reset`](Self::request_password_reset) asked for.
    /// Needs no session, and is sent once: a token is good once. The library knows no rules for passwords, the cloud does.
    /// `PUT users/password.json`
    ///
    /// # Errors
    /// `InvalidArgument` 'Password reset token is required', 'Password is required' or 'Password confirmation is required';
    /// `Server` with status 422 and [`fields`](crate::Error::fields) when the token is unknown, used or too old, the password
    /// too weak, or its confirmation another one; see [`Client`](crate::Client) for what any call may return.
    pub async fn reset_password(
        &self,
        token: &SecretText,
        password: &SecretText,
        confirmation: &SecretText,
    ) -> Result<()> {
        required(token.is_blank(), messages::RESET_TOKEN_REQUIRED)?;
        required(password.is_blank(), messages::PASSWORD_REQUIRED)?;
        required(confirmation.is_blank(), messages::PASSWORD_CONFIRMATION_REQUIRED)?;
        let request = request_once(Method::PUT, "users/password.json")?.body(json!({"user": {
            "reset_password_token": token.expose(),
            "password": password.expose(),
            "password_confirmation": confirmation.expose(),
        }}));
        self.client.call_unsigned(request).await.map(drop)
    }
}
