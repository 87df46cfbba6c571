//! A row of the index of people. Missing texts are empty, a missing time is 0.

use diffuser::Role;
use platform::db::Params;
use platform::run::clock::{from_micros, to_micros};
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::record::UserRecord;
use crate::index::CloudRead;
use crate::texts::folding::fold;

/// The columns that are read.
#[derive(FromRow)]
pub(super) struct UserRow {
    id: String,
    email: String,
    firstname: String,
    lastname: String,
    company: String,
    business_role: String,
    phone: String,
    city: String,
    state: String,
    country: String,
    confirmed: bool,
    role: String,
    csp: String,
    created_at: i64,
}

impl UserRow {
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl From<UserRow> for UserRecord {
    fn from(row: UserRow) -> Self {
        Self {
            id: Uuid::parse_str(&row.id).unwrap_or_default(),
            email: row.email,
            firstname: row.firstname,
            lastname: row.lastname,
            company: row.company,
            business_role: row.business_role,
            phone: row.phone,
            city: row.city,
            state: row.state,
            country: row.country,
            confirmed: row.confirmed,
            role: Role::from_name(&row.role),
            csp: Some(row.csp).filter(|csp| !csp.is_empty()),
            created_at: Some(row.created_at).filter(|micros| *micros != 0).map(from_micros),
        }
    }
}

/// Every column, in the order of [`values`]; the first is the key.
pub(super) const COLUMNS: [&str; 21] = [
    "id",
    "email",
    "firstname",
    "lastname",
    "company",
    "business_role",
    "phone",
    "city",
    "state",
    "country",
    "confirmed",
    "role",
    "csp",
    "created_at",
    "email_folded",
    "firstname_folded",
    "lastname_folded",
    "company_folded",
    "business_role_folded",
    "phone_folded",
    "synced_at",
];

/// The values of a person as of `read`.
pub(super) fn values(params: Params, record: &UserRecord, read: CloudRead) -> Params {
    params
        .with(record.id)
        .with(&record.email)
        .with(&record.firstname)
        .with(&record.lastname)
        .with(&record.company)
        .with(&record.business_role)
        .with(&record.phone)
        .with(&record.city)
        .with(&record.state)
        .with(&record.country)
        .with(record.confirmed)
        .with(record.role.map_or("", Role::name))
        .with(record.csp.as_deref().unwrap_or_default())
        .with(record.created_at.map_or(0, to_micros))
        .with(fold(&record.email))
        .with(fold(&record.firstname))
        .with(fold(&record.lastname))
        .with(fold(&record.company))
        .with(fold(&record.business_role))
        .with(fold(&record.phone))
        .with(read.ended())
}
