use serde::Serialize;
use serde_json::Value;

use super::read::{Fields, FromWire};
use super::wire_enum::wire_enum;
use super::{GrantId, ShareId, Time, UserId};
use crate::debug::debug_only;

wire_enum! {
    /// What the recipient of a share may do.
    ShareOperation {
        /// Read the device.
        Read = "read",
        /// Read and command the device.
        Write = "write",
    }
}

wire_enum! {
    /// The type of a shared resource.
    ShareResourceType {
        /// A device, by its serial number.
        Device = "device",
    }
}

/// Gives a user access to a device of another user. `Debug` output contains ids but no personal data.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Share {
    /// The id; blank if the cloud does not send it.
    pub id: ShareId,
    /// When it was created.
    pub created_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// The status, as the cloud sends it.
    pub status: Option<String>,
    /// The user who shares the device.
    pub owner_id: UserId,
    /// The recipient.
    pub user_id: UserId,
    /// The id of the grant.
    pub grant_id: GrantId,
    /// The recipient's e-mail address.
    pub user_email: String,
    /// What the recipient may do; `None` if a [role](Self::role_name) determines it.
    pub operation: Option<ShareOperation>,
    /// The id of the shared resource: a device's serial number.
    pub resource_id: String,
    /// The name of the resource type: `device`.
    pub resource_name: String,
    /// The type of the shared resource; `None` if the cloud does not send it.
    pub resource_type: Option<ShareResourceType>,
    /// The role that determines what the recipient may do.
    pub role_name: Option<String>,
    /// When the share starts; `None` means immediately.
    pub start_date_at: Option<Time>,
    /// When the share ends; `None` means never.
    pub end_date_at: Option<Time>,
    /// The owner's profile, if the cloud sends it.
    pub owner_profile: Option<ShareUserProfile>,
    /// The recipient's profile, if the cloud sends it.
    pub user_profile: Option<ShareUserProfile>,
}

debug_only!(Share { id, status, owner_id, user_id, operation, resource_id });

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

/// The owner or the recipient of a share. `Debug` output contains no personal data.
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

debug_only!(ShareUserProfile {});

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
