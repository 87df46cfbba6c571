//! The one rule book: who may do what. Pure; nothing else in the console decides by role.

use diffuser::Role;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::session::SessionHash;

/// Who asks. Handlers get one only by extraction, and nothing that reads devices works without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Actor {
    /// The session that asks; its tokens speak to the cloud.
    pub(crate) session: SessionHash,
    /// One of the five roles, or none.
    pub(crate) role: Option<Role>,
    /// The CSP whose label a CSP role carries.
    pub(crate) csp: Option<String>,
}

/// Which devices an actor may know of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    /// Every device.
    Everything,
    /// The devices of one CSP.
    Csp(&'a str),
    /// None.
    Nothing,
}

/// What an actor wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// See devices, CSPs or fragrances.
    View,
    /// Change a device, a CSP or the fragrance catalogue.
    Edit,
    /// Follow devices live.
    Watch,
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
    /// The CSPs of the actor's scope, whichever they are.
    Csps,
    /// The fragrance catalogue.
    Fragrances,
    /// What people changed, as far as the actor's scope goes.
    Audit,
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

/// What the signed-in user may do that is not about one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) enum Permission {
    /// Sees devices.
    #[serde(rename = "devices.view")]
    ViewDevices,
    /// Sees which CSP a device belongs to, and filters by it.
    #[serde(rename = "devices.csp")]
    DeviceCsp,
    /// Adds devices.
    #[serde(rename = "devices.add")]
    AddDevices,
    /// Sees who changed what.
    #[serde(rename = "audit.view")]
    ViewAudit,
}

/// Decides.
pub(crate) fn can(actor: &Actor, action: Action, target: Target<'_>) -> Decision {
    let in_scope = match (actor.scope(), target) {
        (Scope::Everything, _)
        | (Scope::Csp(_), Target::Devices | Target::Csps | Target::Fragrances | Target::Audit) => true,
        (Scope::Csp(own), Target::Device { csp }) => csp == Some(own),
        (Scope::Nothing, _) => false,
    };
    let permitted = match (action, target) {
        (Action::View, Target::Audit) => {
            matches!(actor.role, Some(Role::Admin | Role::Observer | Role::CspAdmin))
        }
        (Action::Edit | Action::Watch, Target::Audit) => false,
        (Action::View | Action::Watch, _) => true,
        (Action::Edit, Target::Csps | Target::Fragrances) => actor.role == Some(Role::Admin),
        (Action::Edit, Target::Devices | Target::Device { .. }) => {
            matches!(actor.role, Some(Role::Admin | Role::CspAdmin | Role::CspTech))
        }
    };
    match (in_scope, permitted, target) {
        (true, true, _) => Decision::Allowed,
        (true, false, _) | (false, _, Target::Devices | Target::Csps | Target::Fragrances | Target::Audit) => {
            Decision::Forbidden
        }
        (false, _, Target::Device { .. }) => Decision::Hidden,
    }
}

/// What the session call tells the web.
pub(crate) fn permissions(actor: &Actor) -> Vec<Permission> {
    let mut permissions = match actor.scope() {
        Scope::Everything => vec![Permission::ViewDevices, Permission::DeviceCsp],
        Scope::Csp(_) => vec![Permission::ViewDevices],
        Scope::Nothing => Vec::new(),
    };
    if can(actor, Action::Edit, Target::Devices) == Decision::Allowed {
        permissions.push(Permission::AddDevices);
    }
    if can(actor, Action::View, Target::Audit) == Decision::Allowed {
        permissions.push(Permission::ViewAudit);
    }
    permissions
}

