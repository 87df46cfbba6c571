//! What a list can be sorted by.

use serde::Serialize;
use utoipa::ToSchema;

/// Direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SortOrder {
    Asc,
    Desc,
}

/// Column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DeviceSort {
    #[serde(rename = "created_at")]
    CreatedAt,
    SerialNumber,
    Dsn,
    Csp,
    Customer,
    ServiceArea,
    /// System configuration.
    Model,
    Network,
    ConnectionStatus,
    ConnectedAt,
    City,
    #[serde(rename = "stateprovince")]
    State,
    Country,
}

impl SortOrder {
    /// By its name in a query string.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "asc" => Some(Self::Asc),
            "desc" => Some(Self::Desc),
            _ => None,
        }
    }
}

impl DeviceSort {
    /// By its name in a query string.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "created_at" => Self::CreatedAt,
            "serialnumber" => Self::SerialNumber,
            "dsn" => Self::Dsn,
            "csp" => Self::Csp,
            "customer" => Self::Customer,
            "servicearea" => Self::ServiceArea,
            "model" => Self::Model,
            "network" => Self::Network,
            "connectionstatus" => Self::ConnectionStatus,
            "connectedat" => Self::ConnectedAt,
            "city" => Self::City,
            "stateprovince" => Self::State,
            "country" => Self::Country,
            _ => return None,
        })
    }
}
