use reqwest::Method;
use serde_json::json;

use super::Admin;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::model::{NewUser, User};

/// A user to make; made by [`Admin::create_user`].
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

    /// Which of the cloud's texts the mail to the user has.
    pub fn email_template_id(self, id: impl Into<String>) -> Self {
        Self { email_template_id: Some(id.into()), ..self }
    }

    /// Makes the user. When the answer is empty or has an unknown shape, the user is returned as it was sent, with a blank id.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'Email is required', 'Password is required'; `Server`
    /// with status 403 when you may make nobody, 422 with what is wrong by field; see [`Client`](crate::Client) for what any
    /// call may return.
    pub async fn send(&self) -> Result<User> {
        let answer = self.admin.call(self.request()).await?;
        Ok(self.user.made(&answer))
    }

    fn request(&self) -> Result<Request> {
        let body = self.user.body(self.admin.client.config())?;
        let request = Request::new(Method::POST, Service::User, "users.json", &[])?.body(json!({"user": body}));
        Ok(match &self.email_template_id {
            Some(id) => request.query("email_template_id", id),
            None => request,
        })
    }
}
