//! What each role may do ([`can`]), and what an access token may do ([`require_right`]). Pure functions; no other module of the
//! console checks roles.

mod general_permissions;
pub(crate) mod session_hash;
#[cfg(test)]
mod tests;
mod token_rights;

use diffuser::Role;
use uuid::Uuid;

use self::session_hash::SessionHash;
use crate::http::error::{ApiError, ApiResult};

pub(crate) use general_permissions::{Permission, permissions};
pub(crate) use token_rights::{Operations, TOKEN_SCHEME, TokenRight, require_right};

/// The signed-in person. Handlers get it only by extraction, and every read of devices requires it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Actor {
    /// The session, whose tokens are used for calls to the cloud.
    pub(crate) session: SessionHash,
    /// The session's user, who cannot edit or remove their own record.
    pub(crate) user: Uuid,
    /// One of the five roles, or none.
    pub(crate) role: Option<Role>,
    /// The CSP whose label a CSP role carries.
    pub(crate) csp: Option<String>,
}

/// The devices and people that an actor may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    /// All devices and people.
    Everything,
    /// The devices and people of one CSP.
    Csp(&'a str),
    /// No devices and no people.
    Nothing,
}

/// An action to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// See devices, people, CSPs or fragrances.
    View,
    /// Change a device, a person, a CSP or the fragrance catalogue. On a collection: add a record.
    Edit,
    /// Assign many devices to a CSP.
    AssignCsp,
    /// Follow devices live.
    Watch,
    /// Send a password reset mail to a person.
    ResetPassword,
}

/// The object of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    /// The collection of devices in the actor's scope.
    Devices,
    /// One device and the CSP it belongs to.
    Device {
        /// The device's partner label.
        csp: Option<&'a str>,
    },
    /// The collection of people in the actor's scope.
    People,
    /// One person and the CSP they belong to.
    Person {
        /// The person's UUID.
        id: Uuid,
        /// The person's partner label.
        csp: Option<&'a str>,
    },
    /// The names of the CSPs of the actor's scope.
    CspNames,
    /// The CSPs, with their counts of devices and people.
    Csps,
    /// The fragrance catalogue.
    Fragrances,
    /// The audited changes in the actor's scope.
    Audit,
    /// The refused sign-ins in the audit.
    RefusedSignIns,
    /// The downloads of reports in the audit, within the actor's scope.
    ReportDownloads,
    /// A job over many devices.
    Job {
        /// The user who started it.
        owner: Uuid,
    },
    /// The jobs of all users.
    AllJobs,
    /// The items of attention in the actor's scope.
    Attention,
    /// An item of attention, and the CSP that it or its device belongs to.
    AttentionItem {
        /// The device's partner label, or the CSP.
        csp: Option<&'a str>,
    },
    /// The thresholds of attention in the actor's scope.
    AttentionSettings,
    /// The rules of sign-ins.
    SignInRules,
}

/// The result of a check. `Hidden` takes precedence over `Forbidden`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The action is permitted.
    Allowed,
    /// The target is visible, but the action is not permitted.
    Forbidden,
    /// The target must appear not to exist.
    Hidden,
}

/// Checks whether the actor may perform the action on the target.
pub(crate) fn can(actor: &Actor, action: Action, target: Target<'_>) -> Decision {
    let (in_scope, hides) = match (actor.scope(), target) {
        (_, Target::Job { owner }) => (owner == actor.user || actor.role == Some(Role::Admin), true),
        (Scope::Everything, _) => (true, false),
        (Scope::Csp(own), Target::Device { csp } | Target::Person { csp, .. } | Target::AttentionItem { csp }) => {
            (csp == Some(own), true)
        }
        (Scope::Csp(_), _) => (true, false),
        (Scope::Nothing, Target::Device { .. } | Target::Person { .. } | Target::AttentionItem { .. }) => (false, true),
        (Scope::Nothing, _) => (false, false),
    };
    match (in_scope, permits(actor, action, target)) {
        (true, true) => Decision::Allowed,
        (false, _) if hides => Decision::Hidden,
        _ => Decision::Forbidden,
    }
}

