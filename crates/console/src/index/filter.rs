//! The filters of the list.

use jiff::Timestamp;

use super::schema::IdxDevices;
use crate::devices::position::Position;
use crate::devices::record::{DeviceStatus, LAN};
use crate::fold::fold;

/// Shorter texts match the beginning only.
const CONTAINS_FROM_CHARS: usize = 3;
/// What stands before each word that a search looks through.
pub(super) const WORD_SEPARATOR: &str = "  ";

/// Conditions, all of which must hold. Texts match in any case; `csp` and `model` match exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
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
    pub(crate) status: Option<DeviceStatus>,
    pub(crate) customer: Option<String>,
    pub(crate) city: Option<String>,
    pub(crate) country: Option<String>,
    pub(crate) state_province: Option<String>,
    /// Words, each of which is found in serial number, DSN, customer, service area, city or store number.
    pub(crate) search: Option<String>,
    /// The level is known, and at most so many percent.
    pub(crate) max_remaining: Option<u8>,
    pub(crate) offline_for: Option<OfflineFor>,
    pub(crate) near: Option<Near>,
    /// The one device that does not belong to the list, by its dsn.
    pub(crate) exclude_dsn: Option<String>,
}

/// Was connected once, and has not been since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OfflineFor {
    pub(crate) hours: u16,
    /// That many hours ago.
    pub(crate) before: Timestamp,
}

/// Not farther than a radius from a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Near {
    /// As it was asked for.
    pub(crate) place: String,
    pub(crate) centre: Position,
    pub(crate) kilometres: u16,
}

/// What a folded column must look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextFilter {
    pub(super) column: IdxDevices,
    pub(super) text_match: TextMatch,
}

/// Folded texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextMatch {
    /// Nothing but this.
    Exact(String),
    /// This at its beginning.
    Prefix(String),
    /// This, which has three characters or more, anywhere.
    Contains(String),
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
            .filter_map(|(text, column)| Some(TextFilter { column, text_match: TextMatch::of(text.as_deref()?) }));
        let network = self.network.as_deref().map(|text| TextFilter {
            column: IdxDevices::SsidFolded,
            // A device on the LAN has no SSID.
            text_match: if fold(text) == fold(LAN) { TextMatch::Exact(String::new()) } else { TextMatch::of(text) },
        });
        texts.chain(network).chain(self.words()).collect()
    }

    /// The words of the search. None has a blank in it, so each is found within one word or not at all.
    fn words(&self) -> impl Iterator<Item = TextFilter> {
        let words = self.search.as_deref().unwrap_or_default().split_whitespace();
        words.map(|word| TextFilter { column: IdxDevices::SearchFolded, text_match: TextMatch::word(word) })
    }
}

impl TextMatch {
    /// What a word to search for asks for: one or two characters are the beginning of a word.
    fn word(word: &str) -> Self {
        let folded = fold(word);
        if word.chars().count() >= CONTAINS_FROM_CHARS {
            Self::Contains(folded)
        } else {
            Self::Contains(format!("{WORD_SEPARATOR}{folded}"))
        }
    }

    /// What a text to filter by asks for.
    pub(crate) fn of(text: &str) -> Self {
        let folded = fold(text);
        if text.chars().count() >= CONTAINS_FROM_CHARS { Self::Contains(folded) } else { Self::Prefix(folded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_filter_becomes_prefix_contains_or_lan() {
        let network = |text: &str| {
            let filter = DeviceFilter { network: Some(text.to_owned()), ..DeviceFilter::default() };
            filter.texts().remove(0).text_match
        };
        let rows = [
            ("Ä", TextMatch::Prefix("ä".to_owned())),
            // Two characters that fold to three.
            ("aß", TextMatch::Prefix("ass".to_owned())),
            ("ABC", TextMatch::Contains("abc".to_owned())),
            ("Lan", TextMatch::Exact(String::new())),
            ("LA", TextMatch::Prefix("la".to_owned())),
        ];
        for (text, expected) in rows {
            assert_eq!(network(text), expected, "{text}");
        }
    }
}
