//! The form's fields and their validation.

use diffuser::{SystemConfiguration, data_keys};
use jiff::civil::Date;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::audit::concurrent_changes::SeenValues;
use crate::forms::partial_writes::Part;
use crate::forms::validation::Rules;
use crate::http::error::ApiResult;
use crate::http::request::sent;
use crate::records::DeviceRecord;
use crate::records::zone_names;

/// A field that is stored in the device's data: its key, and its names in the form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Datum {
    pub(super) key: &'static str,
    pub(super) part: Part,
}

impl Datum {
    /// The datum with this key; `None` for one that no form has.
    pub(crate) fn of_key(key: &str) -> Option<Self> {
        [SERIAL_NUMBER, CART_NAME, FRAGRANCE, TIME_ZONE, CUSTOMER_ID, STORE_NUMBER, INSTALLED_AT, CUSTOMER]
            .into_iter()
            .find(|datum| datum.key == key)
    }

    pub(crate) fn key(self) -> &'static str {
        self.key
    }

    pub(crate) fn part(self) -> Part {
        self.part
    }
}

const fn datum(key: &'static str, field: &'static str, label: &'static str) -> Datum {
    Datum { key, part: Part { field, label } }
}

pub(super) const SERIAL_NUMBER: Datum = datum(data_keys::SERIAL_NUMBER, "serialNumber", "Serial number");
pub(super) const CART_NAME: Datum = datum(data_keys::CART_NAME, "systemConfiguration", "System configuration");
pub(crate) const FRAGRANCE: Datum = datum(data_keys::FRAGRANCE, "fragrance", "Fragrance");
pub(crate) const TIME_ZONE: Datum = datum(data_keys::TIME_ZONE, "timeZone", "Time zone");
pub(crate) const CUSTOMER_ID: Datum = datum(data_keys::CUSTOMER_ID, "customerId", "Customer ID");
pub(crate) const STORE_NUMBER: Datum = datum(data_keys::STORE_NUMBER, "storeNumber", "Store number");
const INSTALLED_AT: Datum = datum(data_keys::INSTALLED_AT, "installedAt", "Install date");
pub(crate) const CUSTOMER: Datum = datum(data_keys::CUSTOMER, "customer", "Customer");

/// The fields of a device form. When an existing device is edited, omitted fields keep their values, and null or an
/// empty text clears a field. Texts are trimmed.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DeviceForm {
    /// Name of the CSP; ignored for CSP roles, which use their own.
    #[serde(deserialize_with = "sent")]
    csp: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    serial_number: Option<Option<String>>,
    /// Stored name, such as `AQ290`.
    #[serde(deserialize_with = "sent")]
    system_configuration: Option<Option<String>>,
    /// Name in the catalogue.
    #[serde(deserialize_with = "sent")]
    fragrance: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    customer: Option<Option<String>>,
    /// A name from the tz database.
    #[serde(deserialize_with = "sent")]
    time_zone: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    service_area: Option<Option<String>>,
    /// Degrees, -90 to 90. Latitude and longitude must be sent together; null in both keeps the stored location.
    #[serde(deserialize_with = "sent")]
    latitude: Option<Option<f64>>,
    /// Degrees, -180 to 180.
    #[serde(deserialize_with = "sent")]
    longitude: Option<Option<f64>>,
    #[serde(deserialize_with = "sent")]
    city: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    state: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    country: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    customer_id: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    store_number: Option<Option<String>>,
    /// A calendar date, such as `2026-11-20`.
    #[serde(deserialize_with = "sent")]
    #[schema(format = Date)]
    installed_at: Option<Option<String>>,
    /// When an existing device is edited: by field, the values that the person saw. If a field to change has another value by
    /// now, nothing is saved and the response is 409.
    pub(super) seen: SeenValues,
}

/// A validated form. `None` keeps a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DeviceFields {
    pub(super) csp: Option<String>,
    pub(super) time_zone: Option<String>,
    pub(super) service_area: Option<String>,
    /// Latitude and longitude in degrees.
    pub(super) location: Option<(f64, f64)>,
    pub(super) city: Option<String>,
    pub(super) state: Option<Option<String>>,
    pub(super) country: Option<String>,
    /// The values in the device's data to set, or to delete if `None`. The customer comes last, so that an interrupted
    /// addition can be repeated.
    pub(super) data: Vec<(Datum, Option<String>)>,
}

/// What the validation needs besides the form.
#[derive(Clone, Copy)]
pub(super) struct FormContext<'a> {
    /// The stored choices, which remain valid even if they are no longer offered. `None` for a new device, whose form
    /// must be complete.
    pub(super) before: Option<StoredChoices<'a>>,
    /// Whether the form's fragrance is in the catalogue.
    pub(super) has_fragrance: bool,
    /// The actor's own CSP, or whether the selected one exists.
    pub(super) csp: CspChoice<'a>,
}

/// The current choices of a device.
#[derive(Clone, Copy, Default)]
pub(super) struct StoredChoices<'a> {
    pub(super) csp: Option<&'a str>,
    pub(super) system_configuration: Option<&'a str>,
    pub(super) fragrance: Option<&'a str>,
    pub(super) time_zone: Option<&'a str>,
}

