//! What the form sends, and the rules for it (spec 000 section 5, A-54).

use diffuser::SystemConfiguration;
use jiff::tz::TimeZoneDatabase;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::devices::record::DeviceRecord;
use crate::error::ApiResult;
use crate::rules::Rules;

/// What the form of a device sends. Texts are trimmed; an empty one is as good as none.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceForm {
    /// The name of the CSP; ignored from a CSP role, whose own it is.
    csp: Option<String>,
    serial_number: Option<String>,
    /// The stored name, `AQ290` and so on.
    system_configuration: Option<String>,
    /// The name in the catalogue.
    fragrance: Option<String>,
    customer: Option<String>,
    /// A name of the tz database.
    time_zone: Option<String>,
    service_area: Option<String>,
    /// Degrees, -90 to 90; with a longitude or not at all.
    latitude: Option<f64>,
    /// Degrees, -180 to 180.
    longitude: Option<f64>,
    city: Option<String>,
    state: Option<String>,
    country: Option<String>,
    customer_id: Option<String>,
    store_number: Option<String>,
}

/// A form that keeps the rules.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DeviceFields {
    pub(super) csp: String,
    pub(super) serial_number: String,
    pub(super) system_configuration: String,
    pub(super) fragrance: String,
    pub(super) customer: String,
    pub(super) time_zone: String,
    pub(super) service_area: String,
    /// Latitude and longitude in degrees; `None` leaves them as they are.
    pub(super) location: Option<(f64, f64)>,
    pub(super) city: String,
    pub(super) state: Option<String>,
    pub(super) country: String,
    pub(super) customer_id: Option<String>,
    pub(super) store_number: Option<String>,
}

/// What the rules need to know that does not stand in the form.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    /// What the device has may stay, whatever the choices are now.
    pub(super) before: Before<'a>,
    /// Whether the catalogue has the form's fragrance.
    pub(super) has_fragrance: bool,
    /// The CSP of the actor, who cannot choose; or whether the chosen one exists.
    pub(super) csp: Csp<'a>,
}

/// The choices that a device was given before.
#[derive(Clone, Copy, Default)]
pub(super) struct Before<'a> {
    pub(super) csp: Option<&'a str>,
    pub(super) system_configuration: Option<&'a str>,
    pub(super) fragrance: Option<&'a str>,
    pub(super) time_zone: Option<&'a str>,
}

#[derive(Clone, Copy)]
pub(super) enum Csp<'a> {
    Own(&'a str),
    Chosen { exists: bool },
}

impl<'a> Before<'a> {
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
    /// The name of the chosen CSP, or nothing.
    pub(super) fn csp(&self) -> &str {
        self.csp.as_deref().map(str::trim).unwrap_or_default()
    }

    /// The name of the chosen fragrance, or nothing.
    pub(super) fn fragrance(&self) -> &str {
        self.fragrance.as_deref().map(str::trim).unwrap_or_default()
    }

    /// # Errors
    /// 422, with every field that breaks a rule.
    pub(super) fn check(&self, facts: &Facts<'_>) -> ApiResult<DeviceFields> {
        let mut rules = Rules::default();
        let before = &facts.before;
        let csp = match facts.csp {
            Csp::Own(own) => own.to_owned(),
            Csp::Chosen { exists } => rules.one_of("csp", &self.csp, before.csp, |_| exists),
        };
        let known_configuration =
            |name: &str| SystemConfiguration::ALL.iter().any(|configuration| configuration.cart_name() == name);
        let system_configuration = rules.one_of(
            "systemConfiguration",
            &self.system_configuration,
            before.system_configuration,
            known_configuration,
        );
        let fragrance = rules.one_of("fragrance", &self.fragrance, before.fragrance, |_| facts.has_fragrance);
        let known_zone =
            |name: &str| TimeZoneDatabase::bundled().get(name).is_ok_and(|it| it.iana_name() == Some(name));
        let time_zone = rules.one_of("timeZone", &self.time_zone, before.time_zone, known_zone);
        let fields = DeviceFields {
            csp,
            serial_number: rules.required("serialNumber", &self.serial_number),
            system_configuration,
            fragrance,
            customer: rules.required("customer", &self.customer),
            time_zone,
            service_area: rules.required("serviceArea", &self.service_area),
            location: location(&mut rules, self.latitude, self.longitude),
            city: rules.required("city", &self.city),
            state: rules.optional("state", &self.state),
            country: rules.required("country", &self.country),
            customer_id: rules.optional("customerId", &self.customer_id),
            store_number: rules.optional("storeNumber", &self.store_number),
        };
        rules.kept(fields)
    }
}

/// Neither or both of them.
fn location(rules: &mut Rules, latitude: Option<f64>, longitude: Option<f64>) -> Option<(f64, f64)> {
    for (field, degrees, most) in [("latitude", latitude, 90.0), ("longitude", longitude, 180.0)] {
        if degrees.is_some_and(|degrees| !(-most..=most).contains(&degrees)) {
            rules.refuse(field, format!("Must be between -{most} and {most}"));
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
