use serde::Serialize;
use serde_json::Value;

use super::time;
use crate::store::contacts::{Contact, ContactRow};

/// The only `status` that the cloud sends (others are `req`, `pending`, `accepted` and `denied`): it asks contacts for
/// no consent.
const NOT_REQUESTED: &str = "not_req";

#[derive(Serialize)]
pub(crate) struct ContactWrapper {
    contact: ContactBody,
}

/// A contact (docs/wire.md#users).
#[derive(Serialize)]
struct ContactBody {
    id: i64,
    display_name: Option<String>,
    firstname: Option<String>,
    lastname: Option<String>,
    email: Option<String>,
    phone_country_code: Option<String>,
    phone_number: Option<String>,
    street_address: Option<String>,
    zip_code: Option<String>,
    country: Option<String>,
    metadata: Option<Value>,
    notes: Option<String>,
    sms_accept: &'static str,
    email_accept: &'static str,
    sms_notification: bool,
    email_notification: bool,
    push_notification: bool,
    oem_models: Vec<String>,
    created_at: String,
    updated_at: String,
}

impl From<ContactRow> for ContactWrapper {
    fn from(ContactRow { id, contact, created_at, updated_at }: ContactRow) -> Self {
        let Contact { display_name, firstname, lastname, email, phone_country_code, phone_number, .. } = contact;
        let contact = ContactBody {
            id,
            display_name,
            firstname,
            lastname,
            email,
            phone_country_code,
            phone_number,
            street_address: contact.street_address,
            zip_code: contact.zip_code,
            country: contact.country,
            metadata: contact.metadata.and_then(|metadata| serde_json::from_str(&metadata).ok()),
            notes: contact.notes,
            sms_accept: NOT_REQUESTED,
            email_accept: NOT_REQUESTED,
            sms_notification: contact.sms_notification,
            email_notification: contact.email_notification,
            push_notification: contact.push_notification,
            oem_models: contact.oem_models.iter().flat_map(|models| models.split(',')).map(str::to_owned).collect(),
            created_at: time(created_at),
            updated_at: time(updated_at),
        };
        Self { contact }
    }
}
