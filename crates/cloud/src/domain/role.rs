//! Roles. The kind of a role determines its permissions; its name and its label key are data.

use serde::Serialize;

/// Kinds of roles. The first one that a user holds, in this order, is effective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleKind {
    /// Full access to the manufacturer (OEM).
    OemAdmin,
    /// Read access to the manufacturer.
    OemObserver,
    /// Full access to devices and users with the same label.
    PartnerAdmin,
    /// Read access to devices and users with the same label.
    PartnerObserver,
    /// Access to devices with the same label.
    PartnerTechnician,
    /// Access to the own account and devices. Also the kind of users without a role.
    EndUser,
}

impl RoleKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::OemAdmin,
        Self::OemObserver,
        Self::PartnerAdmin,
        Self::PartnerObserver,
        Self::PartnerTechnician,
        Self::EndUser,
    ];

    /// As stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OemAdmin => "oem_admin",
            Self::OemObserver => "oem_observer",
            Self::PartnerAdmin => "partner_admin",
            Self::PartnerObserver => "partner_observer",
            Self::PartnerTechnician => "partner_technician",
            Self::EndUser => "end_user",
        }
    }

    /// Whether it is a partner's role.
    pub(crate) fn is_partner_role(self) -> bool {
        matches!(self, Self::PartnerAdmin | Self::PartnerObserver | Self::PartnerTechnician)
    }

    /// Whether it is a role of the manufacturer.
    pub(crate) fn is_manufacturer_role(self) -> bool {
        matches!(self, Self::OemAdmin | Self::OemObserver)
    }

    /// Parses [`as_str`](Self::as_str). An unknown text gets the fewest permissions.
    pub(crate) fn from_stored(text: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).unwrap_or(Self::EndUser)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_round_trips_through_its_text() {
        for kind in RoleKind::ALL {
            assert_eq!(RoleKind::from_stored(kind.as_str()), kind);
        }
    }

    #[test]
    fn unknown_role_kind_has_the_fewest_rights() {
        assert_eq!(RoleKind::from_stored("root"), RoleKind::EndUser);
    }
}
