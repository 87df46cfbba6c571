//! The roles of the people who look after diffusers (spec 000 section 6). A cloud holds them as data.

/// The role of somebody who owns devices and does not use the console.
pub const END_USER: &str = "EndUser";

/// Key of the role label that names the CSP of a CSP-scoped role, on users and on devices.
pub const PARTNER_LABEL_KEY: &str = "partner_id";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Admin,
    Observer,
    CspAdmin,
    CspObserver,
    CspTech,
}

impl Role {
    /// In the order in which one of several counts.
    pub const ALL: [Self; 5] = [Self::Admin, Self::Observer, Self::CspAdmin, Self::CspObserver, Self::CspTech];

    /// The name under which a cloud knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "OEM::Admin",
            Self::Observer => "OEM::Observer",
            Self::CspAdmin => "OEM::ProlitecCommercial::CspAdmin",
            Self::CspObserver => "OEM::ProlitecCommercial::CspObserver",
            Self::CspTech => "OEM::ProlitecCommercial::CspTech",
        }
    }

    pub fn display_name(self) -> &'static str {
        match self {
            Self::Admin => "Admin",
            Self::Observer => "Observer",
            Self::CspAdmin => "CSP Admin",
            Self::CspObserver => "CSP Observer",
            Self::CspTech => "CSP Technician",
        }
    }

    /// Sees one CSP only: the one in its [`PARTNER_LABEL_KEY`] label.
    pub fn is_csp_scoped(self) -> bool {
        !matches!(self, Self::Admin | Self::Observer)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_roles_stand_in_the_order_in_which_they_count() {
        let rows = Role::ALL.map(|role| (role.name(), role.display_name(), role.is_csp_scoped()));
        let expected = [
            ("OEM::Admin", "Admin", false),
            ("OEM::Observer", "Observer", false),
            ("OEM::ProlitecCommercial::CspAdmin", "CSP Admin", true),
            ("OEM::ProlitecCommercial::CspObserver", "CSP Observer", true),
            ("OEM::ProlitecCommercial::CspTech", "CSP Technician", true),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn only_exact_names_are_roles() {
        assert_eq!(Role::ALL.map(|role| Role::from_name(role.name())), Role::ALL.map(Some));
        for stranger in ["", "EndUser", "oem::admin", "OEM::Admin ", "Admin"] {
            assert_eq!(Role::from_name(stranger), None, "{stranger:?}");
        }
    }
}
