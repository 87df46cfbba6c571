//! Which devices a filter finds.

use jiff::Timestamp;
use platform::run::clock::to_micros;

use super::own_texts::OwnTextMatch;
use super::table::{DeviceTable, day_number};
use crate::index::columns::{Comparison, FilterColumn, FilteredColumn, SharedColumn};
use crate::index::filter::{DeviceFilter, Near, TextMatch, words};
use crate::policy::{Actor, Scope};
use crate::records::{DeviceStatus, chord_metres};

/// `runs_dry_rising` of the devices that are in lists by need, whatever the date, in the groups
/// [`NoContact`](crate::records::SupplyGroup) and [`Low`](crate::records::SupplyGroup).
const WITHOUT_DATE: std::ops::Range<i64> = 1_000_000_000_000_000_000..i64::MAX;
/// With fewer devices than this part of all, each one's own texts are searched instead of the texts of all.
const FEW: usize = 8;

/// The columns of texts that a search looks through, besides those that a device has to itself.
const SEARCHED: [SharedColumn; 4] =
    [SharedColumn::Customer, SharedColumn::ServiceArea, SharedColumn::Fragrance, SharedColumn::City];

/// Which devices a person may see. No other code of the lists in memory filters by scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Visible {
    Everything,
    Csp(String),
}

impl Visible {
    /// `None` for nothing.
    pub(super) fn to(actor: &Actor) -> Option<Self> {
        match actor.scope() {
            Scope::Everything => Some(Self::Everything),
            Scope::Csp(own) => Some(Self::Csp(own.to_owned())),
            Scope::Nothing => None,
        }
    }

    /// The only CSP whose devices are found; `None` for those of all.
    fn csp<'a>(&'a self, filter: &'a DeviceFilter) -> Option<&'a str> {
        match self {
            Self::Everything => filter.csp(),
            Self::Csp(own) => Some(own),
        }
    }
}

impl DeviceTable {
    /// Finds the visible devices for which all conditions hold, in no particular order.
    pub(super) fn find_all(&self, visible: &Visible, filter: &DeviceFilter) -> Vec<u32> {
        let csp = visible.csp(filter);
        let mut devices = match csp {
            Some(csp) => self.of_csp(csp).to_vec(),
            None => {
                let mut all = Vec::with_capacity(self.len());
                all.extend(self.all());
                all
            }
        };
        self.count_examined(devices.len());
        self.keep_states(&mut devices, filter);
        let mut set: Vec<_> = filter.set().collect();
        // The conditions that read least come first.
        set.sort_by_key(|(filter, _)| match filter.column {
            FilteredColumn::Shared(_) | FilteredColumn::Csp | FilteredColumn::Mode | FilteredColumn::Status => 0,
            FilteredColumn::InstalledAt => 1,
            FilteredColumn::Own(_) | FilteredColumn::Search => 2,
        });
        for (filter, text) in set {
            self.keep(&mut devices, csp.is_some(), filter, text);
        }
        if let Some(dsn) = &filter.exclude_dsn {
            let excluded = self.find(dsn);
            devices.retain(|device| Some(*device) != excluded);
        }
        devices
    }

    /// The number of devices that are looked at for these readers.
    pub(super) fn count_visible(&self, visible: &Visible) -> usize {
        match visible {
            Visible::Everything => self.len(),
            Visible::Csp(own) => self.of_csp(own).len(),
        }
    }

    /// The conditions that are not in [`FILTERS`](crate::index::FILTERS).
    fn keep_states(&self, devices: &mut Vec<u32>, filter: &DeviceFilter) {
        let columns = self.columns();
        if let Some(most) = filter.max_remaining {
            devices.retain(|device| columns.remaining_rising[*device as usize].unsigned_abs() <= most);
        }
        if let Some(offline) = filter.offline_for {
            let before = to_micros(offline.before);
            devices.retain(|device| {
                let device = *device as usize;
                columns.status[device] == DeviceStatus::Offline && columns.connection_changed_at[device] < before
            });
        }
        if let Some(time) = filter.runs_dry_before() {
            self.keep_needy(devices, time);
        }
        if let Some(Near { centre, kilometres, .. }) = &filter.near {
            let most = chord_metres(*kilometres).pow(2);
            devices.retain(|device| columns.squared_distance(*device, *centre).is_some_and(|it| it <= most));
        }
    }

    fn keep_needy(&self, devices: &mut Vec<u32>, before: Timestamp) {
        let (before, key) = (to_micros(before), &self.columns().runs_dry_rising);
        devices.retain(|device| key[*device as usize] < before || WITHOUT_DATE.contains(&key[*device as usize]));
    }

