//! The columns that lists filter, sort and count by, for all devices.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use jiff::civil::Date;
use sqlx_macros::FromRow;

use super::dictionary::Dictionary;
use super::own_texts::{NewTexts, OwnTexts};
use super::text_order::TextOrder;
use crate::index::columns::{OwnColumn, SharedColumn};
use crate::records::{DeviceStatus, LAN, Position};
use crate::texts::folding::fold;
use crate::texts::natural_order;

/// A device as the index has it.
#[derive(FromRow)]
#[cfg_attr(test, derive(Default))]
pub(super) struct DeviceValues {
    pub(super) dsn: String,
    pub(super) csp: String,
    pub(super) serial_number: String,
    pub(super) customer: String,
    pub(super) customer_id: String,
    pub(super) store_number: String,
    pub(super) service_area: String,
    pub(super) system_configuration: String,
    pub(super) fragrance: String,
    pub(super) network: String,
    pub(super) city: String,
    pub(super) state_province: String,
    pub(super) country: String,
    pub(super) installed_at: String,
    pub(super) x: Option<i64>,
    pub(super) y: Option<i64>,
    pub(super) z: Option<i64>,
    pub(super) created_at: i64,
    pub(super) connection_status: String,
    pub(super) connected_at: i64,
    pub(super) connection_changed_at: i64,
    pub(super) mode: Option<i64>,
    pub(super) fragrance_remaining: Option<i64>,
    pub(super) runs_dry_rising: i64,
    pub(super) runs_dry_falling: i64,
}

/// The columns of both tables of the index that [`DeviceValues`] reads.
pub(super) const READ: &str = "d.dsn, d.csp, d.serial_number, d.customer, d.customer_id, d.store_number, d.service_area, \
     d.system_configuration, d.fragrance, d.network, d.city, d.state_province, d.country, d.installed_at, d.x, d.y, d.z, \
     d.created_at, s.connection_status, s.connected_at, s.connection_changed_at, s.mode, s.fragrance_remaining, \
     s.runs_dry_rising, s.runs_dry_falling";

/// The code of a CSP or mode where a device has none.
const NO_CSP: u32 = u32::MAX;
const NO_MODE: u8 = u8::MAX;

/// All devices. A device is a number, which the next new device gets when it is gone.
#[derive(Debug)]
pub(super) struct DeviceTable {
    numbers: HashTable<u32>,
    hasher: RandomState,
    free: Vec<u32>,
    own_texts: OwnTexts,
    by_dsn: TextOrder,
    by_serial_number: TextOrder,
    csps: Dictionary,
    /// By the code of the CSP: its devices.
    devices_of_csp: Vec<Vec<u32>>,
    shared_texts: [SharedTexts; SharedColumn::ALL.len()],
    columns: Columns,
    /// How many devices questions have looked at.
    #[cfg(test)]
    examined: std::sync::atomic::AtomicUsize,
}

/// A text column.
#[derive(Debug)]
pub(super) struct SharedTexts {
    pub(super) dictionary: Dictionary,
    /// By device.
    pub(super) codes: Vec<u32>,
}

/// By device. Missing times are 0.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// [`NO_CSP`] for a number that no device has.
    csp: Vec<u32>,
    /// The place among the devices of the CSP.
    place_in_csp: Vec<u32>,
    pub(super) created_at: Vec<i64>,
    pub(super) connected_at: Vec<i64>,
    pub(super) connection_changed_at: Vec<i64>,
    pub(super) runs_dry_rising: Vec<i64>,
    pub(super) runs_dry_falling: Vec<i64>,
    /// Year, month and day as one number; 0 if unknown.
    pub(super) installed_at: Vec<i32>,
    pub(super) status: Vec<DeviceStatus>,
    pub(super) mode: Vec<u8>,
    pub(super) remaining_rising: Vec<i8>,
    pub(super) remaining_falling: Vec<i8>,
    /// `None` is [`NOWHERE`].
    position: Vec<[i32; 3]>,
}

/// Unknown levels are above and below all others: they are last in both directions.
const UNKNOWN_RISING: i8 = 101;
const UNKNOWN_FALLING: i8 = -1;

/// The place of a device whose position is unknown: no place on the globe is as far away from its centre.
const NOWHERE: [i32; 3] = [i32::MAX; 3];

