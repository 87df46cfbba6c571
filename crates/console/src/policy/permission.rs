//! Permissions that do not concern a single record.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Action, Actor, Decision, Target, can};

/// What the signed-in user may do that is not about one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) enum Permission {
    /// Sees devices.
    #[serde(rename = "devices.view")]
    ViewDevices,
    /// Adds devices.
    #[serde(rename = "devices.add")]
    AddDevices,
    /// Gives many devices to a CSP at once.
    #[serde(rename = "devices.bulk_edit")]
    BulkEditDevices,
    /// Sees people.
    #[serde(rename = "users.view")]
    ViewUsers,
    /// Invites people.
    #[serde(rename = "users.invite")]
    InviteUsers,
    /// Sees the CSPs, and which of them a device or a person belongs to.
    #[serde(rename = "csps.view")]
    ViewCsps,
    /// Adds, renames and removes CSPs, and chooses that of a device or a person.
    #[serde(rename = "csps.edit")]
    EditCsps,
    /// Takes the fragrance catalogue out and brings it in.
    #[serde(rename = "fragrances.edit")]
    EditFragrances,
    /// Sees who changed what.
    #[serde(rename = "audit.view")]
    ViewAudit,
    /// Starts jobs over many devices, and so has some to see.
    #[serde(rename = "jobs.view")]
    ViewJobs,
}

impl Permission {
    /// Each permission with the action and target that it requires.
    const RULES: [(Self, Action, Target<'static>); 10] = [
        (Self::ViewDevices, Action::View, Target::Devices),
        (Self::AddDevices, Action::Edit, Target::Devices),
        (Self::BulkEditDevices, Action::AssignCsp, Target::Devices),
        (Self::ViewUsers, Action::View, Target::People),
        (Self::InviteUsers, Action::Edit, Target::People),
        (Self::ViewCsps, Action::View, Target::Csps),
        (Self::EditCsps, Action::Edit, Target::Csps),
        (Self::EditFragrances, Action::Edit, Target::Fragrances),
        (Self::ViewAudit, Action::View, Target::Audit),
        (Self::ViewJobs, Action::Edit, Target::Devices),
    ];
}

/// The actor's permissions, as returned with the session.
pub(crate) fn permissions(actor: &Actor) -> Vec<Permission> {
    let allowed =
        |(permission, action, target)| (can(actor, action, target) == Decision::Allowed).then_some(permission);
    Permission::RULES.into_iter().filter_map(allowed).collect()
}
