//! What a role may do is decided by its kind; its name and its label key are data.

/// The kinds of role, in the order in which the first one that a user holds counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoleKind {
    /// Everything of the manufacturer (OEM).
    OemAdmin,
    /// Every read of the manufacturer.
    OemObserver,
    /// Devices and users that carry the own label.
    PartnerAdmin,
    /// Reads of devices and users that carry the own label.
    PartnerObserver,
    /// Devices that carry the own label.
    PartnerTechnician,
    /// The own record and the own devices. Also whoever has no role.
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

    /// As the database keeps it.
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

    /// Whether it is a role of a partner's people.
    pub(crate) fn is_partner_role(self) -> bool {
        matches!(self, Self::PartnerAdmin | Self::PartnerObserver | Self::PartnerTechnician)
    }

    /// Whether it is a role of the manufacturer's own people.
    pub(crate) fn is_manufacturer_role(self) -> bool {
        matches!(self, Self::OemAdmin | Self::OemObserver)
    }

    /// What [`as_str`](Self::as_str) wrote. An unknown text has the fewest rights.
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
