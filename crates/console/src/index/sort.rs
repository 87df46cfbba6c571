//! What a list can be sorted by.

use sea_query::{ColumnRef, IntoColumnRef};
use serde::Serialize;
use utoipa::ToSchema;

use super::schema::{IdxDeviceState, IdxDevices};
use super::scope::Table;

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

/// The column that a list is ordered by, and the serial number beside it: equal values keep one order, or pages would repeat
/// and lose devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortKey {
    Devices(IdxDevices),
    State(IdxDeviceState),
}

impl DeviceSort {
    /// Texts are ordered as they are filtered, in any case; a device on the LAN comes before every SSID.
    pub(super) fn key(self) -> SortKey {
        match self {
            Self::CreatedAt => SortKey::Devices(IdxDevices::CreatedAt),
            Self::SerialNumber => SortKey::Devices(IdxDevices::SerialNumberFolded),
            Self::Dsn => SortKey::Devices(IdxDevices::DsnFolded),
            Self::Csp => SortKey::Devices(IdxDevices::Csp),
            Self::Customer => SortKey::Devices(IdxDevices::CustomerFolded),
            Self::ServiceArea => SortKey::Devices(IdxDevices::ServiceAreaFolded),
            Self::Model => SortKey::Devices(IdxDevices::SystemConfiguration),
            Self::Network => SortKey::Devices(IdxDevices::SsidFolded),
            Self::ConnectionStatus => SortKey::State(IdxDeviceState::ConnectionStatus),
            Self::ConnectedAt => SortKey::State(IdxDeviceState::ConnectedAt),
            Self::City => SortKey::Devices(IdxDevices::CityFolded),
            Self::State => SortKey::Devices(IdxDevices::StateProvinceFolded),
            Self::Country => SortKey::Devices(IdxDevices::CountryFolded),
        }
    }
}

impl SortKey {
    /// Whether its values are times, which the tables keep as numbers.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Devices(IdxDevices::CreatedAt) | Self::State(IdxDeviceState::ConnectedAt))
    }

    pub(super) fn table(self) -> Table {
        match self {
            Self::Devices(_) => Table::Devices,
            Self::State(_) => Table::State,
        }
    }

    pub(super) fn column(self) -> ColumnRef {
        match self {
            Self::Devices(column) => (IdxDevices::Table, column).into_column_ref(),
            Self::State(column) => (IdxDeviceState::Table, column).into_column_ref(),
        }
    }

    pub(super) fn dsn(self) -> ColumnRef {
        match self {
            Self::Devices(_) => (IdxDevices::Table, IdxDevices::Dsn).into_column_ref(),
            Self::State(_) => (IdxDeviceState::Table, IdxDeviceState::Dsn).into_column_ref(),
        }
    }
}
