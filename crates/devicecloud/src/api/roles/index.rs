use http::Method;

use super::Roles;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;
use crate::model::{Label, User, read};

/// Builder for finding users by role or label; returned by [`Roles::index_by_role`] and [`Roles::index_by_label`].
#[derive(Clone, Debug)]
#[must_use]
pub struct IndexUsers {
    roles: Roles,
    route: &'static str,
    role: String,
    label: Option<Label>,
}

impl IndexUsers {
    pub(super) fn new(roles: Roles, route: &'static str, role: String) -> Self {
        Self { roles, route, role, label: None }
    }

    /// Only users whose label of the role has this key and value. Sent only if neither is blank.
    pub fn label(self, key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: Some(Label::new(key, value)).filter(Label::is_complete), ..self }
    }

    /// Fetches the users that are visible to you.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'Role name is required'; `Server` with status
    /// 403 if you may not list them; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Vec<User>> {
        self.roles.call(self.request()).await?.read(read::many)
    }

    fn request(&self) -> Result<Request> {
        required(self.role.trim().is_empty(), messages::ROLE_NAME_REQUIRED)?;
        let request = Request::new(Method::GET, Service::User, self.route, &[])?.query("role", &self.role);
        Ok(match &self.label {
            Some(Label { key, value }) => request.query("key", key).query("value", value),
            None => request,
        })
    }
}
