//! The filters of the list.

use super::schema::IdxDevices;
use crate::devices::record::{ConnectionStatus, LAN};
use crate::fold::fold;

/// Shorter texts match the beginning only.
const CONTAINS_FROM_CHARS: usize = 3;

/// Conditions, all of which must hold. Texts match in any case; `csp` and `model` match exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeviceFilter {
    /// Counts only for those who see the devices of every CSP.
    pub(crate) csp: Option<String>,
    pub(crate) dsn: Option<String>,
    /// `LAN`, or a part of the SSID.
    pub(crate) network: Option<String>,
    pub(crate) service_area: Option<String>,
    /// The stored name of the system configuration.
    pub(crate) model: Option<String>,
    pub(crate) serial_number: Option<String>,
    pub(crate) connection_status: Option<ConnectionStatus>,
    pub(crate) customer: Option<String>,
    pub(crate) city: Option<String>,
    pub(crate) country: Option<String>,
    pub(crate) state_province: Option<String>,
    /// The one device that does not belong to the list, by its dsn.
    pub(crate) except: Option<String>,
}

/// What a folded column must look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextFilter {
    pub(super) column: IdxDevices,
    pub(super) wanted: Wanted,
}

/// Folded texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Nothing but this.
    Exactly(String),
    /// This at its beginning.
    Prefix(String),
    /// This, which has three characters or more, anywhere.
    Part(String),
}

impl DeviceFilter {
    /// The filters by text.
    pub(super) fn texts(&self) -> Vec<TextFilter> {
        let texts = [
            (&self.dsn, IdxDevices::DsnFolded),
            (&self.service_area, IdxDevices::ServiceAreaFolded),
            (&self.serial_number, IdxDevices::SerialNumberFolded),
            (&self.customer, IdxDevices::CustomerFolded),
            (&self.city, IdxDevices::CityFolded),
            (&self.country, IdxDevices::CountryFolded),
            (&self.state_province, IdxDevices::StateProvinceFolded),
        ];
        let texts = texts
            .into_iter()
            .filter_map(|(text, column)| Some(TextFilter { column, wanted: Wanted::of(text.as_deref()?) }));
        let network = self.network.as_deref().map(|text| TextFilter {
            column: IdxDevices::SsidFolded,
            // A device on the LAN has no SSID.
            wanted: if fold(text) == fold(LAN) { Wanted::Exactly(String::new()) } else { Wanted::of(text) },
        });
        texts.chain(network).collect()
    }
}

impl Wanted {
    /// What a text to filter by asks for.
    pub(crate) fn of(text: &str) -> Self {
        let folded = fold(text);
        if text.chars().count() >= CONTAINS_FROM_CHARS { Self::Part(folded) } else { Self::Prefix(folded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_prefix_a_part_or_the_lan() {
        let network = |text: &str| {
            let filter = DeviceFilter { network: Some(text.to_owned()), ..DeviceFilter::default() };
            filter.texts().remove(0).wanted
        };
        let rows = [
            ("Ä", Wanted::Prefix("ä".to_owned())),
            // Two characters that fold to three.
            ("aß", Wanted::Prefix("ass".to_owned())),
            ("ABC", Wanted::Part("abc".to_owned())),
            ("Lan", Wanted::Exactly(String::new())),
            ("LA", Wanted::Prefix("la".to_owned())),
        ];
        for (text, expected) in rows {
            assert_eq!(network(text), expected, "{text}");
        }
    }
}
