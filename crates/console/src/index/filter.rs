//! The filters of the list.

use jiff::Timestamp;

use super::columns::IdxDevices;
use crate::fold::fold;
use crate::records::Position;
use crate::records::{DeviceStatus, LAN};

/// Shorter texts match the beginning only.
const CONTAINS_FROM_CHARS: usize = 3;
/// Precedes each word of the search column.
pub(super) const WORD_SEPARATOR: &str = "  ";

/// Conditions, all of which must hold. Texts match in any case; `csp` and `model` match exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct DeviceFilter {
    /// Ignored unless the actor sees all CSPs.
    pub(crate) csp: Option<String>,
    pub(crate) dsn: Option<String>,
    /// `LAN`, or part of the SSID.
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
    /// Words that must all occur in serial number, DSN, customer, service area, city or store number.
    pub(crate) search: Option<String>,
    /// Matches devices with a known level of at most this percentage.
    pub(crate) max_remaining: Option<u8>,
    pub(crate) offline_for: Option<OfflineFor>,
    pub(crate) near: Option<Near>,
    /// The dsn of a device to leave out.
    pub(crate) exclude_dsn: Option<String>,
}

/// Matches devices that were connected once and have been offline for this long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OfflineFor {
    pub(crate) hours: u16,
    /// Start of the period: `hours` ago.
    pub(crate) before: Timestamp,
}

/// Matches devices within a radius of a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Near {
    /// The place as the request gave it.
    pub(crate) place: String,
    pub(crate) centre: Position,
    pub(crate) kilometres: u16,
}

/// A condition on a folded column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextFilter {
    pub(super) column: IdxDevices,
    pub(super) text_match: TextMatch,
}

/// How a folded text must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextMatch {
    /// Equals this text.
    Exact(String),
    /// Starts with this text.
    Prefix(String),
    /// Contains this text, which has at least three characters.
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

    /// The words of the search. They contain no blank, so each matches within one word of the column.
    fn words(&self) -> impl Iterator<Item = TextFilter> {
        let words = self.search.as_deref().unwrap_or_default().split_whitespace();
        words.map(|word| TextFilter { column: IdxDevices::SearchFolded, text_match: TextMatch::word(word) })
    }
}

impl TextMatch {
    /// The match for a search word: one or two characters match the beginning of a word.
    fn word(word: &str) -> Self {
        let folded = fold(word);
        if word.chars().count() >= CONTAINS_FROM_CHARS {
            Self::Contains(folded)
        } else {
            Self::Contains(format!("{WORD_SEPARATOR}{folded}"))
        }
    }

    /// The match for a filter text.
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