impl Actor {
    /// Which devices the actor may know of. A CSP role without a CSP sees nothing.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn actor(role: Option<Role>, csp: Option<&str>) -> Actor {
        Actor { session: SessionHash::of(&[0; 32]), role, csp: csp.map(str::to_owned) }
    }

    const OWN: Target<'_> = Target::Device { csp: Some("Own") };
    const OTHER: Target<'_> = Target::Device { csp: Some("Other") };
    const UNASSIGNED: Target<'_> = Target::Device { csp: None };

    #[test]
    fn view_and_edit_follow_role_and_csp() {
        use Decision::{Allowed, Forbidden, Hidden};
        // role, CSP | view own, edit own | view other, edit other | view unassigned, edit unassigned
        let rows = [
            (Some(Role::Admin), None, [Allowed, Allowed, Allowed, Allowed, Allowed, Allowed]),
            (Some(Role::Observer), None, [Allowed, Forbidden, Allowed, Forbidden, Allowed, Forbidden]),
            (Some(Role::CspAdmin), Some("Own"), [Allowed, Allowed, Hidden, Hidden, Hidden, Hidden]),
            (Some(Role::CspObserver), Some("Own"), [Allowed, Forbidden, Hidden, Hidden, Hidden, Hidden]),
            (Some(Role::CspTech), Some("Own"), [Allowed, Allowed, Hidden, Hidden, Hidden, Hidden]),
            (Some(Role::CspAdmin), None, [Hidden; 6]),
            (Some(Role::CspAdmin), Some(""), [Hidden; 6]),
            (Some(Role::CspTech), None, [Hidden; 6]),
            (None, None, [Hidden; 6]),
            (None, Some("Own"), [Hidden; 6]),
        ];
        for (role, csp, expected) in rows {
            let actor = actor(role, csp);
            let decisions =
                [OWN, OTHER, UNASSIGNED].map(|target| [Action::View, Action::Edit].map(|a| can(&actor, a, target)));
            assert_eq!(decisions.as_flattened(), expected, "{role:?} {csp:?}");
        }
    }

    #[test]
    fn csp_names_are_compared_exactly() {
        let actor = actor(Some(Role::CspAdmin), Some("Own"));
        for near in ["own", "Own ", "Ow", ""] {
            assert_eq!(can(&actor, Action::View, Target::Device { csp: Some(near) }), Decision::Hidden, "{near:?}");
        }
    }

    #[test]
    fn only_who_sees_devices_may_watch_them() {
        let rows = [
            (Some(Role::Admin), None, Decision::Allowed),
            (Some(Role::CspObserver), Some("Own"), Decision::Allowed),
            (Some(Role::CspObserver), None, Decision::Forbidden),
            (None, None, Decision::Forbidden),
        ];
        for (role, csp, expected) in rows {
            assert_eq!(can(&actor(role, csp), Action::Watch, Target::Devices), expected, "{role:?}");
        }
    }

    #[test]
    fn csps_and_fragrances_are_seen_by_the_five_roles_and_changed_by_one() {
        use Decision::{Allowed, Forbidden};
        let rows = [
            (Some(Role::Admin), None, Allowed, Allowed),
            (Some(Role::Observer), None, Allowed, Forbidden),
            (Some(Role::CspAdmin), Some("Own"), Allowed, Forbidden),
            (Some(Role::CspObserver), Some("Own"), Allowed, Forbidden),
            (Some(Role::CspTech), Some("Own"), Allowed, Forbidden),
            (Some(Role::CspTech), None, Forbidden, Forbidden),
            (None, Some("Own"), Forbidden, Forbidden),
        ];
        for (role, csp, view, edit) in rows {
            let actor = actor(role, csp);
            for target in [Target::Csps, Target::Fragrances] {
                let decisions = [Action::View, Action::Edit].map(|action| can(&actor, action, target));
                assert_eq!(decisions, [view, edit], "{target:?} {role:?} {csp:?}");
            }
        }
    }

    #[test]
    fn the_audit_is_read_by_administrators_and_the_observer_of_all_and_changed_by_nobody() {
        use Decision::{Allowed, Forbidden};
        let rows = [
            (Some(Role::Admin), None, Allowed),
            (Some(Role::Observer), None, Allowed),
            (Some(Role::CspAdmin), Some("Own"), Allowed),
            (Some(Role::CspAdmin), None, Forbidden),
            (Some(Role::CspObserver), Some("Own"), Forbidden),
            (Some(Role::CspTech), Some("Own"), Forbidden),
            (None, Some("Own"), Forbidden),
        ];
        for (role, csp, view) in rows {
            let actor = actor(role, csp);
            let decisions = [Action::View, Action::Edit, Action::Watch].map(|it| can(&actor, it, Target::Audit));
            assert_eq!(decisions, [view, Forbidden, Forbidden], "{role:?} {csp:?}");
        }
    }

    #[test]
    fn permissions_follow_the_scope() {
        use Permission::{AddDevices, DeviceCsp, ViewAudit, ViewDevices};
        let rows = [
            (Some(Role::Admin), None, vec![ViewDevices, DeviceCsp, AddDevices, ViewAudit]),
            (Some(Role::Observer), None, vec![ViewDevices, DeviceCsp, ViewAudit]),
            (Some(Role::CspAdmin), Some("Own"), vec![ViewDevices, AddDevices, ViewAudit]),
            (Some(Role::CspAdmin), None, vec![]),
            (Some(Role::CspTech), Some("Own"), vec![ViewDevices, AddDevices]),
            (Some(Role::CspObserver), Some("Own"), vec![ViewDevices]),
            (Some(Role::CspTech), None, vec![]),
            (None, None, vec![]),
        ];
        for (role, csp, expected) in rows {
            assert_eq!(permissions(&actor(role, csp)), expected, "{role:?}");
        }
    }
}
