//! Permissions for users. As with devices, a user outside the caller's scope is not found (404); then the
//! caller's role must allow the action (403).

use super::custody::{Custody, is_of_the_partner};
use super::{WantedLabel, is_own_label};
use crate::domain::principal::{Grant, Principal};
use crate::domain::role::RoleKind;

/// The users that a caller can see. Machine accounts are never visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UserScope {
    /// All users of the manufacturer.
    Oem { oem_id: i64 },
    /// Users of a partner: those with this label in a partner role or in [custody](Custody), and associated customers
    /// . Users who also have a role of the manufacturer are excluded.
    Labelled { oem_id: i64, key: String, value: String },
    /// Only the caller.
    Own { user_id: i64 },
}

/// The scope of this caller.
pub(crate) fn user_scope(caller: &Principal) -> UserScope {
    let own = UserScope::Own { user_id: caller.user_id };
    match caller.kind {
        RoleKind::OemAdmin | RoleKind::OemObserver => UserScope::Oem { oem_id: caller.oem_id },
        // Without a label there is no partner (A-23: fail closed).
        RoleKind::PartnerAdmin | RoleKind::PartnerObserver => caller
            .label
            .clone()
            .map_or(own, |label| UserScope::Labelled { oem_id: caller.oem_id, key: label.key, value: label.value }),
        RoleKind::PartnerTechnician | RoleKind::EndUser => own,
    }
}

/// Whether a caller of this kind may list and read the users in their scope.
pub(crate) fn may_read_users(kind: RoleKind) -> bool {
    matches!(kind, RoleKind::OemAdmin | RoleKind::OemObserver | RoleKind::PartnerAdmin | RoleKind::PartnerObserver)
}

/// Whether a caller of this kind may list every user of the manufacturer.
pub(crate) fn may_index_oem(kind: RoleKind) -> bool {
    matches!(kind, RoleKind::OemAdmin | RoleKind::OemObserver)
}

/// Whether a caller of this kind may resend the confirmation of another user.
pub(crate) fn may_resend_confirmation(kind: RoleKind) -> bool {
    matches!(kind, RoleKind::OemAdmin | RoleKind::PartnerAdmin)
}

/// Whether a caller of this kind may create users without a role.
pub(crate) fn may_create_users(kind: RoleKind) -> bool {
    kind == RoleKind::OemAdmin
}

/// Whether a caller of this kind may create users with a role or change roles.
pub(crate) fn may_manage_roles(kind: RoleKind) -> bool {
    matches!(kind, RoleKind::OemAdmin | RoleKind::PartnerAdmin)
}

/// Whether the caller may change or delete a user in scope and change their roles. Partner administrators manage only
/// users who belong to their partner alone, and not themselves.
pub(crate) fn may_handle(caller: &Principal, user_id: i64, grants: &[Grant], custody: Option<&Custody>) -> bool {
    match caller.kind {
        RoleKind::OemAdmin => true,
        RoleKind::PartnerAdmin => user_id != caller.user_id && is_of_the_partner(caller, grants, custody),
        _ => false,
    }
}

/// Whether the caller may assign or revoke a role with this label. Partner administrators may do so for partner roles
/// with their own label.
pub(crate) fn may_give(caller: &Principal, wanted: &WantedLabel<'_>) -> bool {
    match caller.kind {
        RoleKind::OemAdmin => true,
        RoleKind::PartnerAdmin => is_own_label(caller, wanted),
        _ => false,
    }
}

/// A change of a customer's association with a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Association {
    /// The association starts.
    Begin,
    /// The customer ends it.
    Leave,
    /// A user of the role ends it.
    Dismiss,
}

/// Whether a caller of this kind may make this change: the manufacturer's administrator for anyone, a customer for
/// themselves, a partner administrator for their own label.
pub(crate) fn may_associate(kind: RoleKind, association: Association) -> bool {
    match association {
        Association::Begin => matches!(kind, RoleKind::OemAdmin | RoleKind::PartnerAdmin | RoleKind::EndUser),
        Association::Leave => matches!(kind, RoleKind::OemAdmin | RoleKind::EndUser),
        Association::Dismiss => matches!(kind, RoleKind::OemAdmin | RoleKind::PartnerAdmin),
    }
}

