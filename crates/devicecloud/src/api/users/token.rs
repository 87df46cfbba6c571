use http::Method;
use serde_json::json;

use super::{Users, request_once};
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::UserUuid;
use crate::model::secret::SecretText;

impl Users {
    /// Confirms an account with the token from the e-mail. Needs no session. Never retried, because a token is valid
    /// only once. `PUT users/confirmation.json`
    ///
    /// Returns the user of the token if the cloud names it.
    ///
    /// # Errors
    /// `InvalidArgument` 'Confirmation Token is required'; `Server` with status 422 and
    /// [`fields`](crate::Error::fields) if the token is unknown, used or expired, or if it is that of a new address,
    /// which [`confirm_email`](Self::confirm_email) confirms; see [`Client`](crate::Client) for errors of all calls.
    pub async fn confirm(&self, token: &SecretText) -> Result<Option<UserUuid>> {
        required(token.is_blank(), messages::CONFIRMATION_TOKEN_REQUIRED)?;
        let request = request_once(Method::PUT, "users/confirmation.json")?;
        self.user_of_token(request.query("confirmation_token", token.expose())).await
    }

    /// Confirms a new address with the token from the e-mail to it. The token alone is not enough, because the address may
    /// be a stranger's by mistake: without `current_password` it needs the session of the user, which then
    /// [closes](crate::SessionEvent::Closed). Never retried, because a token is valid only once. An extension of this
    /// project's cloud: `PUT users/confirmation.json`
    ///
    /// Returns the user of the token if the cloud names it.
    ///
    /// # Errors
    /// `InvalidArgument` 'Confirmation Token is required'; `Precondition` 'No session is active' without a password and
    /// a session; `Server` with status 422 and [`fields`](crate::Error::fields) if the token is unknown, used or
    /// expired, the password is wrong, the session is another user's, or another user has the new address; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn confirm_email(
        &self,
        token: &SecretText,
        current_password: Option<&SecretText>,
    ) -> Result<Option<UserUuid>> {
        required(token.is_blank(), messages::CONFIRMATION_TOKEN_REQUIRED)?;
        let request = request_once(Method::PUT, "users/confirmation.json")?;
        let token = token.expose();
        let Some(current) = current_password else {
            let request = request.body(json!({"confirmation_token": token}));
            return self
                .session
                .call_and_close(messages::NO_SESSION_ACTIVE, request)
                .await
                .map(|answer| user_of(&answer));
        };
        let body = json!({"confirmation_token": token, "current_password": current.expose()});
        self.user_of_token(request.body(body)).await
    }

    /// Cancels a change of the e-mail address with the token that the old address received, and signs the user out
    /// everywhere. Needs no session. Never retried, because a token is valid only once. An extension of this project's
    /// cloud: `PUT users/update_email/cancel.json`
    ///
    /// Returns the user of the token if the cloud names it.
    ///
    /// # Errors
    /// `InvalidArgument` 'Cancellation Token is required'; `Server` with status 422 and
    /// [`fields`](crate::Error::fields) if the token is unknown, used or expired, or another user has the old address;
    /// see [`Client`](crate::Client) for errors of all calls.
    pub async fn cancel_email_change(&self, token: &SecretText) -> Result<Option<UserUuid>> {
        required(token.is_blank(), messages::CANCELLATION_TOKEN_REQUIRED)?;
        let request = request_once(Method::PUT, "users/update_email/cancel.json")?;
        let body = json!({"cancellation_token": token.expose()});
        self.user_of_token(request.body(body)).await
    }

    /// Sets a new password with the token from an e-mail requested by
    /// [`request_password_reset`](Self::request_password_reset). Needs no session. Never retried, because a token is
    /// valid only once. Password rules are checked by the cloud. `PUT users/password.json`
    ///
    /// Returns the user of the token if the cloud names it, which is an extension of this project's cloud.
    ///
    /// # Errors
    /// `InvalidArgument` 'Password reset token is required', 'Password is required' or 'Password confirmation is
    /// required'; `Server` with status 422 and [`fields`](crate::Error::fields) if the token is unknown, used or
    /// expired, the password is too weak, or the confirmation differs; see [`Client`](crate::Client) for errors of all
    /// calls.
    pub async fn reset_password(
        &self,
        token: &SecretText,
        password: &SecretText,
        confirmation: &SecretText,
    ) -> Result<Option<UserUuid>> {
        required(token.is_blank(), messages::RESET_TOKEN_REQUIRED)?;
        required(password.is_blank(), messages::PASSWORD_REQUIRED)?;
        required(confirmation.is_blank(), messages::PASSWORD_CONFIRMATION_REQUIRED)?;
        let request = request_once(Method::PUT, "users/password.json")?.body(json!({"user": {
            "reset_password_token": token.expose(),
            "password": password.expose(),
            "password_confirmation": confirmation.expose(),
        }}));
        self.user_of_token(request.query("include", "user")).await
    }

    async fn user_of_token(&self, request: Request) -> Result<Option<UserUuid>> {
        self.session.call_without_token(request).await.map(|answer| user_of(&answer))
    }
}

fn user_of(answer: &Response) -> Option<UserUuid> {
    answer.read_if_possible(|body| Some(UserUuid::from(body["uuid"].as_str()?)))
}
