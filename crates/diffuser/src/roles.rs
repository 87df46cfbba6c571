//! The roles of people who manage diffusers. A cloud stores them as data.

/// The role of users who own devices and do not use the console.
pub const END_USER: &str = "EndUser";

/// The key of the role label that names the CSP, on users with a CSP-scoped role and on devices.
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
    /// In order of precedence for users with several roles.
    pub const ALL: [Self; 5] = [Self::Admin, Self::Observer, Self::CspAdmin, Self::CspObserver, Self::CspTech];

    /// The name at a cloud.
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

    /// Whether the role is limited to one CSP, named by its [`PARTNER_LABEL_KEY`] label.
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
    fn roles_are_in_order_of_precedence() {
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
    fn role_names_match_exactly() {
        assert_eq!(Role::ALL.map(|role| Role::from_name(role.name())), Role::ALL.map(Some));
        for stranger in ["", "EndUser", "oem::admin", "OEM::Admin ", "Admin"] {
            assert_eq!(Role::from_name(stranger), None, "{stranger:?}");
        }
    }
}
