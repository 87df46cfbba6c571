use serde::Serialize;
use serde_json::Value;

use super::read::{Fields, FromWire, text};
use super::{ContactId, Time};
use crate::debug::debug_only;

/// A contact of a user: a person who can be notified. `Debug` output contains the id but no personal data.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Contact {
    /// The id; blank if the cloud does not send it.
    pub id: ContactId,
    /// The display name.
    pub display_name: Option<String>,
    /// First name.
    pub firstname: Option<String>,
    /// Last name.
    pub lastname: Option<String>,
    /// The e-mail address.
    pub email: Option<String>,
    /// Country code of the phone number, in digits.
    pub phone_country_code: Option<String>,
    /// Phone number, in digits.
    pub phone_number: Option<String>,
    /// Street and number.
    pub street_address: Option<String>,
    /// Postal code.
    pub zip_code: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// Whether the contact is notified by e-mail.
    pub email_notification: bool,
    /// Whether the contact is notified by text message.
    pub sms_notification: bool,
    /// Any JSON that the application stores with the contact.
    pub metadata: Option<Value>,
    /// A description.
    pub notes: Option<String>,
    /// When the contact was created.
    pub created_at: Option<Time>,
    /// When the contact was last changed.
    pub updated_at: Option<Time>,
    /// The device models that the contact is notified about.
    pub oem_models: Vec<String>,
}

debug_only!(Contact { id });

impl FromWire for Contact {
    const WRAPPER: &'static str = "contact";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let models = fields.value("oem_models").and_then(Value::as_array);
        Self {
            id: fields.id("id"),
            display_name: fields.text("display_name"),
            firstname: fields.text("firstname"),
            lastname: fields.text("lastname"),
            email: fields.text("email"),
            phone_country_code: fields.text("phone_country_code"),
            phone_number: fields.text("phone_number"),
            street_address: fields.text("street_address"),
            zip_code: fields.text("zip_code"),
            country: fields.text("country"),
            email_notification: fields.flag("email_notification"),
            sms_notification: fields.flag("sms_notification"),
            metadata: fields.value("metadata").cloned(),
            notes: fields.text("notes"),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
            oem_models: models.into_iter().flatten().filter_map(text).collect(),
        }
    }
}
