//! What can be chosen: the values of a column with the number of devices that each leaves, and how a filter that finds nothing can be
//! relaxed.

use super::dictionary::SharedText;
use super::question::Visible;
use super::table::{DeviceTable, SharedTexts};
use crate::index::columns::{FilterColumn, FilteredColumn, SharedColumn};
use crate::index::filter::{DeviceFilter, TextMatch};
use crate::records::{DeviceStatus, LAN};

/// A value of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueCount {
    pub(crate) value: String,
    /// The text of the filter that finds exactly the devices with the value.
    pub(crate) filter: String,
    /// How many devices the list has with this filter besides the others.
    pub(crate) devices: u64,
}

/// A filter whose removal brings devices back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EmptiedBy {
    pub(crate) filter: &'static str,
    pub(crate) devices: u64,
}

impl DeviceTable {
    /// The values that the visible devices have in the column of `field`, the most frequent under the other filters first. Only those
    /// that contain `text`, if there is one.
    pub(super) fn values(
        &self,
        visible: &Visible,
        filter: &DeviceFilter,
        field: &FilterColumn,
        text: Option<&TextMatch>,
    ) -> Vec<ValueCount> {
        let others = self.find_all(visible, &filter.without(field.name));
        let all = self.find_all(visible, &DeviceFilter::default());
        let mut values = match field.column {
            FilteredColumn::Shared(column) => {
                let texts = self.shared(column);
                shared_values(texts, column, &others, &all)
            }
            FilteredColumn::Csp => {
                let count = |devices: &[u32]| {
                    counts(devices, self.csps().in_order().count(), |device| self.csps().rank(self.csp(device)))
                };
                let (others, all) = (count(&others), count(&all));
                let named = self.csps().in_order().filter(|(_, csp)| !csp.text.is_empty());
                let seen = named.filter(|(code, _)| all[self.csps().rank(*code) as usize] > 0);
                let value = |(code, csp): (u32, &SharedText)| ValueCount {
                    value: csp.text.to_string(),
                    filter: csp.text.to_string(),
                    devices: others[self.csps().rank(code) as usize],
                };
                seen.map(value).collect()
            }
            FilteredColumn::Status => field
                .choices()
                .iter()
                .map(|choice| {
                    let status = DeviceStatus::from_name(choice.name);
                    let has = |device: &&u32| Some(self.columns().status[**device as usize]) == status;
                    named(choice.name, others.iter().filter(has).count())
                })
                .collect(),
            FilteredColumn::Mode => field
                .choices()
                .iter()
                .map(|choice| {
                    let has = |device: &&u32| Some(i64::from(self.columns().mode[**device as usize])) == choice.code;
                    named(choice.name, others.iter().filter(has).count())
                })
                .collect(),
            FilteredColumn::Own(_) | FilteredColumn::Search | FilteredColumn::InstalledAt => Vec::new(),
        };
        if let Some(text) = text {
            values.retain(|value| text.is_match(&crate::texts::folding::fold(&value.value)));
        }
        // Stable: values with as many devices stay in order.
        values.sort_by_key(|value| std::cmp::Reverse(value.devices));
        values
    }

    /// The filter whose removal brings the most devices back, if a single one does.
    pub(super) fn emptied_by(&self, visible: &Visible, filter: &DeviceFilter) -> Option<EmptiedBy> {
        let without = filter.names().into_iter().map(|name| {
            let devices = self.find_all(visible, &filter.without(name)).len() as u64;
            EmptiedBy { filter: name, devices }
        });
        // Of equals the first.
        without.filter(|it| it.devices > 0).reduce(|most, it| if it.devices > most.devices { it } else { most })
    }

    /// The customers of the visible devices whose names match, at most `limit`: those that begin with the text first, then in order. Of
    /// names that fold alike, one.
    pub(super) fn customers(
        &self,
        visible: &Visible,
        text: Option<&TextMatch>,
        begins: Option<&str>,
        limit: usize,
    ) -> Vec<String> {
        let texts = self.shared(SharedColumn::Customer);
        let all = self.find_all(visible, &DeviceFilter::default());
        let mut names: Vec<(bool, String)> = Vec::new();
        for (folded, name, _) in distinct(texts, &all, &[]) {
            if !folded.is_empty() && text.is_none_or(|text| text.is_match(folded)) {
                names.push((begins.is_some_and(|begins| !folded.starts_with(begins)), name.to_owned()));
            }
        }
        names.sort_by_key(|(is_later, _)| *is_later);
        names.truncate(limit);
        names.into_iter().map(|(_, name)| name).collect()
    }
}

fn named(name: &str, devices: usize) -> ValueCount {
    ValueCount { value: name.to_owned(), filter: name.to_owned(), devices: devices as u64 }
}

/// By rank: the number of devices.
fn counts(devices: &[u32], ranks: usize, rank: impl Fn(u32) -> u32) -> Vec<u64> {
    let mut counts = vec![0; ranks];
    devices.iter().for_each(|device| counts[rank(*device) as usize] += 1);
    counts
}

/// The texts that some of `all` have, in order, with the number of `counted` devices. Of texts that fold alike the one that most have, and
/// of equally many the one with more small letters.
fn distinct<'a>(texts: &'a SharedTexts, all: &[u32], counted: &[u32]) -> Vec<(&'a str, &'a str, u64)> {
    let dictionary = &texts.dictionary;
    let ranks = dictionary.in_order().count();
    let by_code = counts(all, dictionary.codes(), |device| texts.code(device));
    let by_rank = counts(counted, ranks, |device| texts.rank(device));
    let spellings: Vec<(u32, u64, &SharedText)> = dictionary
        .in_order()
        .map(|(code, text)| (dictionary.rank(code), by_code[code as usize], text))
        .filter(|(_, devices, _)| *devices > 0)
        .collect();
    let of_rank = spellings.chunk_by(|(rank, ..), (next, ..)| rank == next);
    let most_used = of_rank.filter_map(|alike| alike.iter().max_by_key(|(_, devices, text)| (*devices, &text.text)));
    most_used.map(|(rank, _, text)| (&*text.folded, &*text.text, by_rank[*rank as usize])).collect()
}

fn shared_values(texts: &SharedTexts, column: SharedColumn, others: &[u32], all: &[u32]) -> Vec<ValueCount> {
    let values = distinct(texts, all, others).into_iter();
    let is_exact = column == SharedColumn::SystemConfiguration;
    values
        .filter(|(_, text, _)| !text.is_empty())
        .map(|(_, text, devices)| ValueCount {
            value: text.to_owned(),
            filter: if is_exact || text == LAN { text.to_owned() } else { format!("\"{text}\"") },
            devices,
        })
        .collect()
}
