//! Parts of a device or a user that have separate calls: data, address, role labels, time zone.

use serde::{Deserialize, Serialize};

use super::read::{Fields, FromWire};
use super::{RoleLabelId, Time};
use crate::debug::debug_only;

/// A key/value pair stored on a device or a user.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Datum {
    /// The key, unique within its device or user.
    pub key: String,
    /// The value; empty when the cloud sent none.
    pub value: String,
    /// When it was created.
    pub created_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
}

debug_only!(Datum { key, created_at, updated_at });

impl Datum {
    /// The value as it was sent, in place of an unreadable response.
    pub(crate) fn as_sent(key: String, value: String) -> Self {
        Self { key, value, created_at: None, updated_at: None }
    }
}

impl FromWire for Datum {
    const WRAPPER: &'static str = "datum";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            key: fields.text_or_empty("key"),
            value: fields.text_or_empty("value"),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
        }
    }
}

/// A postal address.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Address {
    /// Street and number.
    pub street: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or region.
    pub state: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// Postal code.
    pub zip: Option<String>,
}

debug_only!(Address {});

impl FromWire for Address {
    const WRAPPER: &'static str = "addr";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            street: fields.text("street"),
            city: fields.text("city"),
            state: fields.text("state"),
            country: fields.text("country"),
            zip: fields.text("zip"),
        }
    }
}

/// The key and value of a role label, which select some of the users of a role.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

debug_only!(Label { key });

impl Label {
    /// A label with this key and value.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into() }
    }

    /// Whether neither key nor value is blank.
    pub(crate) fn is_complete(&self) -> bool {
        !self.key.trim().is_empty() && !self.value.trim().is_empty()
    }
}

/// A label that gives the users of a role access to a device.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RoleLabel {
    /// The id.
    pub id: RoleLabelId,
    /// The role.
    pub role_name: String,
    /// A description.
    pub description: Option<String>,
    /// The key and value that select users of the role.
    pub label: Option<Label>,
    /// All keys and values of the role on the device; filled only by [`RoleLabels::get`](crate::api::RoleLabels::get).
    pub tags: Vec<Label>,
}

debug_only!(RoleLabel { id, role_name, label, tags });

impl RoleLabel {
    /// The value as it was sent, in place of an unreadable response.
    pub(crate) fn as_sent(role_name: &str, description: Option<String>, label: Option<Label>) -> Self {
        Self { id: RoleLabelId::default(), role_name: role_name.to_owned(), description, label, tags: Vec::new() }
    }
}

impl FromWire for RoleLabel {
    const WRAPPER: &'static str = "role_label";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let nested = fields.value("label").and_then(|label| label.as_object()).map(Fields);
        let pair = nested.as_ref().unwrap_or(fields);
        let tags = fields.value("tags").and_then(|tags| tags.as_array()).into_iter();
        Self {
            id: fields.id("id"),
            role_name: fields.text_or_empty("role_name"),
            description: fields.text("description"),
            label: label(pair),
            tags: tags.flatten().filter_map(|tag| tag.as_object()).filter_map(|tag| label(&Fields(tag))).collect(),
        }
    }
}

/// Reads a label from the members `key` and `value`.
pub(super) fn label(fields: &Fields<'_>) -> Option<Label> {
    fields.text("key").map(|key| Label { key, value: fields.text_or_empty("value") })
}

/// The time zone of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TimeZone {
    /// The name, such as `America/Los_Angeles`; `None` = not set.
    pub tz_id: Option<String>,
    /// The standard offset, such as `-08:00`, without daylight saving time.
    pub utc_offset: Option<String>,
    /// Whether the zone observes daylight saving time.
    pub dst: bool,
    /// Whether daylight saving time is in effect now.
    pub dst_active: bool,
    /// The date of the next change to or from daylight saving time, `YYYY-MM-DD`.
    pub dst_next_change_date: Option<String>,
    /// The time of that change, `HH:MM`.
    pub dst_next_change_time: Option<String>,
    /// The cloud's key; `None` = not set.
    pub key: Option<i64>,
}

impl TimeZone {
    /// A zone with only its name known.
    pub(crate) fn named(tz_id: String) -> Self {
        Self {
            tz_id: Some(tz_id),
            utc_offset: None,
            dst: false,
            dst_active: false,
            dst_next_change_date: None,
            dst_next_change_time: None,
            key: None,
        }
    }
}

impl FromWire for TimeZone {
    const WRAPPER: &'static str = "time_zone";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let nested = fields.value("timezone").and_then(|zone| zone.as_object()).map(Fields);
        let fields = nested.as_ref().unwrap_or(fields);
        Self {
            tz_id: fields.text("tz_id"),
            utc_offset: fields.text("utc_offset"),
            dst: fields.flag("dst"),
            dst_active: fields.flag("dst_active"),
            dst_next_change_date: fields.text("dst_next_change_date"),
            dst_next_change_time: fields.text("dst_next_change_time"),
            key: fields.integer("key"),
        }
    }
}
