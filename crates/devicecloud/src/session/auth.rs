use std::sync::Arc;

use http::Method;
use serde_json::json;

use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::http::{Http, Request, status_text};
use crate::model::RoleTag;
use crate::model::read::Fields;
use crate::model::secret::SecretText;
use crate::session::{Authorization, BoxFuture};

/// The result of a sign-in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SignIn {
    /// The tokens.
    pub authorization: Authorization,
    /// The role of the user.
    pub role: Option<String>,
    /// The labels of the role.
    pub role_tags: Vec<RoleTag>,
}

impl SignIn {
    /// For your own [`AuthProvider`].
    #[must_use]
    pub fn new(authorization: Authorization, role_tags: Vec<RoleTag>) -> Self {
        Self { role: authorization.role.clone(), authorization, role_tags }
    }
}

/// Signs users in and out. The default uses the cloud's own sign-in (`POST users/sign_in.json`,
/// `POST users/sign_out.json`). For single sign-on implement your own and pass it to
/// [`ClientBuilder::auth_provider`](crate::ClientBuilder::auth_provider).
pub trait AuthProvider: Send + Sync + 'static {
    /// Exchanges an e-mail address and a password for tokens.
    fn sign_in<'a>(&'a self, email: &'a str, password: &'a SecretText) -> BoxFuture<'a, Result<SignIn>>;

    /// Invalidates the tokens.
    fn sign_out<'a>(&'a self, authorization: &'a Authorization) -> BoxFuture<'a, Result<()>>;
}

/// The cloud's own sign-in.
pub(crate) struct CloudAuth(pub(crate) Arc<Http>);

impl AuthProvider for CloudAuth {
    fn sign_in<'a>(&'a self, email: &'a str, password: &'a SecretText) -> BoxFuture<'a, Result<SignIn>> {
        Box::pin(async move {
            let request = Request::new(Method::POST, Service::User, "users/sign_in.json", &[])?.body(json!({
                "user": {
                    "email": email,
                    "password": password.expose(),
                    "application": self.0.config.application()?,
                }
            }));
            let response = self.0.send(&request, None).await.map_err(rejected)?.json()?;
            let authorization = Authorization::read(&response, None, self.0.clock.now())
                .ok_or_else(|| Error::new(ErrorKind::Json, messages::NO_TOKENS).done())?;
            let role_tags = response.as_object().map(|response| Fields(response).many("role_tags")).unwrap_or_default();
            Ok(SignIn::new(authorization, role_tags))
        })
    }

    fn sign_out<'a>(&'a self, authorization: &'a Authorization) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let request = Request::new(Method::POST, Service::User, "users/sign_out.json", &[])?
                .body(json!({"user": {"access_token": authorization.access_token.expose()}}));
            match self.0.send(&request, Some(&authorization.access_token)).await {
                Ok(_) => Ok(()),
                Err(error) => Err(match error.status() {
                    Some(status) => Error::new(ErrorKind::Auth, status_text(status))
                        .with_status(status)
                        .with_outcome_of(&error)
                        .with_source(error),
                    None => error,
                }),
            }
        })
    }
}

/// Rejected credentials or applications become `Auth`; temporary failures keep their kind.
pub(crate) fn rejected(error: Error) -> Error {
    match error.status() {
        Some(400..500) if !error.is_temporary() => error.with_kind(ErrorKind::Auth),
        _ => error,
    }
}
