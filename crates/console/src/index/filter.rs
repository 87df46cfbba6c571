//! The filters of the list.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::columns::{Choice, Comparison, FILTERS, FilterColumn, FilteredColumn, IdxDevices, STATUS, WORD_SEPARATOR};
use super::schema::IdxDeviceState;
use crate::records::Position;
use crate::records::{DeviceStatus, LAN};
use crate::texts::folding::fold;

/// Shorter texts match the beginning only.
const CONTAINS_FROM_CHARS: usize = 3;

/// Conditions, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct DeviceFilter {
    /// The texts of [`FILTERS`], by the filters' names.
    pub(crate) texts: BTreeMap<&'static str, String>,
    /// Matches devices with a known level of at most this percentage.
    pub(crate) max_remaining: Option<u8>,
    pub(crate) offline_for: Option<OfflineFor>,
    pub(crate) runs_dry_within: Option<RunsDryWithin>,
    /// Matches devices that are empty, that are expected to run dry before this day of UTC, or whose date is unknown though they
    /// are in need ([`SupplyGroup`](crate::records::SupplyGroup)).
    pub(crate) runs_dry_before: Option<Date>,
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

/// As [`DeviceFilter::runs_dry_before`], within this many days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RunsDryWithin {
    pub(crate) days: u16,
    /// End of the period.
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

/// A condition on a column of the state table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChoiceFilter {
    pub(super) column: IdxDeviceState,
    pub(super) choice: &'static Choice,
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
    /// Equals or follows this text.
    AtLeast(String),
    /// Equals or precedes this text, and is not empty.
    AtMost(String),
    /// Contains this text, which has at least three characters.
    Contains(String),
}

impl RunsDryWithin {
    /// The period from `now` on.
    pub(crate) fn new(days: u16, now: Timestamp) -> Self {
        let end = now.saturating_add(SignedDuration::from_hours(24 * i64::from(days))).unwrap_or(Timestamp::MAX);
        Self { days, before: whole_minute(end) }
    }
}

/// Rounded down, so that queries within the same minute are equal.
pub(crate) fn whole_minute(time: Timestamp) -> Timestamp {
    let second = time.as_second();
    Timestamp::from_second(second - second.rem_euclid(60)).unwrap_or(Timestamp::UNIX_EPOCH)
}

impl DeviceFilter {
    /// A filter by one of [`FILTERS`].
    pub(crate) fn by(name: &'static str, text: &str) -> Self {
        Self { texts: BTreeMap::from([(name, text.to_owned())]), ..Self::default() }
    }

    /// The same with a text for one of [`FILTERS`].
    #[cfg(test)]
    pub(crate) fn and(mut self, name: &'static str, text: &str) -> Self {
        self.texts.insert(name, text.to_owned());
        self
    }

    pub(crate) fn status(&self) -> Option<DeviceStatus> {
        DeviceStatus::from_name(self.texts.get(STATUS)?)
    }

    /// The same for devices of any status.
    pub(super) fn of_any_status(&self) -> Self {
        let mut filter = self.clone();
        filter.texts.remove(STATUS);
        filter
    }

    /// The name of a CSP.
    pub(crate) fn csp(&self) -> Option<&str> {
        self.whole(Comparison::Csp)
    }

    /// The stored name of a system configuration.
    pub(super) fn model(&self) -> Option<&str> {
        self.whole(Comparison::Model)
    }

    /// The time before which devices must run dry.
    pub(super) fn runs_dry_before(&self) -> Option<Timestamp> {
        let day = self
            .runs_dry_before
            .map(|date| date.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |midnight| midnight.timestamp()));
        self.runs_dry_within.map(|within| within.before).into_iter().chain(day).min()
    }

    /// The filters by text.
    pub(super) fn text_filters(&self) -> Vec<TextFilter> {
        self.set().flat_map(|(filter, text)| filter.text_filters(text)).collect()
    }

    /// The filters by a choice, except that by status.
    pub(super) fn choice_filters(&self) -> Vec<ChoiceFilter> {
        let others = self.set().filter(|(filter, _)| filter.name != STATUS);
        others.filter_map(|(filter, text)| filter.choice_filter(text)).collect()
    }

    /// The filters of [`FILTERS`] that are set, with their texts.
    pub(crate) fn set(&self) -> impl Iterator<Item = (&'static FilterColumn, &String)> {
        FILTERS.iter().filter_map(|filter| Some((filter, self.texts.get(filter.name)?)))
    }

    fn whole(&self, comparison: Comparison) -> Option<&str> {
        self.set().find(|(filter, _)| filter.comparison == comparison).map(|(_, text)| text.as_str())
    }
}

impl TextFilter {
    /// Whether SQLite's full-text index finds the devices. It does not contain fragrances: they are so few that the devices of
    /// the matching ones are found by their values.
    pub(super) fn is_full_text(&self) -> bool {
        matches!(self.text_match, TextMatch::Contains(_)) && self.column != IdxDevices::FragranceFolded
    }
}

impl FilterColumn {
    /// The conditions on columns of `idx_devices`.
    fn text_filters(&self, text: &str) -> Vec<TextFilter> {
        let FilteredColumn::Devices(column) = self.column else { return Vec::new() };
        let matches = match self.comparison {
            // A device on the LAN has no SSID.
            Comparison::Network if fold(text) == fold(LAN) => vec![TextMatch::Exact(String::new())],
            Comparison::Text | Comparison::Network => vec![TextMatch::of(text)],
            // Words contain no blank, so each matches within one word of the column.
            Comparison::Words => words(text).map(|word| TextMatch::Contains(search_text(word))).collect(),
            Comparison::From => vec![TextMatch::AtLeast(text.to_owned())],
            Comparison::Through => vec![TextMatch::AtMost(text.to_owned())],
            // The scope and the state table have their own conditions.
            Comparison::Csp | Comparison::Model | Comparison::OneOf(_) => Vec::new(),
        };
        matches.into_iter().map(|text_match| TextFilter { column, text_match }).collect()
    }

    fn choice_filter(&self, name: &str) -> Option<ChoiceFilter> {
        let FilteredColumn::State(column) = self.column else { return None };
        let choice = self.choices().iter().find(|choice| choice.name == name)?;
        Some(ChoiceFilter { column, choice })
    }
}

/// The words of a search. A lone accent is none.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|word| !fold(word).trim().is_empty())
}

/// The part of the search column by which a word is found: one or two characters match the beginning of a word.
pub(super) fn search_text(word: &str) -> String {
    let folded = fold(word);
    if folded.chars().count() >= CONTAINS_FROM_CHARS { folded } else { format!("{WORD_SEPARATOR}{folded}") }
}

impl TextMatch {
    /// The match for a filter text.
    pub(crate) fn of(text: &str) -> Self {
        let folded = fold(text);
        if folded.chars().count() >= CONTAINS_FROM_CHARS { Self::Contains(folded) } else { Self::Prefix(folded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_filter_becomes_prefix_contains_or_lan() {
        let network = |text: &str| DeviceFilter::by("network", text).text_filters().remove(0).text_match;
        let rows = [
            ("Ä", TextMatch::Prefix("a".to_owned())),
            // Two characters that fold to three, and three that fold to one.
            ("aß", TextMatch::Contains("ass".to_owned())),
            ("a\u{308}\u{301}", TextMatch::Prefix("a".to_owned())),
            ("ABC", TextMatch::Contains("abc".to_owned())),
            ("Lan", TextMatch::Exact(String::new())),
            ("LA", TextMatch::Prefix("la".to_owned())),
        ];
        for (text, expected) in rows {
            assert_eq!(network(text), expected, "{text}");
        }
    }
}
