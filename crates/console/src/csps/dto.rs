//! What the CSP calls take and give.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::usage::Usage;
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::request::sent;

/// A CSP to choose.
#[derive(Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
pub(crate) struct CspName {
    pub(super) id: String,
    pub(super) name: String,
}

/// The fields of a CSP. Of a CSP that is there, a field that is left out stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct CspForm {
    /// Trimmed; at most 255 characters. No two CSPs have one name, in whichever case.
    #[serde(deserialize_with = "sent")]
    pub(super) name: Option<Option<String>>,
}

/// A CSP, and how much belongs to it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CspView {
    id: String,
    pub(super) name: String,
    /// Null as long as nobody has counted.
    #[schema(required)]
    pub(super) device_count: Option<u64>,
    /// Null as long as nobody has counted.
    #[schema(required)]
    pub(super) user_count: Option<u64>,
    /// Whether neither a device nor a person belongs to it, as far as the lists know. Only such a CSP can be renamed or
    /// removed, and the device cloud is asked again before.
    is_free: bool,
    can: CspCan,
}

/// What the caller may do with a CSP that is free.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CspCan)]
pub(crate) struct CspCan {
    /// Rename and remove it.
    edit: bool,
}

/// A page of CSPs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CspList {
    pub(super) csps: Vec<CspView>,
    /// How many match, on all pages.
    pub(super) total: u64,
    /// The last page when a later one was asked for.
    pub(super) current_page_number: u64,
    /// When the counts were true.
    #[schema(value_type = String, format = DateTime)]
    pub(super) as_of: Timestamp,
}

/// Column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CspSort {
    Name,
}

impl CspSort {
    /// By its name in a query string.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        (name == "name").then_some(Self::Name)
    }
}

impl CspView {
    pub(super) fn new(csp: CspName, usage: Option<Usage>, actor: &Actor) -> Self {
        let can = CspCan { edit: policy::can(actor, Action::Edit, Target::Csps) == Decision::Allowed };
        Self {
            id: csp.id,
            name: csp.name,
            device_count: usage.map(|usage| usage.devices),
            user_count: usage.map(|usage| usage.users),
            is_free: usage.is_some_and(Usage::is_free),
            can,
        }
    }
}
