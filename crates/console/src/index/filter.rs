//! The filters of the list.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::columns::{Comparison, FILTERS, FilterColumn, STATUS, WORD_SEPARATOR};
use crate::records::Position;
use crate::records::{DeviceStatus, LAN};
use crate::texts::folding::fold;

/// Shorter texts match the beginning only.
const CONTAINS_FROM_CHARS: usize = 3;

/// The names of the filters that are not in [`FILTERS`], as in the query string.
const MAX_REMAINING: &str = "maxremaining";
const OFFLINE_HOURS: &str = "offlinehours";
const RUNS_DRY_WITHIN: &str = "runsdrydays";
const RUNS_DRY_BEFORE: &str = "runsdrybefore";
const NEAR: &str = "near";

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

    /// The name of a CSP.
    pub(crate) fn csp(&self) -> Option<&str> {
        self.set().find(|(filter, _)| filter.comparison == Comparison::Csp).map(|(_, text)| text.as_str())
    }

    /// The names of the filters that are set, as in the query string.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let others = [
            (MAX_REMAINING, self.max_remaining.is_some()),
            (OFFLINE_HOURS, self.offline_for.is_some()),
            (RUNS_DRY_WITHIN, self.runs_dry_within.is_some()),
            (RUNS_DRY_BEFORE, self.runs_dry_before.is_some()),
            (NEAR, self.near.is_some()),
        ];
        let others = others.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name);
        self.set().map(|(filter, _)| filter.name).chain(others).collect()
    }

    /// The same without the filter of this name.
    pub(super) fn without(&self, name: &str) -> Self {
        let mut filter = self.clone();
        match name {
            MAX_REMAINING => filter.max_remaining = None,
            OFFLINE_HOURS => filter.offline_for = None,
            RUNS_DRY_WITHIN => filter.runs_dry_within = None,
            RUNS_DRY_BEFORE => filter.runs_dry_before = None,
            NEAR => filter.near = None,
            _ => drop(filter.texts.remove(name)),
        }
        filter
    }

    /// The time before which devices must run dry.
    pub(super) fn runs_dry_before(&self) -> Option<Timestamp> {
        let day = self
            .runs_dry_before
            .map(|date| date.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |midnight| midnight.timestamp()));
        self.runs_dry_within.map(|within| within.before).into_iter().chain(day).min()
    }

    /// The filters of [`FILTERS`] that are set, with their texts.
    pub(crate) fn set(&self) -> impl Iterator<Item = (&'static FilterColumn, &String)> {
        FILTERS.iter().filter_map(|filter| Some((filter, self.texts.get(filter.name)?)))
    }
}

impl FilterColumn {
    /// How the column must match a text.
    pub(super) fn text_match(&self, text: &str) -> TextMatch {
        match self.comparison {
            // A device on the LAN has no SSID.
            Comparison::Network if fold(text) == fold(LAN) => TextMatch::Exact(String::new()),
            _ => whole(text).map_or_else(|| TextMatch::of(text), |whole| TextMatch::Exact(fold(whole))),
        }
    }
}

/// The text within double quotes, which stand for the whole value.
fn whole(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"').filter(|whole| !whole.is_empty())
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
    /// Whether a folded text matches.
    pub(super) fn is_match(&self, folded: &str) -> bool {
        match self {
            Self::Exact(text) => folded == text,
            Self::Prefix(text) => folded.starts_with(text.as_str()),
            Self::Contains(text) => folded.contains(text.as_str()),
        }
    }

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
    fn network_filter_becomes_prefix_contains_whole_or_lan() {
        let network = |text: &str| FILTERS.iter().find(|filter| filter.name == "network").unwrap().text_match(text);
        let rows = [
            ("Ä", TextMatch::Prefix("a".to_owned())),
            // Two characters that fold to three, and three that fold to one.
            ("aß", TextMatch::Contains("ass".to_owned())),
            ("a\u{308}\u{301}", TextMatch::Prefix("a".to_owned())),
            ("ABC", TextMatch::Contains("abc".to_owned())),
            ("Lan", TextMatch::Exact(String::new())),
            ("LA", TextMatch::Prefix("la".to_owned())),
            ("\"Ä b\"", TextMatch::Exact("a b".to_owned())),
            ("\"", TextMatch::Prefix("\"".to_owned())),
            ("\"\"", TextMatch::Prefix("\"\"".to_owned())),
        ];
        for (text, expected) in rows {
            assert_eq!(network(text), expected, "{text}");
        }
    }
}
