use http::Method;
use serde_json::json;

use super::{Roles, pair};
use crate::api::NewUser;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;
use crate::model::{Label, User};

/// Builder for creating a user with a role; returned by [`Roles::create_role_user`] and
/// [`Roles::create_associated_user`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateRoleUser {
    roles: Roles,
    route: &'static str,
    user: NewUser,
    role: String,
    label: Option<Label>,
}

impl CreateRoleUser {
    pub(super) fn new(roles: Roles, route: &'static str, user: NewUser, role: String) -> Self {
        Self { roles, route, user, role, label: None }
    }

    /// The key and value of the role's label. Sent only if neither is blank.
    pub fn label(self, key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: Some(Label::new(key, value)).filter(Label::is_complete), ..self }
    }

    /// Creates the user. If the response is empty or has an unknown shape, returns the user as it was sent, with a
    /// blank id.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'Email is required', 'Password is required',
    /// 'Role name is required'; `Server` with status 403 if you may not assign the role or the label, 422 with
    /// [`fields`](crate::Error::fields) if the cloud rejects a value; see [`Client`](crate::Client) for errors of all
    /// calls.
    pub async fn send(&self) -> Result<User> {
        let response = self.roles.call(self.request()).await?;
        Ok(self.user.created_user(&response))
    }

    fn request(&self) -> Result<Request> {
        let mut body = json!({"user": self.user.body(self.roles.session.config())?});
        required(self.role.trim().is_empty(), messages::ROLE_NAME_REQUIRED)?;
        body["role"] = json!(self.role);
        if let Some(label) = &self.label {
            body["label"] = pair(label);
        }
        Ok(Request::new(Method::POST, Service::User, self.route, &[])?.body(body))
    }
}
