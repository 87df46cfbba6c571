//! The direction of a sorted list.

use serde::Serialize;
use utoipa::ToSchema;

/// The direction of a sorted list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SortOrder {
    Asc,
    Desc,
}

impl SortOrder {
    /// Parses the name in a query string.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "asc" => Some(Self::Asc),
            "desc" => Some(Self::Desc),
            _ => None,
        }
    }
}