#[derive(Clone, Copy)]
pub(super) enum CspChoice<'a> {
    Own(&'a str),
    Chosen { exists: bool },
}

impl<'a> StoredChoices<'a> {
    pub(super) fn of(record: &'a DeviceRecord) -> Self {
        Self {
            csp: record.csp.as_deref(),
            system_configuration: record.system_configuration.as_deref(),
            fragrance: record.fragrance.as_deref(),
            time_zone: record.time_zone.as_deref(),
        }
    }
}

impl DeviceForm {
    /// The selected CSP, or an empty text.
    pub(super) fn csp(&self) -> &str {
        name(&self.csp)
    }

    /// The selected fragrance, or an empty text.
    pub(super) fn fragrance(&self) -> &str {
        name(&self.fragrance)
    }

    /// # Errors
    /// 422 with all invalid fields.
    pub(super) fn check(&self, context: &FormContext<'_>) -> ApiResult<DeviceFields> {
        let mut rules = Rules::default();
        let before = context.before.unwrap_or_default();
        let is_new = context.before.is_none();
        // A new device has no values to keep, so omitted fields count as empty.
        let sent = |field: &Option<Option<String>>| field.clone().or_else(|| is_new.then_some(None));
        let csp = match context.csp {
            CspChoice::Own(own) => is_new.then(|| own.to_owned()),
            CspChoice::Chosen { exists } => {
                sent(&self.csp).map(|csp| rules.one_of("csp", &csp, before.csp, |_| exists))
            }
        };
        let known_configuration =
            |name: &str| SystemConfiguration::ALL.iter().any(|configuration| configuration.cart_name() == name);
        let system_configuration = sent(&self.system_configuration)
            .map(|name| rules.one_of("systemConfiguration", &name, before.system_configuration, known_configuration));
        let fragrance = sent(&self.fragrance)
            .map(|name| rules.one_of("fragrance", &name, before.fragrance, |_| context.has_fragrance));
        let time_zone = sent(&self.time_zone)
            .map(|name| zone_names::renamed(rules.one_of("timeZone", &name, before.time_zone, zone_names::is_listed)));
        let mut required = |field, value| sent(value).map(|value| rules.required(field, &value));
        let serial_number = required("serialNumber", &self.serial_number);
        let customer = required("customer", &self.customer);
        let service_area = required("serviceArea", &self.service_area);
        let city = required("city", &self.city);
        let country = required("country", &self.country);
        let mut optional = |field, value| sent(value).map(|value| rules.optional(field, &value));
        let state = optional("state", &self.state);
        let mut optional = |datum: Datum, value| (datum, optional(datum.part.field, value));
        let data = [
            (SERIAL_NUMBER, serial_number.map(Some)),
            (CART_NAME, system_configuration.map(Some)),
            (FRAGRANCE, fragrance.map(Some)),
            (TIME_ZONE, time_zone.clone().map(Some)),
            optional(CUSTOMER_ID, &self.customer_id),
            optional(STORE_NUMBER, &self.store_number),
            optional(INSTALLED_AT, &self.installed_at),
            (CUSTOMER, customer.map(Some)),
        ];
        check_dates(&mut rules, &data);
        let location = location(&mut rules, self.latitude.flatten(), self.longitude.flatten());
        let data = data.into_iter().filter_map(|(datum, value)| Some((datum, value?))).collect();
        rules.finish(DeviceFields { csp, time_zone, service_area, location, city, state, country, data })
    }
}

/// The trimmed text, or an empty one.
fn name(field: &Option<Option<String>>) -> &str {
    field.as_ref().and_then(Option::as_deref).map(str::trim).unwrap_or_default()
}

/// Refuses an install date that is no calendar date.
fn check_dates(rules: &mut Rules, data: &[(Datum, Option<Option<String>>)]) {
    for (datum, date) in data.iter().filter(|(datum, _)| *datum == INSTALLED_AT) {
        let date = date.as_ref().and_then(Option::as_deref);
        if date.is_some_and(|text| text.parse::<Date>().is_ok_and(|date| date.to_string() == text)) != date.is_some() {
            rules.refuse(datum.part.field, "Must be a date like 2026-11-20");
        }
    }
}

/// Both coordinates or none.
fn location(rules: &mut Rules, latitude: Option<f64>, longitude: Option<f64>) -> Option<(f64, f64)> {
    for (field, degrees, max) in [("latitude", latitude, 90.0), ("longitude", longitude, 180.0)] {
        if degrees.is_some_and(|degrees| !(-max..=max).contains(&degrees)) {
            rules.refuse(field, format!("Must be between -{max} and {max}"));
        }
    }
    match (latitude, longitude) {
        (Some(_), None) => rules.refuse("longitude", "Enter both latitude and longitude"),
        (None, Some(_)) => rules.refuse("latitude", "Enter both latitude and longitude"),
        _ => {}
    }
    latitude.zip(longitude)
}

#[cfg(test)]
mod tests;