impl DeviceTable {
    pub(super) fn new() -> Self {
        Self {
            numbers: HashTable::new(),
            hasher: RandomState::new(),
            free: Vec::new(),
            own_texts: OwnTexts::default(),
            by_dsn: TextOrder::default(),
            by_serial_number: TextOrder::default(),
            csps: Dictionary::new(fold),
            devices_of_csp: Vec::new(),
            shared_texts: SharedColumn::ALL.map(|column| SharedTexts {
                dictionary: Dictionary::new(if column == SharedColumn::Network { fold_network } else { fold }),
                codes: Vec::new(),
            }),
            columns: Columns::default(),
            #[cfg(test)]
            examined: std::sync::atomic::AtomicUsize::default(),
        }
    }

    /// Makes room for this many devices, so that no column grows to twice its size.
    pub(super) fn reserve(&mut self, devices: usize) {
        let texts = &self.own_texts;
        self.numbers.reserve(devices, |device| self.hasher.hash_one(texts.dsn(*device)));
        self.own_texts.reserve(devices);
        self.by_dsn.reserve(devices);
        self.by_serial_number.reserve(devices);
        self.shared_texts.iter_mut().for_each(|texts| texts.codes.reserve_exact(devices));
        self.columns.reserve(devices);
    }

    /// Adds or replaces a device. [`order`](Self::order) must follow before the next question.
    pub(super) fn set(&mut self, values: &DeviceValues) {
        let known = self.find(&values.dsn);
        let device = match known {
            Some(device) => {
                self.set_own_texts(device, values);
                device
            }
            None => self.add(values),
        };
        for (column, texts) in SharedColumn::ALL.into_iter().zip(&mut self.shared_texts) {
            // Before the former one is released: a text that the device keeps stays in the dictionary.
            let code = texts.dictionary.acquire(values.shared(column));
            if known.is_some() {
                texts.dictionary.release(texts.code(device));
            }
            put(&mut texts.codes, device, code, 0);
        }
        let csp = self.csps.acquire(&values.csp);
        if known.is_some() {
            self.leave_csp(device);
        }
        if self.devices_of_csp.len() <= csp as usize {
            self.devices_of_csp.resize_with(csp as usize + 1, Vec::new);
        }
        let of_csp = &mut self.devices_of_csp[csp as usize];
        let place = u32::try_from(of_csp.len()).expect("there are fewer devices");
        of_csp.push(device);
        self.columns.set(device, csp, place, values);
    }

    /// Removes a device. [`order`](Self::order) must follow before the next question.
    pub(super) fn remove(&mut self, dsn: &str) {
        let Some(device) = self.find(dsn) else { return };
        self.leave_csp(device);
        for texts in &mut self.shared_texts {
            texts.dictionary.release(texts.codes[device as usize]);
        }
        let texts = &self.own_texts;
        let hash = self.hasher.hash_one(dsn);
        if let Ok(entry) = self.numbers.find_entry(hash, |other| texts.dsn(*other) == dsn) {
            entry.remove();
        }
        self.own_texts.clear(device);
        self.columns.csp[device as usize] = NO_CSP;
        self.by_dsn.change(device);
        self.by_serial_number.change(device);
        self.free.push(device);
    }

    /// Brings the orders up to date.
    pub(super) fn order(&mut self) {
        let (texts, csp) = (&self.own_texts, &self.columns.csp);
        let is_there = |device: u32| csp[device as usize] != NO_CSP;
        let by = |text: OwnColumn, one: u32, other: u32| {
            natural_order::compare(texts.folded(one, text), texts.folded(other, text))
        };
        // DSNs that fold alike are in the order of their letters.
        let by_dsn =
            |one: u32, other: u32| by(OwnColumn::Dsn, one, other).then_with(|| texts.dsn(one).cmp(texts.dsn(other)));
        self.by_dsn.order(is_there, by_dsn);
        self.by_serial_number
            .order(is_there, |one, other| by(OwnColumn::SerialNumber, one, other).then_with(|| by_dsn(one, other)));
        self.csps.order();
        self.shared_texts.iter_mut().for_each(|texts| texts.dictionary.order());
    }

    /// The number of a device.
    pub(super) fn find(&self, dsn: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(dsn);
        self.numbers.find(hash, |device| self.own_texts.dsn(*device) == dsn).copied()
    }

    /// The devices of a CSP.
    pub(super) fn of_csp(&self, csp: &str) -> &[u32] {
        self.csps.find(csp).map_or(&[], |code| &self.devices_of_csp[code as usize])
    }

