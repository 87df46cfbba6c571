use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::model::read::{Fields, FromWire};
use crate::model::wire_enum::wire_enum;
use crate::model::{GrantId, ShareId, Time, UserId};

wire_enum! {
    /// What a share lets its recipient do.
    ShareOperation {
        /// Read the device.
        Read = "read",
        /// Command the device, too.
        Write = "write",
    }
}

wire_enum! {
    /// What is shared.
    ShareResourceType {
        /// A device, by its serial number.
        Device = "device",
    }
}

/// Lets somebody use a device of somebody else's. `Debug` shows ids, but nothing personal.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Share {
    /// The id; blank when the cloud does not tell.
    pub id: ShareId,
    /// When it was made.
    pub created_at: Option<Time>,
    /// When it last changed.
    pub updated_at: Option<Time>,
    /// How far it is, in the cloud's own words.
    pub status: Option<String>,
    /// Who gave it.
    pub owner_id: UserId,
    /// Who received it.
    pub user_id: UserId,
    /// What it grants.
    pub grant_id: GrantId,
    /// The recipient's e-mail address.
    pub user_email: String,
    /// What the recipient may do; `None` when a [role](Self::role_name) says it.
    pub operation: Option<ShareOperation>,
    /// What is shared: a device's serial number.
    pub resource_id: String,
    /// The name of what is shared: `device`.
    pub resource_name: String,
    /// What kind of thing is shared; `None` when the cloud does not tell.
    pub resource_type: Option<ShareResourceType>,
    /// The role that says what the recipient may do.
    pub role_name: Option<String>,
    /// From when; `None` = at once.
    pub start_date_at: Option<Time>,
    /// Until when; `None` = for ever.
    pub end_date_at: Option<Time>,
    /// The person who gave it, if the cloud tells.
    pub owner_profile: Option<ShareUserProfile>,
    /// The person who received it, if the cloud tells.
    pub user_profile: Option<ShareUserProfile>,
}

impl FromWire for Share {
    const WRAPPER: &'static str = "share";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let nested = |name| fields.value(name).and_then(Value::as_object).map(Fields);
        let kind = fields.text("resource_type").or_else(|| fields.text("resource_name"));
        Self {
            id: fields.id("id"),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
            status: fields.text("status"),
            owner_id: fields.id("owner_id"),
            user_id: fields.id("user_id"),
            grant_id: fields.id("grant_id"),
            user_email: fields.text_or_empty("user_email"),
            operation: fields.text("operation").map(|text| text.as_str().into()),
            resource_id: fields.text_or_empty("resource_id"),
            resource_name: fields.text_or_empty("resource_name"),
            resource_type: kind.map(|kind| kind.as_str().into()),
            role_name: nested("role").and_then(|role| role.text("name")).or_else(|| fields.text("role_name")),
            start_date_at: fields.time("start_date_at"),
            end_date_at: fields.time("end_date_at"),
            owner_profile: nested("owner_profile").map(|profile| ShareUserProfile::from_wire(&profile)),
            user_profile: nested("user_profile").map(|profile| ShareUserProfile::from_wire(&profile)),
        }
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share")
            .field("id", &self.id)
            .field("status", &self.status)
            .field("owner_id", &self.owner_id)
            .field("user_id", &self.user_id)
            .field("operation", &self.operation)
            .field("resource_id", &self.resource_id)
            .finish_non_exhaustive()
    }
}

/// A person on one side of a share. `Debug` shows nothing personal.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ShareUserProfile {
    /// First name.
    pub first_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// The e-mail address.
    pub email: Option<String>,
}

impl FromWire for ShareUserProfile {
    const WRAPPER: &'static str = "user_profile";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            first_name: fields.text("firstname").or_else(|| fields.text("first_name")),
            last_name: fields.text("lastname").or_else(|| fields.text("last_name")),
            email: fields.text("email"),
        }
    }
}

impl fmt::Debug for ShareUserProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShareUserProfile").finish_non_exhaustive()
    }
}
