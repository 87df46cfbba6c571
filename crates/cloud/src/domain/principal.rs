//! The signed-in user of a call.

use super::role::RoleKind;

/// The `role` of a user without a role (docs/wire.md#users).
pub(crate) const END_USER: &str = "EndUser";

/// The label of a role: on a user it names their partner, on a device the partner that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct Label {
    pub(crate) role_id: i64,
    pub(crate) key: String,
    pub(crate) value: String,
}

/// A role of a user, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) role_id: i64,
    pub(crate) name: String,
    pub(crate) kind: RoleKind,
    pub(crate) label_key: Option<String>,
    pub(crate) label_value: Option<String>,
}

impl Grant {
    pub(crate) fn label(&self) -> Option<Label> {
        let (key, value) = (self.label_key.clone()?, self.label_value.clone()?);
        Some(Label { role_id: self.role_id, key, value })
    }
}

/// `role_tags` of the wire: a label of a role of the user.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct RoleTag {
    /// The role's name.
    pub(crate) namespace: String,
    pub(crate) key: String,
    pub(crate) value: String,
}

/// A signed-in user with their current rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Principal {
    pub(crate) user_id: i64,
    pub(crate) user_uuid: String,
    pub(crate) oem_id: i64,
    pub(crate) kind: RoleKind,
    /// The effective role's name; [`END_USER`] for a user without one.
    pub(crate) role: String,
    /// The effective role's label.
    pub(crate) label: Option<Label>,
    /// The labels of all roles.
    pub(crate) role_tags: Vec<RoleTag>,
}

impl Principal {
    /// A user with these roles; the first one in the order of [`RoleKind`] is effective.
    pub(crate) fn new(user_id: i64, user_uuid: String, oem_id: i64, mut grants: Vec<Grant>) -> Self {
        grants.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        let role_tags = grants
            .iter()
            .filter_map(|grant| {
                let label = grant.label()?;
                Some(RoleTag { namespace: grant.name.clone(), key: label.key, value: label.value })
            })
            .collect();
        let effective = grants.into_iter().next();
        Self {
            user_id,
            user_uuid,
            oem_id,
            kind: effective.as_ref().map_or(RoleKind::EndUser, |grant| grant.kind),
            label: effective.as_ref().and_then(Grant::label),
            role: effective.map_or_else(|| END_USER.to_owned(), |grant| grant.name),
            role_tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(role_id: i64, kind: RoleKind, label: Option<&str>) -> Grant {
        Grant {
            role_id,
            name: format!("role {role_id}"),
            kind,
            label_key: label.map(|_| "partner_id".into()),
            label_value: label.map(Into::into),
        }
    }

    #[test]
    fn strongest_role_counts_and_every_label_is_listed() {
        let grants =
            vec![grant(3, RoleKind::PartnerTechnician, Some("B")), grant(1, RoleKind::PartnerAdmin, Some("A"))];
        let principal = Principal::new(7, "uuid".into(), 1, grants);
        assert_eq!(principal.kind, RoleKind::PartnerAdmin);
        assert_eq!(principal.role, "role 1");
        assert_eq!(principal.label.unwrap().value, "A");
        let tags: Vec<_> = principal.role_tags.iter().map(|tag| (&*tag.namespace, &*tag.value)).collect();
        assert_eq!(tags, [("role 1", "A"), ("role 3", "B")]);
    }

    #[test]
    fn user_without_a_role_is_an_end_user() {
        let principal = Principal::new(7, "uuid".into(), 1, vec![]);
        assert_eq!((principal.kind, &*principal.role), (RoleKind::EndUser, END_USER));
    }
}