    /// All devices.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.columns.csp).filter(|(_, csp)| **csp != NO_CSP).map(|(device, _)| device)
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Bytes of memory.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn bytes_used(&self) -> usize {
        let shared: usize =
            self.shared_texts.iter().map(|texts| texts.dictionary.bytes_used() + 4 * texts.codes.capacity()).sum();
        let of_csp: usize = self.devices_of_csp.iter().map(|devices| 4 * devices.capacity()).sum();
        let numbers = 5 * self.numbers.capacity() * 8 / 7 + 4 * self.free.capacity();
        let texts = self.own_texts.bytes_used() + self.by_dsn.bytes_used() + self.by_serial_number.bytes_used();
        numbers + texts + shared + self.csps.bytes_used() + of_csp + self.columns.bytes_used()
    }

    /// Records that a question looks at this many devices.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "only tests count"))]
    pub(super) fn count_examined(&self, _devices: usize) {
        #[cfg(test)]
        self.examined.fetch_add(_devices, std::sync::atomic::Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(super) fn examined(&self) -> usize {
        self.examined.load(std::sync::atomic::Ordering::Relaxed)
    }

    pub(super) fn own_texts(&self) -> &OwnTexts {
        &self.own_texts
    }

    pub(super) fn shared(&self, column: SharedColumn) -> &SharedTexts {
        &self.shared_texts[column as usize]
    }

    pub(super) fn columns(&self) -> &Columns {
        &self.columns
    }

    pub(super) fn csps(&self) -> &Dictionary {
        &self.csps
    }

    /// The code of the device's CSP.
    pub(super) fn csp(&self, device: u32) -> u32 {
        self.columns.csp[device as usize]
    }

    pub(super) fn by_dsn(&self) -> &TextOrder {
        &self.by_dsn
    }

    pub(super) fn by_serial_number(&self) -> &TextOrder {
        &self.by_serial_number
    }

    fn add(&mut self, values: &DeviceValues) -> u32 {
        let device = self.free.pop().unwrap_or_else(|| {
            u32::try_from(self.columns.csp.len()).expect("there are fewer than four thousand million devices")
        });
        // The texts must be there before the number, because the table of numbers reads them when it grows.
        self.own_texts.set(device, values.own());
        let Self { own_texts: texts, hasher, .. } = self;
        self.numbers.insert_unique(hasher.hash_one(&*values.dsn), device, |other| hasher.hash_one(texts.dsn(*other)));
        self.by_dsn.change(device);
        self.by_serial_number.change(device);
        device
    }

    fn set_own_texts(&mut self, device: u32, values: &DeviceValues) {
        let texts = &self.own_texts;
        let equals = |text, value: &str| texts.folded(device, text) == fold(value);
        let same_serial_number = equals(OwnColumn::SerialNumber, &values.serial_number);
        if same_serial_number
            && equals(OwnColumn::CustomerId, &values.customer_id)
            && equals(OwnColumn::StoreNumber, &values.store_number)
        {
            return;
        }
        if !same_serial_number {
            self.by_serial_number.change(device);
        }
        self.own_texts.set(device, values.own());
    }

    fn leave_csp(&mut self, device: u32) {
        let csp = self.columns.csp[device as usize];
        let place = self.columns.place_in_csp[device as usize];
        let of_csp = &mut self.devices_of_csp[csp as usize];
        of_csp.swap_remove(place as usize);
        if let Some(moved) = of_csp.get(place as usize) {
            self.columns.place_in_csp[*moved as usize] = place;
        }
        self.csps.release(csp);
    }
}

/// A device on the LAN has no SSID.
fn fold_network(network: &str) -> String {
    if network == LAN { String::new() } else { fold(network) }
}

impl SharedTexts {
    pub(super) fn code(&self, device: u32) -> u32 {
        self.codes[device as usize]
    }

    /// The place of the device's text in the order.
    pub(super) fn rank(&self, device: u32) -> u32 {
        self.dictionary.rank(self.code(device))
    }
}

impl DeviceValues {
    fn own(&self) -> NewTexts<'_> {
        let Self { dsn, serial_number, customer_id, store_number, .. } = self;
        NewTexts { dsn, serial_number, customer_id, store_number }
    }

    fn shared(&self, column: SharedColumn) -> &str {
        match column {
            SharedColumn::Customer => &self.customer,
            SharedColumn::ServiceArea => &self.service_area,
            SharedColumn::SystemConfiguration => &self.system_configuration,
            SharedColumn::Fragrance => &self.fragrance,
            SharedColumn::Network => &self.network,
            SharedColumn::City => &self.city,
            SharedColumn::StateProvince => &self.state_province,
            SharedColumn::Country => &self.country,
        }
    }
}

impl Columns {
    fn reserve(&mut self, devices: usize) {
        self.csp.reserve_exact(devices);
        self.place_in_csp.reserve_exact(devices);
        self.created_at.reserve_exact(devices);
        self.connected_at.reserve_exact(devices);
        self.connection_changed_at.reserve_exact(devices);
        self.runs_dry_rising.reserve_exact(devices);
        self.runs_dry_falling.reserve_exact(devices);
        self.installed_at.reserve_exact(devices);
        self.status.reserve_exact(devices);
        self.mode.reserve_exact(devices);
        self.remaining_rising.reserve_exact(devices);
        self.remaining_falling.reserve_exact(devices);
        self.position.reserve_exact(devices);
    }

