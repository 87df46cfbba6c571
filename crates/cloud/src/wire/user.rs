use serde::Serialize;

use super::time;
use crate::domain::policy::custody::Custody;
use crate::domain::principal::{Principal, RoleTag};
use crate::store::sessions::Tokens;
use crate::store::users::ProfileRow;

/// The response to sign-in and refresh: flat.
#[derive(Serialize)]
pub(crate) struct Authorization {
    access_token: String,
    refresh_token: String,
    expires_in: i64,
    role: String,
    role_tags: Vec<RoleTag>,
}

impl Authorization {
    pub(crate) fn new(tokens: Tokens, expires_in: i64, principal: Principal) -> Self {
        Self {
            access_token: tokens.access,
            refresh_token: tokens.refresh,
            expires_in,
            role: principal.role,
            role_tags: principal.role_tags,
        }
    }
}

/// The response to token sign-in, which repeats the status.
#[derive(Serialize)]
pub(crate) struct TokenAuthorization {
    #[serde(flatten)]
    authorization: Authorization,
    code: &'static str,
}

impl TokenAuthorization {
    pub(crate) fn new(authorization: Authorization) -> Self {
        Self { authorization, code: "ok" }
    }
}

/// The response to sign-out.
#[derive(Serialize)]
pub(crate) struct SignedOut {
    pub(crate) logout: bool,
}

/// A profile: flat, and repeated under `user` (docs/wire.md#users).
#[derive(Serialize)]
pub(crate) struct ProfileAnswer {
    #[serde(flatten)]
    flat: Profile,
    user: Profile,
}

#[derive(Clone, Serialize)]
struct Profile {
    id: i64,
    uuid: String,
    email: String,
    firstname: Option<String>,
    lastname: Option<String>,
    company: Option<String>,
    street: Option<String>,
    city: Option<String>,
    state: Option<String>,
    zip: Option<String>,
    country: Option<String>,
    phone_country_code: Option<String>,
    phone: Option<String>,
    ayla_dev_kit_num: Option<String>,
    approved: bool,
    confirmed: bool,
    confirmed_at: Option<String>,
    created_at: String,
    updated_at: String,
    role: String,
    role_tags: Vec<RoleTag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custody: Option<Custody>,
}

impl ProfileAnswer {
    pub(crate) fn new(row: ProfileRow, principal: Principal) -> Self {
        let flat = Profile {
            id: row.id,
            uuid: row.uuid,
            email: row.email,
            firstname: row.firstname,
            lastname: row.lastname,
            company: row.company,
            street: row.street,
            city: row.city,
            state: row.state,
            zip: row.zip,
            country: row.country,
            phone_country_code: row.phone_country_code,
            phone: row.phone,
            ayla_dev_kit_num: row.ayla_dev_kit_num,
            // There is no approval besides the confirmation.
            approved: row.confirmed_at.is_some(),
            confirmed: row.confirmed_at.is_some(),
            confirmed_at: row.confirmed_at.map(time),
            created_at: time(row.created_at),
            updated_at: time(row.updated_at),
            role: principal.role,
            role_tags: principal.role_tags,
            custody: None,
        };
        Self { user: flat.clone(), flat }
    }

    /// Adds the partner in whose custody a user without a role is. It is no role tag, because custody gives the user no
    /// rights.
    pub(crate) fn in_custody(mut self, custody: Option<Custody>) -> Self {
        self.flat.custody.clone_from(&custody);
        self.user.custody = custody;
        self
    }
}
