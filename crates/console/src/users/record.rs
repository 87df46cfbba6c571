//! A person as the console knows people, from the cloud's user.

use devicecloud::{Client, Result, User};
use diffuser::{PARTNER_LABEL_KEY, Role};
use jiff::Timestamp;
use platform::clock::from_micros;
use uuid::Uuid;

use super::company;
use crate::session::{access, access_by_role_users};

/// What the list, its filters and the form need to know of a person. Missing texts are empty.
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
    /// Whether the address was confirmed, which takes the cloud's time of it.
    pub(crate) confirmed: bool,
    /// The effective role; `None` without one of the five.
    pub(crate) role: Option<Role>,
    /// The CSP that the role is bound to, or that looks after somebody without a role meanwhile.
    pub(crate) csp: Option<String>,
    pub(crate) created_at: Option<Timestamp>,
}

impl UserRecord {
    /// The person of a user that `cloud` told of. Asks for the roles of one of whom they are not told. `None` when
    /// the user's id is no UUID: nobody could be named by it.
    ///
    /// # Errors
    /// What the cloud says to the question after the roles.
    pub(super) async fn of(cloud: &Client, user: &User) -> Result<Option<Self>> {
        if has_roles(user) {
            return Ok(Self::from_listed(user));
        }
        let role_users = cloud.roles().role_users(&user.email).await?;
        Ok(id(user).map(|id| Self::with(id, user, access_by_role_users(&role_users))))
    }

    /// As [`of`](Self::of), without asking: `None` also when the cloud did not tell the roles.
    pub(super) fn from_listed(user: &User) -> Option<Self> {
        has_roles(user).then(|| id(user).map(|id| Self::with(id, user, access(user)))).flatten()
    }

    fn with(id: Uuid, user: &User, (role, csp): (Option<Role>, Option<String>)) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (company, business_role) = company::read(user.company.as_deref().unwrap_or_default());
        // Whom a partner left without a role stays in its lists, without any right of their own by it.
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

/// How the console names a user; `None` for what is no UUID.
pub(super) fn id(user: &User) -> Option<Uuid> {
    Uuid::parse_str(user.uuid.as_str()).ok()
}

#[cfg(test)]
impl UserRecord {
    /// Somebody of whom nothing else is known.
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

/// Our cloud always does. Another one may tell no role, or a partner's role without its labels.
fn has_roles(user: &User) -> bool {
    let is_csp_scoped = |role: &String| Role::from_name(role).is_some_and(Role::is_csp_scoped);
    !user.role_tags.is_empty() || user.role.as_ref().is_some_and(|role| !is_csp_scoped(role))
}