/// Whether the actor's role permits the action, regardless of scope.
fn permits(actor: &Actor, action: Action, target: Target<'_>) -> bool {
    use Role::{Admin, CspAdmin, CspObserver, CspTech, Observer};
    let roles: &[Role] = match (action, target) {
        (Action::Edit, Target::Person { id, .. }) if id == actor.user => &[],
        (Action::View | Action::Watch, Target::Devices | Target::Device { .. })
        | (Action::View, Target::CspNames | Target::Fragrances)
        | (Action::View, Target::Attention | Target::AttentionItem { .. } | Target::AttentionSettings)
        | (Action::View | Action::Edit, Target::Job { .. }) => &Role::ALL,
        (Action::Edit, Target::Devices | Target::Device { .. } | Target::Attention | Target::AttentionItem { .. }) => {
            &[Admin, CspAdmin, CspTech]
        }
        (Action::Edit, Target::AttentionSettings) => &[Admin, CspAdmin],
        (Action::View, Target::People | Target::Person { .. }) => &[Admin, Observer, CspAdmin, CspObserver],
        (Action::Edit, Target::People | Target::Person { .. }) => &[Admin, CspAdmin],
        (Action::View, Target::Audit) => &[Admin, Observer, CspAdmin],
        (Action::View, Target::ReportDownloads) => &[Admin, CspAdmin],
        (Action::View, Target::Csps) => &[Admin, Observer],
        (Action::View | Action::Edit, Target::SignInRules)
        | (Action::Edit, Target::Csps | Target::Fragrances)
        | (Action::AssignCsp, Target::Devices | Target::Device { .. })
        | (Action::View, Target::AllJobs | Target::RefusedSignIns)
        | (Action::ResetPassword, Target::Person { .. }) => &[Admin],
        (
            Action::Edit,
            Target::CspNames | Target::Audit | Target::RefusedSignIns | Target::ReportDownloads | Target::AllJobs,
        )
        | (Action::AssignCsp | Action::Watch | Action::ResetPassword, _) => &[],
    };
    actor.role.is_some_and(|role| roles.contains(&role))
}

/// The roles that the actor may assign, least privileged last.
pub(crate) fn role_choices(actor: &Actor) -> &'static [Role] {
    match (actor.role, actor.scope()) {
        (_, Scope::Nothing) | (None | Some(Role::Observer | Role::CspObserver), _) => &[],
        (Some(Role::Admin), _) => &Role::ALL,
        (Some(Role::CspAdmin), _) => &[Role::CspAdmin, Role::CspObserver, Role::CspTech],
        (Some(Role::CspTech), _) => &[Role::CspTech],
    }
}

impl<'a> Scope<'a> {
    /// The scope of people with this role, bound to this CSP.
    pub(crate) fn of(role: Option<Role>, csp: Option<&'a str>) -> Self {
        match (role, csp) {
            (Some(Role::Admin | Role::Observer), _) => Scope::Everything,
            (Some(Role::CspAdmin | Role::CspObserver | Role::CspTech), Some(csp)) if !csp.is_empty() => Scope::Csp(csp),
            (Some(Role::CspAdmin | Role::CspObserver | Role::CspTech) | None, _) => Scope::Nothing,
        }
    }
}

impl Actor {
    /// The devices and people that the actor may see. A CSP role without a CSP sees nothing.
    pub(crate) fn scope(&self) -> Scope<'_> {
        Scope::of(self.role, self.csp.as_deref())
    }
}

impl Decision {
    /// Converts the decision to a result.
    ///
    /// # Errors
    /// 404 if hidden, 403 if forbidden.
    pub(crate) fn require(self) -> ApiResult<()> {
        match self {
            Self::Allowed => Ok(()),
            Self::Forbidden => Err(ApiError::Forbidden),
            Self::Hidden => Err(ApiError::NotFound),
        }
    }
}
