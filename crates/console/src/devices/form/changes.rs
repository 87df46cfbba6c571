//! What saving a form changes at the cloud: one step for each call, only for what differs.

use std::collections::BTreeMap;

use devicecloud::{Address, Device};
use diffuser::data_keys;

use super::fields::DeviceFields;
use crate::audit::FieldChange;
use crate::devices::record::{DeviceRecord, text};
use crate::parts::Part;

/// Six decimals are what a cloud keeps of a degree.
const SAME_PLACE: f64 = 0.000_000_5;

/// One change of a device, and the call that makes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Gives it to this CSP.
    Assign(String),
    /// Gives the service area.
    Rename(String),
    TimeZone(String),
    Address(Address),
    /// Latitude and longitude in degrees.
    Location(f64, f64),
    Create(Datum, String),
    Update(Datum, String),
    Delete(Datum),
}

/// A datum under its names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Datum {
    pub(super) key: &'static str,
    part: Part,
}

const fn datum(key: &'static str, field: &'static str, label: &'static str) -> Datum {
    Datum { key, part: Part { field, label } }
}

const SERIAL_NUMBER: Datum = datum(data_keys::SERIAL_NUMBER, "serialNumber", "Serial number");
const CART_NAME: Datum = datum(data_keys::CART_NAME, "systemConfiguration", "System configuration");
const FRAGRANCE: Datum = datum(data_keys::FRAGRANCE, "fragrance", "Fragrance");
const TIME_ZONE: Datum = datum(data_keys::TIME_ZONE, "timeZone", "Time zone");
const CUSTOMER_ID: Datum = datum(data_keys::CUSTOMER_ID, "customerId", "Customer ID");
const STORE_NUMBER: Datum = datum(data_keys::STORE_NUMBER, "storeNumber", "Store number");
const CUSTOMER: Datum = datum(data_keys::CUSTOMER, "customer", "Customer");

impl Step {
    /// What it is about.
    pub(super) fn part(&self) -> Part {
        match self {
            Self::Assign(_) => Part { field: "csp", label: "CSP" },
            Self::Rename(_) => Part { field: "serviceArea", label: "Service area" },
            Self::TimeZone(_) => TIME_ZONE.part,
            Self::Address(_) => Part { field: "city", label: "Address" },
            Self::Location(..) => Part { field: "latitude", label: "Location" },
            Self::Create(datum, _) | Self::Update(datum, _) | Self::Delete(datum) => datum.part,
        }
    }

    fn changes(&self, present: &Present) -> Vec<FieldChange> {
        let record = &present.record;
        let field = self.part().field;
        match self {
            Self::Assign(csp) => vec![FieldChange::new(field, record.csp.clone(), csp.as_str())],
            Self::Rename(name) => vec![FieldChange::new(field, record.service_area.clone(), name.as_str())],
            Self::TimeZone(name) => vec![FieldChange::new(field, present.zone.clone(), name.as_str())],
            Self::Address(address) => {
                let parts = [
                    ("city", &record.city, &address.city),
                    ("state", &record.state_province, &address.state),
                    ("country", &record.country, &address.country),
                ];
                let differ = parts.into_iter().filter(|(_, before, after)| before != after);
                differ.map(|(field, before, after)| FieldChange::new(field, before.clone(), after.clone())).collect()
            }
            Self::Location(lat, lng) => {
                let before = present.location.unzip();
                vec![FieldChange::new("latitude", before.0, *lat), FieldChange::new("longitude", before.1, *lng)]
            }
            Self::Create(datum, value) | Self::Update(datum, value) => {
                vec![FieldChange::new(field, present.data.get(datum.key).cloned(), value.as_str())]
            }
            Self::Delete(datum) => vec![FieldChange::new(field, present.data.get(datum.key).cloned(), None::<String>)],
        }
    }
}

/// What these steps change, field by field in their order.
pub(super) fn changes(steps: &[Step], present: &Present) -> Vec<FieldChange> {
    let mut fields: Vec<FieldChange> = Vec::new();
    for change in steps.iter().flat_map(|step| step.changes(present)) {
        // The time zone stands in two places of a device.
        if fields.iter().all(|known| known.field() != change.field()) {
            fields.push(change);
        }
    }
    fields
}

/// What the form can change of a device, as it is.
#[derive(Clone, Debug)]
pub(super) struct Present {
    pub(super) record: DeviceRecord,
    /// The cloud's own, which the device follows.
    zone: Option<String>,
    address: Address,
    location: Option<(f64, f64)>,
    data: BTreeMap<String, String>,
}

impl Present {
    pub(super) fn of(device: &Device) -> Self {
        Self {
            record: DeviceRecord::of(device),
            zone: device.time_zone.as_ref().and_then(|zone| zone.tz_id.clone()),
            address: device.addr.clone().unwrap_or_default(),
            location: device.lat.zip(device.lng),
            data: device.data.iter().map(|datum| (datum.key.clone(), datum.value.clone())).collect(),
        }
    }
}

/// The steps from what a device is to what the form wants, in the order of adding: the customer comes last, so that an
/// interrupted adding can be repeated.
pub(super) fn steps(present: &Present, wanted: &DeviceFields) -> Vec<Step> {
    let record = &present.record;
    let mut steps = Vec::new();
    if record.service_area.as_deref() != Some(&wanted.service_area) {
        steps.push(Step::Rename(wanted.service_area.clone()));
    }
    if present.zone.as_deref() != Some(&wanted.time_zone) {
        steps.push(Step::TimeZone(wanted.time_zone.clone()));
    }
    steps.extend(address(present, wanted).map(Step::Address));
    if let Some((lat, lng)) = wanted.location.filter(|wanted| !is_at(present, *wanted)) {
        steps.push(Step::Location(lat, lng));
    }
    let data = [
        (SERIAL_NUMBER, Some(&wanted.serial_number)),
        (CART_NAME, Some(&wanted.system_configuration)),
        (FRAGRANCE, Some(&wanted.fragrance)),
        (TIME_ZONE, Some(&wanted.time_zone)),
        (CUSTOMER_ID, wanted.customer_id.as_ref()),
        (STORE_NUMBER, wanted.store_number.as_ref()),
        (CUSTOMER, Some(&wanted.customer)),
    ];
    steps.extend(data.into_iter().filter_map(|(datum, value)| of_datum(present, datum, value)));
    steps
}

/// The whole address, which the cloud replaces: street and zip stand in no form.
fn address(present: &Present, wanted: &DeviceFields) -> Option<Address> {
    let record = &present.record;
    let same = record.city.as_deref() == Some(&wanted.city)
        && record.country.as_deref() == Some(&wanted.country)
        && record.state_province == wanted.state;
    if same {
        return None;
    }
    let mut address = present.address.clone();
    address.city = Some(wanted.city.clone());
    address.state = wanted.state.clone();
    address.country = Some(wanted.country.clone());
    Some(address)
}

fn is_at(present: &Present, (lat, lng): (f64, f64)) -> bool {
    present.location.is_some_and(|at| (at.0 - lat).abs() < SAME_PLACE && (at.1 - lng).abs() < SAME_PLACE)
}

fn of_datum(present: &Present, datum: Datum, wanted: Option<&String>) -> Option<Step> {
    match (present.data.get(datum.key), wanted) {
        (None, None) => None,
        (None, Some(value)) => Some(Step::Create(datum, value.clone())),
        (Some(_), None) => Some(Step::Delete(datum)),
        (Some(present), Some(value)) => {
            (text(present).as_ref() != Some(value)).then(|| Step::Update(datum, value.clone()))
        }
    }
}

#[cfg(test)]
mod tests;
