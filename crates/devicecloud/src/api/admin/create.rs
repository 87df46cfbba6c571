use http::Method;
use serde_json::json;

use super::Admin;
use crate::api::NewUser;
use crate::config::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::model::User;

/// Builder for creating a user; returned by [`Admin::create_user`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateUser {
    admin: Admin,
    user: NewUser,
    email_template_id: Option<String>,
}

impl CreateUser {
    pub(super) fn new(admin: Admin, user: NewUser) -> Self {
        Self { admin, user, email_template_id: None }
    }

    /// The cloud's template for the e-mail to the user.
    pub fn email_template_id(self, id: impl Into<String>) -> Self {
        Self { email_template_id: Some(id.into()), ..self }
    }

    /// Creates the user. If the response is empty or has an unknown shape, returns the user as it was sent, with a
    /// blank id.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'Email is required', 'Password is required';
    /// `Server` with status 403 if you may not create users, 422 with [`fields`](crate::Error::fields) if the cloud
    /// rejects a value; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<User> {
        let response = self.admin.call(self.request()).await?;
        Ok(self.user.created_user(&response))
    }

    fn request(&self) -> Result<Request> {
        let body = self.user.body(self.admin.session.config())?;
        let request = Request::new(Method::POST, Service::User, "users.json", &[])?.body(json!({"user": body}));
        Ok(match &self.email_template_id {
            Some(id) => request.query("email_template_id", id),
            None => request,
        })
    }
}