    fn keep(&self, devices: &mut Vec<u32>, is_one_csp: bool, filter: &FilterColumn, text: &str) {
        match filter.column {
            FilteredColumn::Shared(column) => {
                let texts = self.shared(column);
                let is_wanted = if filter.comparison == Comparison::Model {
                    texts.dictionary.equal(text)
                } else {
                    let wanted = filter.text_match(text);
                    texts.dictionary.matching(|folded| wanted.is_match(folded))
                };
                devices.retain(|device| is_wanted[texts.code(*device) as usize]);
            }
            FilteredColumn::Own(own) => {
                let wanted = OwnTextMatch::of(own, &filter.text_match(text));
                self.keep_own(devices, is_one_csp, &wanted, |_| false);
            }
            FilteredColumn::Search => words(text).for_each(|word| self.keep_word(devices, is_one_csp, word)),
            FilteredColumn::InstalledAt => {
                let Ok(day) = text.parse().map(day_number) else { return devices.clear() };
                let installed_at = &self.columns().installed_at;
                let is_from = filter.comparison == Comparison::From;
                devices.retain(|device| match installed_at[*device as usize] {
                    0 => false,
                    installed if is_from => installed >= day,
                    installed => installed <= day,
                });
            }
            FilteredColumn::Status => {
                let status = DeviceStatus::from_name(text);
                devices.retain(|device| Some(self.columns().status[*device as usize]) == status);
            }
            FilteredColumn::Mode => {
                let code = filter.choices().iter().find(|choice| choice.name == text).and_then(|choice| choice.code);
                devices.retain(|device| Some(i64::from(self.columns().mode[*device as usize])) == code);
            }
            // Only a person who sees all CSPs can choose one of them, and then sees only that.
            FilteredColumn::Csp => {}
        }
    }

    /// Keeps the devices with a text in which this word of a search is.
    fn keep_word(&self, devices: &mut Vec<u32>, is_one_csp: bool, word: &str) {
        let wanted = TextMatch::of(word);
        let is_match = |folded: &str| match &wanted {
            TextMatch::Contains(part) => folded.contains(part.as_str()),
            TextMatch::Prefix(begin) | TextMatch::Exact(begin) => {
                folded.split(' ').any(|word| word.starts_with(begin.as_str()))
            }
        };
        let shared = SEARCHED.map(|column| {
            let texts = self.shared(column);
            (&texts.codes, texts.dictionary.matching(is_match))
        });
        let is_shared = |device: u32| shared.iter().any(|(codes, found)| found[codes[device as usize] as usize]);
        self.keep_own(devices, is_one_csp, &OwnTextMatch::of_word(&wanted), is_shared);
    }

    /// Keeps the devices with an own text that is wanted, and those that are wanted anyway. Of a CSP, no other devices are looked at.
    fn keep_own(&self, devices: &mut Vec<u32>, is_one_csp: bool, wanted: &OwnTextMatch, or: impl Fn(u32) -> bool) {
        let texts = self.own_texts();
        if !is_one_csp && devices.len() > self.len() / FEW {
            self.count_examined(self.len());
            let found = texts.matching(wanted);
            devices.retain(|device| found[*device as usize] || or(*device));
        } else {
            devices.retain(|device| or(*device) || texts.matches(*device, wanted));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::memory::table::DeviceValues;

    fn table(of_north: usize, of_others: usize) -> DeviceTable {
        let mut table = DeviceTable::new();
        for number in 0..of_north + of_others {
            let csp = if number < of_north { "North".to_owned() } else { format!("Other {}", number % 7) };
            let (city, dsn) = (format!("City {}", number % 10), format!("SC{number:05}"));
            table.set(&DeviceValues {
                dsn,
                csp,
                city,
                serial_number: format!("S-{number}"),
                ..DeviceValues::default()
            });
        }
        table.order();
        table
    }

    #[test]
    fn question_of_a_csp_looks_at_its_devices_only() {
        let north = Visible::Csp("North".to_owned());
        let filters = [
            DeviceFilter::default(),
            DeviceFilter::by("city", "city 1"),
            DeviceFilter::by("dsn", "000"),
            DeviceFilter::by("q", "s city 9"),
            DeviceFilter::by("serialnumber", "s-1").and("q", "4").and("storenumber", "x"),
            DeviceFilter::by("csp", "Other 3"),
        ];
        for filter in filters {
            let ask = |table: &DeviceTable, visible: &Visible| {
                let before = table.examined();
                (table.find_all(visible, &filter).len(), table.examined() - before)
            };
            let (few, many) = (table(50, 20), table(50, 5000));
            assert_eq!(ask(&few, &north), ask(&many, &north), "{filter:?}");
            assert_eq!(ask(&many, &north).1, 50, "{filter:?}");
            // So does a question of one who sees all about one CSP.
            let of_north = filter.clone().and("csp", "North");
            assert_eq!(many.find_all(&Visible::Everything, &of_north), many.find_all(&north, &filter), "{filter:?}");
        }
        let all = table(50, 5000);
        all.find_all(&Visible::Everything, &DeviceFilter::by("csp", "North"));
        assert_eq!(all.examined(), 50);
        all.find_all(&Visible::Everything, &DeviceFilter::by("q", "s-7"));
        assert_eq!(all.examined(), 50 + 2 * 5050);
    }
}
