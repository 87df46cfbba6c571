//! Permissions that do not concern a single record.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Action, Actor, Decision, Target, can};

/// A permission of the signed-in user that does not concern a single record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) enum Permission {
    /// View devices.
    #[serde(rename = "devices.view")]
    ViewDevices,
    /// Add devices.
    #[serde(rename = "devices.add")]
    AddDevices,
    /// Assign many devices to a CSP at once.
    #[serde(rename = "devices.bulk_edit")]
    BulkEditDevices,
    /// View people.
    #[serde(rename = "users.view")]
    ViewUsers,
    /// Invite people.
    #[serde(rename = "users.invite")]
    InviteUsers,
    /// View the CSPs, and which of them a device or person belongs to.
    #[serde(rename = "csps.view")]
    ViewCsps,
    /// Add, rename and remove CSPs, and choose the CSP of a device or person.
    #[serde(rename = "csps.edit")]
    EditCsps,
    /// Export and import the fragrance catalogue.
    #[serde(rename = "fragrances.edit")]
    EditFragrances,
    /// View the audit.
    #[serde(rename = "audit.view")]
    ViewAudit,
    /// View what needs attention.
    #[serde(rename = "attention.view")]
    ViewAttention,
    /// Acknowledge, assign, snooze and comment on what needs attention.
    #[serde(rename = "attention.edit")]
    EditAttention,
    /// Change the thresholds of attention.
    #[serde(rename = "attention.settings")]
    EditAttentionSettings,
    /// View jobs. Granted to every user who may start jobs.
    #[serde(rename = "jobs.view")]
    ViewJobs,
    /// Set the rules of sign-ins.
    #[serde(rename = "sign_in_rules.edit")]
    EditSignInRules,
}

impl Permission {
    /// Each permission with the action and target that it requires.
    const RULES: [(Self, Action, Target<'static>); 14] = [
        (Self::ViewDevices, Action::View, Target::Devices),
        (Self::AddDevices, Action::Edit, Target::Devices),
        (Self::BulkEditDevices, Action::AssignCsp, Target::Devices),
        (Self::ViewUsers, Action::View, Target::People),
        (Self::InviteUsers, Action::Edit, Target::People),
        (Self::ViewCsps, Action::View, Target::Csps),
        (Self::EditCsps, Action::Edit, Target::Csps),
        (Self::EditFragrances, Action::Edit, Target::Fragrances),
        (Self::ViewAudit, Action::View, Target::Audit),
        (Self::ViewAttention, Action::View, Target::Attention),
        (Self::EditAttention, Action::Edit, Target::Attention),
        (Self::EditAttentionSettings, Action::Edit, Target::AttentionSettings),
        (Self::ViewJobs, Action::Edit, Target::Devices),
        (Self::EditSignInRules, Action::Edit, Target::SignInRules),
    ];
}

/// The actor's permissions, as returned with the session.
pub(crate) fn permissions(actor: &Actor) -> Vec<Permission> {
    let allowed =
        |(permission, action, target)| (can(actor, action, target) == Decision::Allowed).then_some(permission);
    Permission::RULES.into_iter().filter_map(allowed).collect()
}
