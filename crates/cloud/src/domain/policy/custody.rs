//! Custody: whom a partner's administrator leaves without a role or a label stays in the care of that partner until somebody
//! gives them one again. Otherwise nobody of the partner could end a change of role that takes before it gives, or
//! repeat one that failed half way. It is the partner's right to the person; the person has none by it.

use serde::Serialize;

use super::users::is_of_the_partner;
use crate::domain::principal::{Grant, Principal};
use crate::domain::role::RoleKind;

/// In whose care a user is: of the partner who has this label.
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

    /// In whose care a user is after `caller`, who may, gave or took a role: `grants` is what the user has now.
    pub(crate) fn after(caller: &Principal, gave: bool, grants: &[Grant], before: Option<Self>) -> Option<Self> {
        match (caller.kind, &caller.label) {
            (RoleKind::PartnerAdmin, Some(_)) if is_of_the_partner(caller, grants, None) => None,
            (RoleKind::PartnerAdmin, Some(own)) => Some(Self { key: own.key.clone(), value: own.value.clone() }),
            _ if gave => None,
            _ => before,
        }
    }
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
    fn it_lasts_until_a_role_has_a_label_or_the_manufacturer_gives_one() {
        use RoleKind::{OemAdmin, PartnerAdmin};
        let of = |value: &str| Some(Custody { key: KEY.into(), value: value.into() });
        let (labelled, unlabelled) = (technician(Some("A")), technician(None));
        let a = Some("A");
        // who gives or takes, what is left, in whose care before and after
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
        for (kind, label, gave, grants, before, expected) in table {
            let after = Custody::after(&caller(kind, label), gave, &grants, before.clone());
            assert_eq!(after, expected, "{kind:?} {gave} {grants:?} {before:?}");
        }
    }
}
