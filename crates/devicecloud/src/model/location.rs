use serde::Serialize;

use super::Time;
use super::read::{Fields, FromWire};
use super::wire_enum::wire_enum;
use crate::debug::debug_only;

wire_enum! {
    /// How a location was determined.
    LocationProvider {
        /// From the public IP address.
        IpBased = "ip-based",
        /// From nearby wireless networks.
        WifiBased = "wifi-based",
        /// Set by a user.
        UserBased = "user-based",
        /// During setup of the device.
        SetupBased = "setup-based",
    }
}

/// The location of a device and how it was determined.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Location {
    /// Latitude in degrees.
    pub lat: Option<f64>,
    /// Longitude in degrees.
    pub lng: Option<f64>,
    /// How the location was determined.
    pub provider: Option<LocationProvider>,
    /// When the location was set.
    pub created_at: Option<Time>,
}

debug_only!(Location { provider, created_at });

impl Location {
    /// The value as it was sent, in place of an unreadable response.
    pub(crate) fn as_sent(lat: f64, lng: f64, provider: &LocationProvider) -> Self {
        Self { lat: Some(lat), lng: Some(lng), provider: Some(provider.clone()), created_at: None }
    }
}

impl FromWire for Location {
    const WRAPPER: &'static str = "location";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            lat: fields.decimal("lat"),
            lng: fields.decimal("long"),
            provider: fields.text("provider").map(|text| text.as_str().into()),
            created_at: fields.time("created_at"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_providers_are_the_specified_ones() {
        let table = [
            ("ip-based", LocationProvider::IpBased),
            ("wifi-based", LocationProvider::WifiBased),
            ("user-based", LocationProvider::UserBased),
            ("setup-based", LocationProvider::SetupBased),
            ("pigeon-based", LocationProvider::Unknown("pigeon-based".to_owned())),
        ];
        for (text, provider) in table {
            assert_eq!(LocationProvider::from(text), provider);
            assert_eq!(provider.as_str(), text);
        }
    }
}
