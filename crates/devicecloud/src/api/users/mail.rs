use std::fmt;

use http::Method;
use serde_json::json;

use super::Users;
use crate::error::messages;
use crate::error::{Result, required};

impl Users {
    /// Requests an e-mail with a link for resetting the password. Needs no session. `POST users/password.json`
    pub fn request_password_reset(&self, email: impl Into<String>) -> RequestMail {
        self.mail(MailKind::PasswordReset, email.into())
    }

    /// Requests another e-mail with the link that confirms an account. The cloud decides for which addresses this is
    /// allowed. `POST users/confirmation.json`
    pub fn resend_confirmation(&self, email: impl Into<String>) -> RequestMail {
        self.mail(MailKind::Confirmation, email.into())
    }

    fn mail(&self, kind: MailKind, email: String) -> RequestMail {
        RequestMail { users: self.clone(), kind, email, email_template_id: None }
    }
}

#[derive(Clone, Copy, Debug)]
enum MailKind {
    PasswordReset,
    Confirmation,
}

/// Builder for requesting an e-mail; returned by [`Users::request_password_reset`] and [`Users::resend_confirmation`].
/// `Debug` output does not contain the address.
#[derive(Clone)]
#[must_use]
pub struct RequestMail {
    users: Users,
    kind: MailKind,
    email: String,
    email_template_id: Option<String>,
}

impl RequestMail {
    /// The cloud's template for the e-mail, in place of the default.
    pub fn email_template_id(self, id: impl Into<String>) -> Self {
        Self { email_template_id: Some(id.into()), ..self }
    }

    /// Requests the e-mail. Never retried, because each request sends an e-mail. A cloud may report success for an
    /// unknown address, so as not to reveal who has an account.
    ///
    /// # Errors
    /// `InvalidArgument` 'Email is required'; `Precondition` if the client is [without an
    /// application](crate::Config::without_application), and for a confirmation 'No session is active'; `Server` with
    /// status 404 for an unknown application or address, 422 if the account is confirmed already; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<()> {
        required(self.email.trim().is_empty(), messages::EMAIL_REQUIRED)?;
        let route = match self.kind {
            MailKind::PasswordReset => "users/password.json",
            MailKind::Confirmation => "users/confirmation.json",
        };
        let application = self.users.session.config().application()?;
        let body = json!({"user": {"email": self.email, "application": application}});
        let mut request = self.users.request(Method::POST, route)?.body(body);
        if let Some(id) = &self.email_template_id {
            request = request.query("email_template_id", id);
        }
        match self.kind {
            MailKind::PasswordReset => self.users.session.call_without_token(request).await,
            MailKind::Confirmation => self.users.call(request).await,
        }
        .map(drop)
    }
}

impl fmt::Debug for RequestMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestMail").field("kind", &self.kind).finish_non_exhaustive()
    }
}
