//! Custody: a user whom a partner's administrator leaves without a role or a label stays visible to that partner until they are
//! given one again. A change of role revokes the old role before it assigns the new one; without custody, nobody of the
//! partner could finish or repeat a change that failed half way. Custody gives rights to the partner, none to the user.

use serde::Serialize;

use super::{WantedLabel, is_own_label};
use crate::domain::principal::{Grant, Principal};
use crate::domain::role::RoleKind;

/// The partner, by its label, in whose custody a user is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Custody {
    pub(crate) key: String,
    pub(crate) value: String,
}

impl Custody {
    /// Whether it is the custody of the caller's partner.
    pub(super) fn is_of(&self, caller: &Principal) -> bool {
        caller.label.as_ref().is_some_and(|own| own.key == self.key && own.value == self.value)
    }

    /// The custody of a user after `caller` assigned or revoked a role; `grants` are the user's roles after the change. Does not
    /// check permissions.
    pub(crate) fn after(caller: &Principal, assigned: bool, grants: &[Grant], before: Option<Self>) -> Option<Self> {
        match (caller.kind, &caller.label) {
            (RoleKind::PartnerAdmin, Some(_)) if is_of_the_partner(caller, grants, None) => None,
            (RoleKind::PartnerAdmin, Some(own)) => Some(Self { key: own.key.clone(), value: own.value.clone() }),
            _ if assigned => None,
            _ => before,
        }
    }
}

/// Whether a user with these roles and this custody belongs to the caller's partner alone. A role without a label belongs to no
/// partner, and counts as the partner's only if the user is in the partner's custody.
pub(super) fn is_of_the_partner(caller: &Principal, grants: &[Grant], custody: Option<&Custody>) -> bool {
    let in_custody = custody.is_some_and(|custody| custody.is_of(caller));
    let is_theirs = |grant: &Grant| match grant.label() {
        Some(label) => is_own_label(
            caller,
            &WantedLabel { role: grant.kind, role_key: Some(&label.key), key: &label.key, value: &label.value },
        ),
        None => in_custody && grant.kind.is_partner_role(),
    };
    (in_custody || !grants.is_empty()) && grants.iter().all(is_theirs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::policy::users::tests::{KEY, caller};

    fn technician(label: Option<&str>) -> Grant {
        Grant {
            role_id: 1,
            name: String::new(),
            kind: RoleKind::PartnerTechnician,
            label_key: Some(KEY.into()),
            label_value: label.map(Into::into),
        }
    }

    #[test]
    fn custody_ends_with_a_labelled_role_or_a_role_from_the_manufacturer() {
        use RoleKind::{OemAdmin, PartnerAdmin};
        let of = |value: &str| Some(Custody { key: KEY.into(), value: value.into() });
        let (labelled, unlabelled) = (technician(Some("A")), technician(None));
        let a = Some("A");
        // who changes the role, whether they assign, the remaining roles, custody before and after
        let table = [
            (PartnerAdmin, a, false, vec![], None, of("A")),
            (PartnerAdmin, a, false, vec![], of("A"), of("A")),
            (PartnerAdmin, a, false, vec![unlabelled.clone()], None, of("A")),
            (PartnerAdmin, a, false, vec![unlabelled.clone(), labelled.clone()], None, of("A")),
            (PartnerAdmin, a, false, vec![labelled.clone()], None, None),
            (PartnerAdmin, a, true, vec![unlabelled.clone(), labelled.clone()], of("A"), of("A")),
            (PartnerAdmin, a, true, vec![labelled.clone()], of("A"), None),
            (OemAdmin, None, false, vec![], None, None),
            (OemAdmin, None, false, vec![], of("A"), of("A")),
            (OemAdmin, None, false, vec![unlabelled.clone()], None, None),
            (OemAdmin, None, true, vec![unlabelled], of("A"), None),
            (OemAdmin, None, true, vec![labelled], of("A"), None),
        ];
        for (kind, label, assigned, grants, before, expected) in table {
            let after = Custody::after(&caller(kind, label), assigned, &grants, before.clone());
            assert_eq!(after, expected, "{kind:?} {assigned} {grants:?} {before:?}");
        }
    }
}
