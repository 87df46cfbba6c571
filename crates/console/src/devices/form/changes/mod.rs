//! The steps that save a form: one call each, only for values that differ.

use std::collections::BTreeMap;

use devicecloud::{Address, Device, SecretText};

use super::fields::{Datum, DeviceFields, TIME_ZONE};
use crate::audit::FieldChange;
use crate::forms::partial_writes::Part;
use crate::records::zone_names;
use crate::records::{DeviceRecord, non_empty};

/// The cloud stores six decimals of a degree.
const SAME_PLACE: f64 = 0.000_000_5;

pub(crate) const CSP: Part = Part { field: "csp", label: "CSP" };
pub(crate) const SERVICE_AREA: Part = Part { field: "serviceArea", label: "Service area" };
pub(crate) const ADDRESS: Part = Part { field: "city", label: "Address" };
pub(crate) const LOCATION: Part = Part { field: "latitude", label: "Location" };

/// A change of a device, made by one call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Assigns it to this CSP, with the code printed on the device if it is added.
    Assign {
        csp: String,
        setup_code: Option<SecretText>,
    },
    /// Removes it from its CSP.
    Unassign,
    /// Sets the service area.
    Rename(String),
    TimeZone(String),
    Address(Address),
    /// Latitude and longitude in degrees.
    Location(f64, f64),
    Create(Datum, String),
    Update(Datum, String),
    Delete(Datum),
}

impl Step {
    /// The form field that the step writes.
    pub(crate) fn part(&self) -> Part {
        match self {
            Self::Assign { .. } | Self::Unassign => CSP,
            Self::Rename(_) => SERVICE_AREA,
            Self::TimeZone(_) => TIME_ZONE.part,
            Self::Address(_) => ADDRESS,
            Self::Location(..) => LOCATION,
            Self::Create(datum, _) | Self::Update(datum, _) | Self::Delete(datum) => datum.part,
        }
    }

    /// Whether the device belongs to another CSP afterwards.
    pub(crate) fn changes_csp(&self) -> bool {
        matches!(self, Self::Assign { .. } | Self::Unassign)
    }

    fn changes(&self, current: &CurrentDevice) -> Vec<FieldChange> {
        let record = &current.record;
        let field = self.part().field;
        match self {
            Self::Assign { csp, .. } => vec![FieldChange::new(field, record.csp.clone(), csp.as_str())],
            Self::Unassign => vec![FieldChange::new(field, record.csp.clone(), None::<String>)],
            Self::Rename(name) => vec![FieldChange::new(field, record.service_area.clone(), name.as_str())],
            Self::TimeZone(name) => vec![FieldChange::new(field, current.zone.clone(), name.as_str())],
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
                let before = current.location.unzip();
                vec![FieldChange::new("latitude", before.0, *lat), FieldChange::new("longitude", before.1, *lng)]
            }
            Self::Create(datum, value) | Self::Update(datum, value) => {
                vec![FieldChange::new(field, current.data.get(datum.key).cloned(), value.as_str())]
            }
            Self::Delete(datum) => vec![FieldChange::new(field, current.data.get(datum.key).cloned(), None::<String>)],
        }
    }
}

/// Audit entries of these steps, one for each field.
pub(crate) fn changes(steps: &[Step], current: &CurrentDevice) -> Vec<FieldChange> {
    let mut fields: Vec<FieldChange> = Vec::new();
    for change in steps.iter().flat_map(|step| step.changes(current)) {
        // The time zone is stored in two places of a device.
        if fields.iter().all(|known| known.field() != change.field()) {
            fields.push(change);
        }
    }
    fields
}

/// The current values of a device that the form can change.
#[derive(Clone, Debug)]
pub(crate) struct CurrentDevice {
    pub(crate) record: DeviceRecord,
    /// The cloud's time zone, which the device follows, by its present name.
    pub(crate) zone: Option<String>,
    pub(crate) address: Address,
    pub(crate) location: Option<(f64, f64)>,
    pub(crate) data: BTreeMap<String, String>,
}

impl CurrentDevice {
    pub(crate) fn of(device: &Device) -> Self {
        Self {
            record: DeviceRecord::of(device),
            zone: device.time_zone.as_ref().and_then(|zone| zone.tz_id.clone()).map(zone_names::renamed),
            address: device.addr.clone().unwrap_or_default(),
            location: device.lat.zip(device.lng),
            data: device.data.iter().map(|datum| (datum.key.clone(), datum.value.clone())).collect(),
        }
    }

    /// The step that sets this service area, if it differs; the other methods work alike.
    pub(crate) fn rename(&self, name: &str) -> Option<Step> {
        (self.record.service_area.as_deref() != Some(name)).then(|| Step::Rename(name.to_owned()))
    }

    pub(crate) fn set_zone(&self, name: &str) -> Option<Step> {
        (self.zone.as_deref() != Some(name)).then(|| Step::TimeZone(name.to_owned()))
    }

    /// The full address, which the cloud replaces as a whole. Street and zip are kept; no form edits them.
    pub(crate) fn set_address(&self, city: Option<&str>, state: Option<&str>, country: Option<&str>) -> Option<Step> {
        let DeviceRecord { city: old_city, state_province: old_state, country: old_country, .. } = &self.record;
        if (old_city.as_deref(), old_state.as_deref(), old_country.as_deref()) == (city, state, country) {
            return None;
        }
        let mut address = self.address.clone();
        (address.city, address.state) = (city.map(str::to_owned), state.map(str::to_owned));
        address.country = country.map(str::to_owned);
        Some(Step::Address(address))
    }

    /// Latitude and longitude in degrees.
    pub(crate) fn set_location(&self, at: (f64, f64)) -> Option<Step> {
        let is_there = self.location.is_some_and(|location| is_same_location(location, at));
        (!is_there).then_some(Step::Location(at.0, at.1))
    }

    /// `None` deletes the datum.
    pub(crate) fn set_datum(&self, datum: Datum, requested: Option<&str>) -> Option<Step> {
        match (self.data.get(datum.key), requested) {
            (None, None) => None,
            (None, Some(value)) => Some(Step::Create(datum, value.to_owned())),
            (Some(_), None) => Some(Step::Delete(datum)),
            (Some(current), Some(value)) => {
                (non_empty(current).as_deref() != Some(value)).then(|| Step::Update(datum, value.to_owned()))
            }
        }
    }
}

/// Whether two pairs of degrees are equal as far as the cloud stores them.
pub(crate) fn is_same_location(one: (f64, f64), other: (f64, f64)) -> bool {
    (one.0 - other.0).abs() < SAME_PLACE && (one.1 - other.1).abs() < SAME_PLACE
}

/// The steps from the current to the requested values.
pub(super) fn steps(current: &CurrentDevice, requested: &DeviceFields) -> Vec<Step> {
    let record = &current.record;
    let city = requested.city.as_ref().or(record.city.as_ref());
    let state = requested.state.as_ref().unwrap_or(&record.state_province);
    let country = requested.country.as_ref().or(record.country.as_ref());
    let places = [
        requested.service_area.as_deref().and_then(|name| current.rename(name)),
        requested.time_zone.as_deref().and_then(|name| current.set_zone(name)),
        current.set_address(city.map(String::as_str), state.as_deref(), country.map(String::as_str)),
        requested.location.and_then(|location| current.set_location(location)),
    ];
    let data = requested.data.iter().map(|(datum, value)| current.set_datum(*datum, value.as_deref()));
    places.into_iter().chain(data).flatten().collect()
}

#[cfg(test)]
mod tests;
