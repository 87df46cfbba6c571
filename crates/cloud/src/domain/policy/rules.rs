//! Permissions for rules. A rule belongs to its owner. Users of the manufacturer see all rules, and its
//! administrators may change them.

use crate::domain::principal::Principal;
use crate::domain::role::RoleKind;

/// Whether a user of this kind may create rules and actions, and whether their rules fire.
pub(crate) fn may_have_rules(kind: RoleKind) -> bool {
    !matches!(kind, RoleKind::OemObserver | RoleKind::PartnerObserver)
}

/// Whether a user of this kind lists the rules of a given device or user. Others list their own rules.
pub(crate) fn lists_rules_of_others(kind: RoleKind) -> bool {
    kind.is_manufacturer_role()
}

/// Whether the caller may see rules of this user of this manufacturer.
pub(crate) fn may_see(caller: &Principal, owner_id: i64, oem_id: i64) -> bool {
    caller.user_id == owner_id || (caller.kind.is_manufacturer_role() && caller.oem_id == oem_id)
}

/// Whether the caller may change rules of this user that they [may see](may_see).
pub(crate) fn may_change(caller: &Principal, owner_id: i64) -> bool {
    may_have_rules(caller.kind) && (caller.user_id == owner_id || caller.kind == RoleKind::OemAdmin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::policy::users::tests::caller;

    #[test]
    fn users_see_their_own_rules_and_manufacturer_users_see_all() {
        use RoleKind::{EndUser, OemAdmin, OemObserver, PartnerAdmin, PartnerObserver, PartnerTechnician};
        // has rules, lists others'; may see, may change: own, of another user, of another manufacturer
        let table = [
            (OemAdmin, [true, true], [true, true, false], [true, true]),
            (OemObserver, [false, true], [true, true, false], [false, false]),
            (PartnerAdmin, [true, false], [true, false, false], [true, false]),
            (PartnerObserver, [false, false], [true, false, false], [false, false]),
            (PartnerTechnician, [true, false], [true, false, false], [true, false]),
            (EndUser, [true, false], [true, false, false], [true, false]),
        ];
        for (kind, has, sees, changes) in table {
            let caller = caller(kind, None);
            assert_eq!([may_have_rules(kind), lists_rules_of_others(kind)], has, "{kind:?}");
            assert_eq!([(7, 1), (8, 1), (8, 2)].map(|(owner, oem)| may_see(&caller, owner, oem)), sees, "{kind:?}");
            assert_eq!([7, 8].map(|owner| may_change(&caller, owner)), changes, "{kind:?}");
        }
    }
}
