//! From the roles that a person has to the one that they shall have, one step for each call. It takes before it
//! gives: whoever is stopped half way has fewer rights, never more, and planning again goes on from what is true then.

use devicecloud::{Client, Label, Result, RoleUser};
use diffuser::{PARTNER_LABEL_KEY, Role};

use super::fields::Access;

/// The roles of a person, as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HeldRoles {
    /// The one that counts.
    pub(super) role: Option<Role>,
    /// The CSP of its label.
    pub(super) csp: Option<String>,
    /// The rest of the five: nobody is to have more than one.
    pub(super) others: Vec<Role>,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    RevokeLabel(Role, String),
    RevokeRole(Role),
    AssignRole(Role),
    AssignLabel(Role, String),
    /// Takes one of several roles.
    RevokeOther(Role),
}

impl HeldRoles {
    /// `role` is the one that counts. A user's own record does not tell of roles without a label beside it; `role_users`
    /// does, and also of those with whose people the user is merely associated.
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

    /// The role that counts, with its CSP. The steps to it take the other roles.
    pub(super) fn access(&self) -> Option<Access> {
        self.role.map(|role| Access { role, csp: self.csp.clone() })
    }
}

/// The steps from what somebody has to what they shall have; none when that is the same.
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
    /// Makes the call. What somebody else took away in the meantime is away.
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
