//! Requests and responses of the CSP operations.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx_macros::FromRow;
use utoipa::ToSchema;

use super::usage::Usage;
use crate::audit::concurrent_changes::SeenValues;
use crate::http::request::sent;
use crate::policy::{self, Action, Actor, Decision, Target};

/// A CSP that can be chosen.
#[derive(Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
pub(crate) struct CspName {
    pub(super) id: String,
    pub(super) name: String,
}

/// The fields of a CSP. When an existing CSP is edited, omitted fields keep their values.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct CspForm {
    /// Trimmed; at most 255 characters; unique regardless of case.
    #[serde(deserialize_with = "sent")]
    pub(super) name: Option<Option<String>>,
    /// When an existing CSP is renamed: the name that the person saw. If it has another name by now, nothing is saved and the
    /// response is 409.
    pub(super) seen: SeenValues,
}

/// A CSP with the counts of its devices and users.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CspView {
    id: String,
    pub(super) name: String,
    /// Null while the index is being filled.
    #[schema(required)]
    pub(super) device_count: Option<u64>,
    /// Null while the index is being filled.
    #[schema(required)]
    pub(super) user_count: Option<u64>,
    /// Whether no device and no person belongs to the CSP according to the index. Only a free CSP can be renamed or removed; the
    /// device cloud is checked again before that.
    is_free: bool,
    can: CspCan,
}

/// The caller's permissions for a free CSP.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CspCan)]
pub(crate) struct CspCan {
    /// May rename and remove the CSP.
    edit: bool,
}

/// A page of CSPs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CspList {
    pub(super) csps: Vec<CspView>,
    /// Number of matching CSPs on all pages.
    pub(super) total: u64,
    /// The number of this page: the last page if a later one was requested.
    pub(super) current_page_number: u64,
    /// The time of the counts.
    #[schema(value_type = String, format = DateTime)]
    pub(super) as_of: Timestamp,
}

/// The column to sort by.
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