    fn set(&mut self, device: u32, csp: u32, place_in_csp: u32, values: &DeviceValues) {
        let status = DeviceStatus::from_name(&values.connection_status).unwrap_or(DeviceStatus::Offline);
        let position = values.x.zip(values.y).zip(values.z).map(|((x, y), z)| [x, y, z].map(metres));
        put(&mut self.csp, device, csp, NO_CSP);
        put(&mut self.place_in_csp, device, place_in_csp, 0);
        put(&mut self.created_at, device, values.created_at, 0);
        put(&mut self.connected_at, device, values.connected_at, 0);
        put(&mut self.connection_changed_at, device, values.connection_changed_at, 0);
        put(&mut self.runs_dry_rising, device, values.runs_dry_rising, 0);
        put(&mut self.runs_dry_falling, device, values.runs_dry_falling, 0);
        put(&mut self.installed_at, device, values.installed_at.parse().map_or(0, day_number), 0);
        put(&mut self.status, device, status, DeviceStatus::Offline);
        let mode = values.mode.and_then(|mode| u8::try_from(mode).ok());
        put(&mut self.mode, device, mode.unwrap_or(NO_MODE), NO_MODE);
        put(&mut self.remaining_rising, device, values.fragrance_remaining.map_or(UNKNOWN_RISING, percent), 0);
        put(&mut self.remaining_falling, device, values.fragrance_remaining.map_or(UNKNOWN_FALLING, percent), 0);
        put(&mut self.position, device, position.unwrap_or(NOWHERE), NOWHERE);
    }

    #[cfg(any(test, feature = "testing"))]
    fn bytes_used(&self) -> usize {
        let numbers = [
            &self.created_at,
            &self.connected_at,
            &self.connection_changed_at,
            &self.runs_dry_rising,
            &self.runs_dry_falling,
        ];
        let numbers: usize = numbers.iter().map(|column| 8 * column.capacity()).sum();
        let codes = 4 * (self.csp.capacity() + self.place_in_csp.capacity() + self.installed_at.capacity());
        let small = self.status.capacity()
            + self.mode.capacity()
            + self.remaining_rising.capacity()
            + self.remaining_falling.capacity();
        numbers + codes + small + 12 * self.position.capacity()
    }

    /// The square of the distance of a device from a place, in square metres; `None` if its position is unknown.
    pub(super) fn squared_distance(&self, device: u32, centre: Position) -> Option<i64> {
        let position = self.position[device as usize];
        let along = |at: i32, centre: i64| (i64::from(at) - centre).pow(2);
        let [x, y, z] = position;
        (position != NOWHERE).then(|| along(x, centre.x) + along(y, centre.y) + along(z, centre.z))
    }
}

/// Sets the value of a device. `none` is the value of numbers that no device has.
fn put<T: Clone>(column: &mut Vec<T>, device: u32, value: T, none: T) {
    if column.len() <= device as usize {
        column.resize(device as usize + 1, none);
    }
    column[device as usize] = value;
}

/// A date as a number that is ordered as dates are.
pub(super) fn day_number(date: Date) -> i32 {
    i32::from(date.year()) * 10_000 + i32::from(date.month()) * 100 + i32::from(date.day())
}

/// No coordinate of a place on the globe is greater.
fn metres(coordinate: i64) -> i32 {
    i32::try_from(coordinate).unwrap_or(i32::MAX)
}

fn percent(level: i64) -> i8 {
    i8::try_from(level.clamp(0, 100)).unwrap_or_default()
}

/// The order of states by their names.
pub(super) fn by_name(one: DeviceStatus) -> u64 {
    match one {
        DeviceStatus::NeverConnected => 0,
        DeviceStatus::Offline => 1,
        DeviceStatus::Online => 2,
    }
}
