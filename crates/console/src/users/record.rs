//! A person in the console, converted from a user of the cloud.

use devicecloud::{Client, Result, User};
use diffuser::{PARTNER_LABEL_KEY, Role};
use jiff::Timestamp;
use platform::run::clock::from_micros;
use uuid::Uuid;

use super::company;
use crate::sessions::account_state::AccountState;
use crate::sessions::session::{access, access_by_role_users};

/// A person, and the state of their account.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) record: UserRecord,
    pub(crate) account: AccountState,
}

/// The fields of a person that the list, its filters and the form use. Missing texts are empty.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct UserRecord {
    pub(crate) id: Uuid,
    pub(crate) email: String,
    pub(crate) firstname: String,
    pub(crate) lastname: String,
    pub(crate) company: String,
    pub(crate) business_role: String,
    pub(crate) phone: String,
    pub(crate) city: String,
    pub(crate) state: String,
    pub(crate) country: String,
    /// Whether the cloud has a confirmation time.
    pub(crate) confirmed: bool,
    /// The effective role; `None` without one of the five.
    pub(crate) role: Option<Role>,
    /// The CSP that the role is bound to, or that has custody of a user without a role.
    pub(crate) csp: Option<String>,
    pub(crate) created_at: Option<Timestamp>,
}

impl UserRecord {
    /// Converts a user of the cloud, and reads the roles from `cloud` if the user record lacks them. `None` if the user's
    /// id is not a UUID.
    ///
    /// # Errors
    /// Errors of the call that reads the roles.
    pub(super) async fn of(cloud: &Client, user: &User) -> Result<Option<Self>> {
        if has_roles(user) {
            return Ok(Self::from_listed(user));
        }
        let role_users = cloud.roles().role_users(&user.email).await?;
        Ok(id(user).map(|id| Self::with(id, user, access_by_role_users(&role_users))))
    }

    /// As [`of`](Self::of), without a call: `None` also if the user record lacks the roles.
    pub(super) fn from_listed(user: &User) -> Option<Self> {
        has_roles(user).then(|| id(user).map(|id| Self::with(id, user, access(user)))).flatten()
    }

    fn with(id: Uuid, user: &User, access: (Option<Role>, Option<String>)) -> Self {
        let (role, csp) = access;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (company, business_role) = company::read(user.company.as_deref().unwrap_or_default());
        // A user whose CSP removed their role stays in the CSP's list, without any rights.
        let custody = user.custody.as_ref().filter(|label| label.key == PARTNER_LABEL_KEY);
        Self {
            id,
            email: user.email.clone(),
            firstname: text(&user.firstname),
            lastname: text(&user.lastname),
            company,
            business_role,
            phone: text(&user.phone),
            city: text(&user.city),
            state: text(&user.state),
            country: text(&user.country),
            confirmed: user.confirmed_at.is_some(),
            role,
            csp: csp.or_else(|| custody.map(|label| label.value.clone())),
            created_at: user.created_at.map(|time| from_micros(time.unix_micros())),
        }
    }
}

/// The user's id; `None` if it is not a UUID.
pub(super) fn id(user: &User) -> Option<Uuid> {
    Uuid::parse_str(user.uuid.as_str()).ok()
}

#[cfg(test)]
impl UserRecord {
    /// A person with no other fields.
    pub(super) fn named(id: Uuid, email: &str) -> Self {
        Self {
            id,
            email: email.to_owned(),
            firstname: String::new(),
            lastname: String::new(),
            company: String::new(),
            business_role: String::new(),
            phone: String::new(),
            city: String::new(),
            state: String::new(),
            country: String::new(),
            confirmed: false,
            role: None,
            csp: None,
            created_at: None,
        }
    }
}

/// Whether the user record contains the roles. Our cloud always sends them; another one may omit the role, or the labels of a
/// CSP role.
fn has_roles(user: &User) -> bool {
    let is_csp_scoped = |role: &String| Role::from_name(role).is_some_and(Role::is_csp_scoped);
    !user.role_tags.is_empty() || user.role.as_ref().is_some_and(|role| !is_csp_scoped(role))
}
