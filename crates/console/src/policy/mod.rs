//! The one rule book: who may do what. Pure; nothing else in the console decides by role.

mod permission;
#[cfg(test)]
mod tests;

use diffuser::Role;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::session::SessionHash;

pub(crate) use permission::{Permission, permissions};

/// Who asks. Handlers get one only by extraction, and nothing that reads devices works without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Actor {
    /// The session that asks; its tokens speak to the cloud.
    pub(crate) session: SessionHash,
    /// Whose session it is: nobody edits or removes the own record.
    pub(crate) user: Uuid,
    /// One of the five roles, or none.
    pub(crate) role: Option<Role>,
    /// The CSP whose label a CSP role carries.
    pub(crate) csp: Option<String>,
}

/// Which devices and people an actor may know of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    /// All.
    Everything,
    /// Those of one CSP.
    Csp(&'a str),
    /// None.
    Nothing,
}

/// What an actor wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// See devices, people, CSPs or fragrances.
    View,
    /// Change a device, a person, a CSP or the fragrance catalogue; of many, add one.
    Edit,
    /// Give devices to a CSP, many at once.
    AssignCsp,
    /// Follow devices live.
    Watch,
    /// Have a person sent the mail that resets the password.
    ResetPassword,
}

/// What it is to be done to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    /// The devices of the actor's scope, whichever they are.
    Devices,
    /// One device and the CSP it belongs to.
    Device {
        /// The device's partner label.
        csp: Option<&'a str>,
    },
    /// The people of the actor's scope, whoever they are.
    People,
    /// One person: who it is and the CSP they belong to.
    Person {
        /// The person's UUID.
        id: Uuid,
        /// The person's partner label.
        csp: Option<&'a str>,
    },
    /// The names of the CSPs of the actor's scope.
    CspNames,
    /// The CSPs, with how much belongs to each.
    Csps,
    /// The fragrance catalogue.
    Fragrances,
    /// What people changed, as far as the actor's scope goes.
    Audit,
    /// Long work over many devices.
    Job {
        /// Who started it.
        owner: Uuid,
    },
}

/// The answer. Being hidden comes before being forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Go ahead.
    Allowed,
    /// The actor may know of it, but not do that.
    Forbidden,
    /// The actor may not know that it exists.
    Hidden,
}

/// Decides.
pub(crate) fn can(actor: &Actor, action: Action, target: Target<'_>) -> Decision {
    let (in_scope, hides) = match (actor.scope(), target) {
        (_, Target::Job { owner }) => (owner == actor.user || actor.role == Some(Role::Admin), true),
        (Scope::Everything, _) => (true, false),
        (Scope::Csp(own), Target::Device { csp } | Target::Person { csp, .. }) => (csp == Some(own), true),
        (Scope::Csp(_), _) => (true, false),
        (Scope::Nothing, Target::Device { .. } | Target::Person { .. }) => (false, true),
        (Scope::Nothing, _) => (false, false),
    };
    match (in_scope, permits(actor, action, target)) {
        (true, true) => Decision::Allowed,
        (false, _) if hides => Decision::Hidden,
        _ => Decision::Forbidden,
    }
}

/// Whether the actor's role has the right, wherever it reaches.
fn permits(actor: &Actor, action: Action, target: Target<'_>) -> bool {
    use Role::{Admin, CspAdmin, CspObserver, CspTech, Observer};
    let roles: &[Role] = match (action, target) {
        (Action::Edit, Target::Person { id, .. }) if id == actor.user => &[],
        (Action::View | Action::Watch, Target::Devices | Target::Device { .. })
        | (Action::View, Target::CspNames | Target::Fragrances)
        | (Action::View | Action::Edit, Target::Job { .. }) => &Role::ALL,
        (Action::Edit, Target::Devices | Target::Device { .. }) => &[Admin, CspAdmin, CspTech],
        (Action::View, Target::People | Target::Person { .. }) => &[Admin, Observer, CspAdmin, CspObserver],
        (Action::Edit, Target::People | Target::Person { .. }) => &[Admin, CspAdmin],
        (Action::View, Target::Audit) => &[Admin, Observer, CspAdmin],
        (Action::View, Target::Csps) => &[Admin, Observer],
        (Action::Edit, Target::Csps | Target::Fragrances)
        | (Action::AssignCsp, Target::Devices | Target::Device { .. })
        | (Action::ResetPassword, Target::Person { .. }) => &[Admin],
        (Action::Edit, Target::CspNames | Target::Audit)
        | (Action::AssignCsp | Action::Watch | Action::ResetPassword, _) => &[],
    };
    actor.role.is_some_and(|role| roles.contains(&role))
}

/// Which roles the actor may give to somebody, the least privileged last.
pub(crate) fn role_choices(actor: &Actor) -> &'static [Role] {
    match (actor.role, actor.scope()) {
        (_, Scope::Nothing) | (None | Some(Role::Observer | Role::CspObserver), _) => &[],
        (Some(Role::Admin), _) => &Role::ALL,
        (Some(Role::CspAdmin), _) => &[Role::CspAdmin, Role::CspObserver, Role::CspTech],
        (Some(Role::CspTech), _) => &[Role::CspTech],
    }
}

impl Actor {
    /// Which devices and people the actor may know of. A CSP role without a CSP sees nothing.
    pub(crate) fn scope(&self) -> Scope<'_> {
        match (self.role, &self.csp) {
            (Some(Role::Admin | Role::Observer), _) => Scope::Everything,
            (Some(Role::CspAdmin | Role::CspObserver | Role::CspTech), Some(csp)) if !csp.is_empty() => Scope::Csp(csp),
            (Some(Role::CspAdmin | Role::CspObserver | Role::CspTech) | None, _) => Scope::Nothing,
        }
    }
}

impl Decision {
    /// As the answer to a request.
    ///
    /// # Errors
    /// 404 for what is hidden, 403 for what is forbidden.
    pub(crate) fn require(self) -> ApiResult<()> {
        match self {
            Self::Allowed => Ok(()),
            Self::Forbidden => Err(ApiError::Forbidden),
            Self::Hidden => Err(ApiError::NotFound),
        }
    }
}
