//! Calls on roles, their labels and the users who have them.

mod create;
mod index;

pub use create::CreateRoleUser;
pub use index::IndexUsers;

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use crate::api::{NewUser, call_group};
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::{Label, RoleUser, User, UserId, read};
use crate::session::CloudSession;

/// Calls for the roles of users; returned by [`Client::roles`](crate::Client::roles). A role user is a user with a role and a label, such as
/// a dealer. A customer can be associated with a role user, who can then see the customer.
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::{Label, NewUser};
///
/// const DEALER: &str = "OEM::Company::Dealer";
/// let roles = client.roles();
/// let jo = NewUser::new("jo@example.com", "Correct-Horse-1").firstname("Jo").lastname("Moss");
/// roles.create_associated_user(jo, DEALER).label("dealer_id", "101").send().await?;
/// roles.associate_role_user(DEALER, Label::new("dealer_id", "101"), 7, "customer@example.com").await?;
/// for customer in roles.index_by_label(DEALER).label("dealer_id", "101").send().await? {
///     println!("{}", customer.uuid);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Roles {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Roles);

impl Roles {
    /// Associates a user, named by id and e-mail address, with the role user who has this role and label.
    /// `PUT api/v1/users/associate_role_user`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'User id is empty', 'User email is empty', 'Role
    /// name is required', 'Role label is required'; `Server` with status 403 if you may not do this, 404 if there is no
    /// such user or role user, 422 for an unknown role; see [`Client`](crate::Client) for errors of all calls.
    pub async fn associate_role_user(
        &self,
        role: &str,
        label: impl Into<Option<Label>>,
        user_id: impl Into<UserId>,
        user_email: &str,
    ) -> Result<()> {
        let (label, user_id) = (label.into(), user_id.into());
        let body = || {
            let mut body = customer_body(role, &user_id, user_email)?;
            body["label"] = pair(&required_label(label)?);
            Ok(body)
        };
        self.put("api/v1/users/associate_role_user", body()).await
    }

    /// Ends the association of a user with the role users of a role, from the user's side.
    /// `PUT api/v1/users/disassociate_role_user`
    ///
    /// # Errors
    /// As [`associate_role_user`](Self::associate_role_user), with 'Role label is required' for a blank key; status 404
    /// also if they are not associated.
    pub async fn disassociate_role_user(
        &self,
        role: &str,
        label_key: &str,
        user_id: impl Into<UserId>,
        user_email: &str,
    ) -> Result<()> {
        let user_id = user_id.into();
        let body = || {
            let mut body = customer_body(role, &user_id, user_email)?;
            required(label_key.trim().is_empty(), messages::ROLE_LABEL_REQUIRED)?;
            body["label_key"] = json!(label_key);
            Ok(body)
        };
        self.put("api/v1/users/disassociate_role_user", body()).await
    }

    /// Ends the association of a user with a role user, from the role user's side. `PUT api/v1/users/disassociate_user`
    ///
    /// # Errors
    /// As [`disassociate_role_user`](Self::disassociate_role_user).
    pub async fn disassociate_user(&self, role: &str, user_id: impl Into<UserId>, user_email: &str) -> Result<()> {
        let user_id = user_id.into();
        self.put("api/v1/users/disassociate_user", customer_body(role, &user_id, user_email)).await
    }

    /// The roles of a user, with their labels, and the role users that the user is associated with.
    /// `GET api/v1/users/role_users?user_email`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'User email is empty'; `Server` with status 404
    /// if the user does not exist or is not visible to you; see [`Client`](crate::Client) for errors of all calls.
    pub async fn role_users(&self, user_email: &str) -> Result<Vec<RoleUser>> {
        let request = || {
            required(user_email.trim().is_empty(), messages::USER_EMAIL_EMPTY)?;
            Ok(Request::new(Method::GET, Service::User, "api/v1/users/role_users", &[])?
                .query("user_email", user_email))
        };
        self.call(request()).await?.read(read::many)
    }

    /// Finds role users: users who have a role. `GET api/v1/users/index_by_role.json`
    pub fn index_by_role(&self, role: impl Into<String>) -> IndexUsers {
        IndexUsers::new(self.clone(), "api/v1/users/index_by_role.json", role.into())
    }

    /// Finds customers: users who are associated with the role users of a role. `GET api/v1/users/index_by_label.json`
    pub fn index_by_label(&self, role: impl Into<String>) -> IndexUsers {
        IndexUsers::new(self.clone(), "api/v1/users/index_by_label.json", role.into())
    }

    /// All users of your manufacturer in one response. [`Admin::users`](crate::api::Admin::users) reads them page by
    /// page. `GET api/v1/users/index_by_oem.json`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `Server` with status 403 if you may not list them; see [`Client`](crate::Client)
    /// for errors of all calls.
    pub async fn index_by_oem(&self) -> Result<Vec<User>> {
        let request = Request::new(Method::GET, Service::User, "api/v1/users/index_by_oem.json", &[]);
        self.call(request).await?.read(read::many)
    }