/// The users among whom a caller finds a customer to associate. Partner administrators do not see customers yet, and
/// name them by e-mail address.
pub(crate) fn customer_scope(caller: &Principal) -> UserScope {
    match caller.kind {
        RoleKind::PartnerAdmin => UserScope::Oem { oem_id: caller.oem_id },
        _ => user_scope(caller),
    }
}

/// Whether the caller may associate a customer in [`customer_scope`] with this label. Customers may choose any.
pub(crate) fn may_associate_with(caller: &Principal, wanted: &WantedLabel<'_>) -> bool {
    caller.kind == RoleKind::EndUser || may_give(caller, wanted)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::domain::principal::Label;

    pub(in crate::domain::policy) const KEY: &str = "partner_id";

    pub(in crate::domain::policy) fn caller(kind: RoleKind, label: Option<&str>) -> Principal {
        let label = label.map(|value| Label { role_id: 3, key: KEY.into(), value: value.into() });
        Principal {
            user_id: 7,
            user_uuid: String::new(),
            oem_id: 1,
            kind,
            role: String::new(),
            label,
            role_tags: vec![],
        }
    }

    fn grant(kind: RoleKind, label: Option<&str>) -> Grant {
        let key = kind.is_partner_role().then(|| KEY.to_owned());
        Grant { role_id: 1, name: String::new(), kind, label_key: key, label_value: label.map(Into::into) }
    }

    #[test]
    fn each_role_kind_has_its_user_scope_and_permissions() {
        use RoleKind::{EndUser, OemAdmin, OemObserver, PartnerAdmin, PartnerObserver, PartnerTechnician};
        let (oem, own) = (UserScope::Oem { oem_id: 1 }, UserScope::Own { user_id: 7 });
        let partner = UserScope::Labelled { oem_id: 1, key: KEY.into(), value: "A".into() };
        // read users, list all users, create users, manage roles and resend confirmations
        let table = [
            (OemAdmin, None, &oem, [true, true, true, true]),
            (OemObserver, None, &oem, [true, true, false, false]),
            (PartnerAdmin, Some("A"), &partner, [true, false, false, true]),
            (PartnerAdmin, None, &own, [true, false, false, true]),
            (PartnerObserver, Some("A"), &partner, [true, false, false, false]),
            (PartnerTechnician, Some("A"), &own, [false, false, false, false]),
            (EndUser, None, &own, [false, false, false, false]),
        ];
        for (kind, label, scope, may) in table {
            assert_eq!(user_scope(&caller(kind, label)), *scope, "{kind:?}");
            let calls = [may_read_users(kind), may_index_oem(kind), may_create_users(kind), may_manage_roles(kind)];
            assert_eq!(calls, may, "{kind:?}");
            assert_eq!(may_resend_confirmation(kind), may[3], "{kind:?}");
        }
    }

    #[test]
    fn partner_admin_manages_only_users_of_their_own_partner() {
        use RoleKind::{EndUser, OemAdmin, OemObserver, PartnerAdmin, PartnerObserver, PartnerTechnician};
        let own = grant(PartnerTechnician, Some("A"));
        let unlabelled = grant(PartnerObserver, None);
        let other = grant(PartnerObserver, Some("B"));
        let of = |value: &str| Some(Custody { key: KEY.into(), value: value.into() });
        let other_key = Some(Custody { key: "dealer_id".into(), value: "A".into() });
        let a = Some("A");
        let table = [
            (PartnerAdmin, a, 8, vec![own.clone()], None, true),
            (PartnerAdmin, a, 8, vec![own.clone(), grant(PartnerAdmin, a)], None, true),
            (PartnerAdmin, a, 7, vec![own.clone()], None, false),
            (PartnerAdmin, a, 7, vec![], of("A"), false),
            (PartnerAdmin, a, 8, vec![], None, false),
            (PartnerAdmin, a, 8, vec![], of("A"), true),
            (PartnerAdmin, a, 8, vec![], of("B"), false),
            (PartnerAdmin, a, 8, vec![], other_key, false),
            (PartnerAdmin, a, 8, vec![own.clone()], of("B"), true),
            (PartnerAdmin, a, 8, vec![own.clone(), other.clone()], None, false),
            (PartnerAdmin, a, 8, vec![other], of("A"), false),
            (PartnerAdmin, a, 8, vec![own.clone(), unlabelled.clone()], None, false),
            (PartnerAdmin, a, 8, vec![own.clone(), unlabelled.clone()], of("A"), true),
            (PartnerAdmin, a, 8, vec![unlabelled.clone()], of("A"), true),
            (PartnerAdmin, a, 8, vec![unlabelled], of("B"), false),
            (PartnerAdmin, a, 8, vec![grant(EndUser, None)], of("A"), false),
            (PartnerAdmin, a, 8, vec![own.clone(), grant(OemObserver, None)], of("A"), false),
            (PartnerAdmin, None, 8, vec![own.clone()], None, false),
            (PartnerAdmin, None, 8, vec![], of("A"), false),
            (PartnerObserver, a, 8, vec![own.clone()], of("A"), false),
            (PartnerTechnician, a, 8, vec![own], of("A"), false),
            (OemObserver, None, 8, vec![], of("A"), false),
            (OemAdmin, None, 7, vec![], None, true),
        ];
        for (kind, label, user_id, grants, custody, expected) in table {
            let handles = may_handle(&caller(kind, label), user_id, &grants, custody.as_ref());
            assert_eq!(handles, expected, "{kind:?} {label:?} {grants:?} {custody:?}");
        }
    }

    #[test]
    fn customers_are_associated_and_dismissed_by_either_side() {
        use Association::{Begin, Dismiss, Leave};
        use RoleKind::{EndUser, OemAdmin, OemObserver, PartnerAdmin, PartnerObserver, PartnerTechnician};
        let table = [
            (OemAdmin, [true, true, true]),
            (OemObserver, [false, false, false]),
            (PartnerAdmin, [true, false, true]),
            (PartnerObserver, [false, false, false]),
            (PartnerTechnician, [false, false, false]),
            (EndUser, [true, true, false]),
        ];
        for (kind, expected) in table {
            assert_eq!([Begin, Leave, Dismiss].map(|step| may_associate(kind, step)), expected, "{kind:?}");
            let caller = caller(kind, Some("A"));
            let with = |value| {
                let wanted = WantedLabel { role: PartnerTechnician, role_key: Some(KEY), key: KEY, value };
                may_associate_with(&caller, &wanted)
            };
            let anybodys = matches!(kind, OemAdmin | EndUser);
            assert_eq!([with("A"), with("B")], [anybodys || kind == PartnerAdmin, anybodys], "{kind:?}");
            let everybody = matches!(kind, OemAdmin | OemObserver | PartnerAdmin);
            assert_eq!(customer_scope(&caller) == UserScope::Oem { oem_id: 1 }, everybody, "{kind:?}");
        }
    }

    #[test]
    fn partner_admin_assigns_only_partner_roles_with_their_own_label() {
        use RoleKind::{OemAdmin, OemObserver, PartnerAdmin, PartnerTechnician};
        let wanted = |role, value| WantedLabel { role, role_key: Some(KEY), key: KEY, value };
        let technician = |value| wanted(PartnerTechnician, value);
        let table = [
            (PartnerAdmin, Some("A"), technician("A"), true),
            (PartnerAdmin, Some("A"), technician("B"), false),
            (PartnerAdmin, Some("A"), technician(""), false),
            (PartnerAdmin, Some("A"), wanted(OemObserver, "A"), false),
            (PartnerAdmin, None, technician(""), false),
            (PartnerTechnician, Some("A"), technician("A"), false),
            (OemObserver, None, technician("A"), false),
            (OemAdmin, None, wanted(OemAdmin, ""), true),
        ];
        for (kind, label, wanted, expected) in table {
            assert_eq!(may_give(&caller(kind, label), &wanted), expected, "{kind:?} {label:?} {wanted:?}");
        }
    }
}
