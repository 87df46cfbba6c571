//! A page of the devices that a question found, in the order of the list.

use std::collections::BinaryHeap;

use super::table::{DeviceTable, by_name};
use crate::http::sort_order::SortOrder;
use crate::index::columns::{DeviceSort, SharedColumn};
use crate::records::Position;

/// Up to this many devices from the beginning or the end of the order, only those are sorted.
const MAX_KEPT: usize = 2000;

/// How a list is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListOrder {
    pub(super) sort: DeviceSort,
    pub(super) order: SortOrder,
    /// Where distances are measured from.
    pub(super) centre: Option<Position>,
}

/// A device with the value that it is ordered by, and the place of its DSN in order, which breaks ties: without a fixed order of
/// ties, pages would repeat and skip devices.
type Key = (u64, u32, u32);

impl DeviceTable {
    /// The devices at the places from `skip` on, at most `length`.
    pub(super) fn page(&self, devices: &[u32], order: ListOrder, skip: usize, length: usize) -> Vec<u32> {
        let columns = self.columns();
        let time = |times: &[i64], device: u32| rising(times[device as usize]);
        let shared = |column: SharedColumn| move |device: u32| u64::from(self.shared(column).rank(device));
        let falls = order.order == SortOrder::Desc;
        let page = Page { table: self, devices, falls, skip, length };
        match order.sort {
            DeviceSort::CreatedAt => page.by(|device| time(&columns.created_at, device)),
            DeviceSort::ConnectedAt => page.by(|device| time(&columns.connected_at, device)),
            DeviceSort::Dsn => page.by(|_| 0),
            DeviceSort::SerialNumber => page.by(|device| u64::from(self.by_serial_number().place(device))),
            DeviceSort::Csp => page.by(|device| u64::from(self.csps().rank(self.csp(device)))),
            DeviceSort::Customer => page.by(shared(SharedColumn::Customer)),
            DeviceSort::ServiceArea => page.by(shared(SharedColumn::ServiceArea)),
            DeviceSort::Model => page.by(shared(SharedColumn::SystemConfiguration)),
            DeviceSort::Network => page.by(shared(SharedColumn::Network)),
            DeviceSort::City => page.by(shared(SharedColumn::City)),
            DeviceSort::StateProvince => page.by(shared(SharedColumn::StateProvince)),
            DeviceSort::Country => page.by(shared(SharedColumn::Country)),
            DeviceSort::ConnectionStatus => page.by(|device| by_name(columns.status[device as usize])),
            // Unknown dates and levels are last in both directions.
            DeviceSort::InstalledAt => page.by(|device| match columns.installed_at[device as usize] {
                0 if !falls => u64::MAX,
                day => rising(i64::from(day)),
            }),
            DeviceSort::FragranceRemaining if falls => {
                page.by(|device| rising(i64::from(columns.remaining_falling[device as usize])))
            }
            DeviceSort::FragranceRemaining => {
                page.by(|device| rising(i64::from(columns.remaining_rising[device as usize])))
            }
            DeviceSort::RunsDry if falls => page.by(|device| time(&columns.runs_dry_falling, device)),
            DeviceSort::RunsDry => page.by(|device| time(&columns.runs_dry_rising, device)),
            DeviceSort::Distance => match order.centre {
                Some(centre) => page.by(|device| columns.squared_distance(device, centre).map_or(u64::MAX, rising)),
                None => page.by(|_| 0),
            },
        }
    }
}

/// A number whose order is that of the signed one.
fn rising(number: i64) -> u64 {
    number.cast_unsigned() ^ (1 << 63)
}

struct Page<'a> {
    table: &'a DeviceTable,
    devices: &'a [u32],
    falls: bool,
    skip: usize,
    length: usize,
}

impl Page<'_> {
    fn by(&self, value: impl Fn(u32) -> u64) -> Vec<u32> {
        let total = self.devices.len();
        let skip = self.skip.min(total);
        let length = self.length.min(total - skip);
        let end = total - skip - length;
        // A page near the end is found from there.
        let from_end = end < skip;
        let (skip, falls) = if from_end { (end, !self.falls) } else { (skip, self.falls) };
        let by_dsn = self.table.by_dsn();
        let keys = self.devices.iter().map(|device| {
            let (value, place) = (value(*device), by_dsn.place(*device));
            if falls { (!value, !place, *device) } else { (value, place, *device) }
        });
        let mut page = if skip + length <= MAX_KEPT { first(keys, skip + length) } else { between(keys, skip, length) };
        page.sort_unstable();
        let mut page: Vec<u32> = page.split_off(page.len() - length).into_iter().map(|(_, _, device)| device).collect();
        if from_end {
            page.reverse();
        }
        page
    }
}

/// The first keys, in no order.
fn first(keys: impl Iterator<Item = Key>, number: usize) -> Vec<Key> {
    let mut kept = BinaryHeap::with_capacity(number + 1);
    for key in keys {
        if kept.len() < number {
            kept.push(key);
        } else if let Some(mut last) = kept.peek_mut()
            && key < *last
        {
            *last = key;
        }
    }
    kept.into_vec()
}

/// The keys at `number` places after the first `skip`, in no order.
fn between(keys: impl Iterator<Item = Key>, skip: usize, number: usize) -> Vec<Key> {
    let mut keys: Vec<Key> = keys.collect();
    keys.select_nth_unstable(skip);
    let mut rest = keys.split_off(skip);
    if number < rest.len() {
        rest.select_nth_unstable(number);
        rest.truncate(number);
    }
    rest
}