    /// Creates a user with a role. Never retried, because it is not idempotent.
    /// `POST api/v1/users/create_role_user.json`
    pub fn create_role_user(&self, user: NewUser, role: impl Into<String>) -> CreateRoleUser {
        CreateRoleUser::new(self.clone(), "api/v1/users/create_role_user.json", user, role.into())
    }

    /// Creates a user with a role and invites them: the cloud sends a welcome e-mail, and you keep access to the user.
    /// Never retried, because it is not idempotent. `POST api/v1/users/create_associated_user.json`
    pub fn create_associated_user(&self, user: NewUser, role: impl Into<String>) -> CreateRoleUser {
        CreateRoleUser::new(self.clone(), "api/v1/users/create_associated_user.json", user, role.into())
    }

    /// Assigns a role to a user. `PUT api/v1/users/assign_role`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'User email is empty', 'Role name is required';
    /// `Server` with status 403 if you may not assign it, 404 if the user does not exist or is not visible to you, 422
    /// for an unknown role; see [`Client`](crate::Client) for errors of all calls.
    pub async fn assign_role(&self, user_email: &str, role: &str) -> Result<()> {
        self.put("api/v1/users/assign_role", role_body(user_email, role)).await
    }

    /// Revokes a role of a user, effective from the user's next call. `PUT api/v1/users/revoke_role`
    ///
    /// # Errors
    /// As [`assign_role`](Self::assign_role); status 404 also if the user does not have the role, 409 for the last
    /// administrator.
    pub async fn revoke_role(&self, user_email: &str, role: &str) -> Result<()> {
        self.put("api/v1/users/revoke_role", role_body(user_email, role)).await
    }

    /// Assigns a label to a user's role. `PUT api/v1/users/assign_label`
    ///
    /// # Errors
    /// As [`revoke_role`](Self::revoke_role), but the role is checked first: `InvalidArgument` 'Role name is required',
    /// 'Role label is required', 'User email is empty'; `Server` with status 422 if the role uses another label key.
    pub async fn assign_label(&self, user_email: &str, role: &str, label: impl Into<Option<Label>>) -> Result<()> {
        let body = label_body(user_email, role, label.into()).map(|(mut body, label)| {
            body["label"] = pair(&label);
            body
        });
        self.put("api/v1/users/assign_label", body).await
    }

    /// Revokes the label of a user's role. Only its key is sent. `PUT api/v1/users/revoke_label`
    ///
    /// # Errors
    /// As [`assign_label`](Self::assign_label); status 404 also if the role has no such label.
    pub async fn revoke_label(&self, user_email: &str, role: &str, label: impl Into<Option<Label>>) -> Result<()> {
        let body = label_body(user_email, role, label.into()).map(|(mut body, label)| {
            body["label_key"] = json!(label.key);
            body
        });
        self.put("api/v1/users/revoke_label", body).await
    }

    async fn put(&self, route: &'static str, body: Result<Value>) -> Result<()> {
        let request = body.and_then(|body| Ok(Request::new(Method::PUT, Service::User, route, &[])?.body(body)));
        self.call(request).await.map(drop)
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::SESSION_MANAGER_REQUIRED, request).await
    }
}

fn customer_body(role: &str, user_id: &UserId, user_email: &str) -> Result<Value> {
    required(user_id.is_blank(), messages::USER_ID_EMPTY)?;
    required(user_email.trim().is_empty(), messages::USER_EMAIL_EMPTY)?;
    required(role.trim().is_empty(), messages::ROLE_NAME_REQUIRED)?;
    Ok(json!({"role": role, "user_id": user_id, "user_email": user_email}))
}

fn role_body(user_email: &str, role: &str) -> Result<Value> {
    required(user_email.trim().is_empty(), messages::USER_EMAIL_EMPTY)?;
    required(role.trim().is_empty(), messages::ROLE_NAME_REQUIRED)?;
    Ok(json!({"user_email": user_email, "role": role}))
}

fn label_body(user_email: &str, role: &str, label: Option<Label>) -> Result<(Value, Label)> {
    required(role.trim().is_empty(), messages::ROLE_NAME_REQUIRED)?;
    let label = required_label(label)?;
    Ok((role_body(user_email, role)?, label))
}

/// Requires a label with a key and a value.
fn required_label(label: Option<Label>) -> Result<Label> {
    let label = label.unwrap_or_else(|| Label::new("", ""));
    required(!label.is_complete(), messages::ROLE_LABEL_REQUIRED)?;
    Ok(label)
}

/// User labels are sent in the short form `{"dealer_id": "101"}`.
fn pair(label: &Label) -> Value {
    json!({ label.key.as_str(): label.value })
}
