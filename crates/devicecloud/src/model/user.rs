use std::fmt;

use serde::Serialize;

use crate::model::read::{Fields, FromWire};
use crate::model::{Time, UserId, UserUuid};

/// A label that a role gives to a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RoleTag {
    /// The name of the role.
    pub namespace: String,
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

impl FromWire for RoleTag {
    const WRAPPER: &'static str = "role_tag";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            namespace: fields.text_or_empty("namespace"),
            key: fields.text_or_empty("key"),
            value: fields.text_or_empty("value"),
        }
    }
}

/// A user's profile. `Debug` shows ids and role, but nothing personal.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct User {
    /// The id; blank when the cloud does not tell.
    pub id: UserId,
    /// The UUID.
    pub uuid: UserUuid,
    /// The e-mail address.
    pub email: String,
    /// First name.
    pub firstname: Option<String>,
    /// Last name.
    pub lastname: Option<String>,
    /// Company.
    pub company: Option<String>,
    /// Street and number.
    pub street: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or region.
    pub state: Option<String>,
    /// Postal code.
    pub zip: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// Country code of the telephone number.
    pub phone_country_code: Option<String>,
    /// Telephone number.
    pub phone: Option<String>,
    /// Number of the development kit.
    pub ayla_dev_kit_num: Option<String>,
    /// The role; `None` when the cloud does not tell.
    pub role: Option<String>,
    /// The labels that the role gives.
    pub role_tags: Vec<RoleTag>,
    /// When the address was confirmed.
    pub confirmed_at: Option<Time>,
    /// When the account was made.
    pub created_at: Option<Time>,
    /// When the account last changed.
    pub updated_at: Option<Time>,
}

impl FromWire for User {
    const WRAPPER: &'static str = "user";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            id: fields.id("id"),
            uuid: fields.id("uuid"),
            email: fields.text_or_empty("email"),
            firstname: fields.text("firstname"),
            lastname: fields.text("lastname"),
            company: fields.text("company"),
            street: fields.text("street"),
            city: fields.text("city"),
            state: fields.text("state"),
            zip: fields.text("zip"),
            country: fields.text("country"),
            phone_country_code: fields.text("phone_country_code"),
            phone: fields.text("phone"),
            ayla_dev_kit_num: fields.text("ayla_dev_kit_num"),
            role: fields.text("role"),
            role_tags: fields.many("role_tags"),
            confirmed_at: fields.time("confirmed_at"),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
        }
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User")
            .field("id", &self.id)
            .field("uuid", &self.uuid)
            .field("role", &self.role)
            .field("role_tags", &self.role_tags)
            .finish_non_exhaustive()
    }
}
