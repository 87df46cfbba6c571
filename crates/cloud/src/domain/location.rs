//! Locations of devices.

use std::ops::RangeInclusive;

/// Degrees north.
pub(crate) const LATITUDE: RangeInclusive<f64> = -90.0..=90.0;
/// Degrees east.
pub(crate) const LONGITUDE: RangeInclusive<f64> = -180.0..=180.0;

/// The source of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    /// The device's IP address.
    Ip,
    /// Wi-Fi networks nearby.
    Wifi,
    /// A user.
    User,
    /// The installer.
    Setup,
}

/// A location to set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NewLocation {
    pub(crate) lat: f64,
    pub(crate) lng: f64,
    pub(crate) provider: Provider,
}

impl Provider {
    const ALL: [Self; 4] = [Self::Ip, Self::Wifi, Self::User, Self::Setup];

    /// As on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ip => "ip-based",
            Self::Wifi => "wifi-based",
            Self::User => "user-based",
            Self::Setup => "setup-based",
        }
    }

    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_providers_round_trip_through_their_wire_names() {
        for name in ["ip-based", "wifi-based", "user-based", "setup-based"] {
            assert_eq!(Provider::find(name).unwrap().as_str(), name);
        }
        assert_eq!(Provider::find("pigeon-based"), None);
    }
}
