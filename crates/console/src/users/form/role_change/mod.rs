//! Plans the calls that change a person's role. Revocations come before assignments, so an interrupted change leaves
//! fewer rights, never more. Planning again from the roles at that time continues the change.

use devicecloud::{Client, Label, Result, RoleUser};
use diffuser::{PARTNER_LABEL_KEY, Role};

use super::fields::Access;

/// The current roles of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HeldRoles {
    /// The effective role.
    pub(super) role: Option<Role>,
    /// The CSP of its label.
    pub(super) csp: Option<String>,
    /// Further roles, which are revoked because a person must have only one.
    pub(super) others: Vec<Role>,
}

/// One call to the cloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    RevokeLabel(Role, String),
    RevokeRole(Role),
    AssignRole(Role),
    AssignLabel(Role, String),
    /// Revokes a further role.
    RevokeOther(Role),
}

impl HeldRoles {
    /// `role` is the effective role. `role_users` also contains roles without a label, which the user's record omits.
    pub(super) fn of(role: Option<Role>, role_users: &[RoleUser]) -> Self {
        let of = |role: Role| role_users.iter().find(move |it| it.role == role.name());
        let label = role.and_then(of).and_then(|it| it.label.as_ref());
        let csp = label.filter(|label| label.key == PARTNER_LABEL_KEY && !label.value.is_empty());
        Self {
            role,
            csp: csp.map(|label| label.value.clone()),
            others: Role::ALL.into_iter().filter(|it| Some(*it) != role && of(*it).is_some()).collect(),
        }
    }

    /// The effective role with its CSP. [`steps`] to it only revoke the other roles.
    pub(super) fn access(&self) -> Option<Access> {
        self.role.map(|role| Access { role, csp: self.csp.clone() })
    }
}

/// The steps from the held to the wanted role; empty if they are equal.
pub(super) fn steps(held: &HeldRoles, wanted: &Access) -> Vec<Step> {
    let mut steps = Vec::new();
    let stays = held.role == Some(wanted.role);
    if let Some(role) = held.role {
        let csp = held.csp.clone().filter(|_| !stays || held.csp != wanted.csp);
        steps.extend(csp.map(|csp| Step::RevokeLabel(role, csp)));
        steps.extend((!stays).then_some(Step::RevokeRole(role)));
    }
    steps.extend((!stays).then_some(Step::AssignRole(wanted.role)));
    let csp = wanted.csp.clone().filter(|_| !stays || held.csp != wanted.csp);
    steps.extend(csp.map(|csp| Step::AssignLabel(wanted.role, csp)));
    steps.extend(held.others.iter().filter(|role| **role != wanted.role).map(|role| Step::RevokeOther(*role)));
    steps
}

impl Step {
    /// Makes the call. A revocation of something already revoked succeeds.
    pub(super) async fn call(&self, cloud: &Client, email: &str) -> Result<()> {
        let (roles, label) = (cloud.roles(), |csp: &str| Label::new(PARTNER_LABEL_KEY, csp));
        let gone = |result: Result<()>| match result {
            Err(error) if error.status() == Some(404) => Ok(()),
            result => result,
        };
        match self {
            Self::RevokeLabel(role, csp) => gone(roles.revoke_label(email, role.name(), label(csp)).await),
            Self::RevokeRole(role) | Self::RevokeOther(role) => gone(roles.revoke_role(email, role.name()).await),
            Self::AssignRole(role) => roles.assign_role(email, role.name()).await,
            Self::AssignLabel(role, csp) => roles.assign_label(email, role.name(), label(csp)).await,
        }
    }
}

#[cfg(test)]
mod tests;
