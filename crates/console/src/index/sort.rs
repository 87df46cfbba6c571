//! Sort columns and directions of the device list.

use sea_query::{ColumnRef, Expr, ExprTrait, IntoColumnRef};
use serde::Serialize;
use utoipa::ToSchema;

use super::columns::IdxDevices;
use super::schema::IdxDeviceState;
use super::scope::Table;
use crate::records::Position;
use crate::sort_order::SortOrder;

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
    /// Unknown levels come last in both directions.
    FragranceRemaining,
    /// From the place that `near` names.
    Distance,
}

impl DeviceSort {
    /// Parses the name in a query string.
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
            "fragranceremaining" => Self::FragranceRemaining,
            "distance" => Self::Distance,
            _ => return None,
        })
    }
}

/// The column that a list is ordered by. Ties are broken by dsn; without a fixed order of ties, pages would repeat and
/// skip devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortKey {
    Devices(IdxDevices),
    State(IdxDeviceState),
    /// Squared straight-line distance, which gives the same order as the distance.
    Distance(Position),
}

impl DeviceSort {
    /// The sort key. Texts are sorted case-insensitively, as they are filtered; devices on the LAN sort before all
    /// SSIDs. Distances are measured from `centre`.
    pub(super) fn key(self, order: SortOrder, centre: Option<Position>) -> SortKey {
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
            Self::FragranceRemaining => SortKey::State(match order {
                SortOrder::Asc => IdxDeviceState::RemainingRising,
                SortOrder::Desc => IdxDeviceState::RemainingFalling,
            }),
            Self::Distance => centre.map_or(SortKey::Devices(IdxDevices::DsnFolded), SortKey::Distance),
        }
    }
}

impl SortKey {
    /// Whether the sort values are numbers, including times.
    pub(super) fn is_number(self) -> bool {
        match self {
            Self::Devices(column) => column == IdxDevices::CreatedAt,
            Self::State(column) => column != IdxDeviceState::ConnectionStatus,
            Self::Distance(_) => true,
        }
    }

    pub(super) fn table(self) -> Table {
        match self {
            Self::Devices(_) | Self::Distance(_) => Table::Devices,
            Self::State(_) => Table::State,
        }
    }

    pub(super) fn value(self) -> Expr {
        match self {
            Self::Devices(column) => Expr::col((IdxDevices::Table, column)),
            Self::State(column) => Expr::col((IdxDeviceState::Table, column)),
            Self::Distance(centre) => squared_distance(centre),
        }
    }

    pub(super) fn dsn(self) -> ColumnRef {
        match self {
            Self::Devices(_) | Self::Distance(_) => (IdxDevices::Table, IdxDevices::Dsn).into_column_ref(),
            Self::State(_) => (IdxDeviceState::Table, IdxDeviceState::Dsn).into_column_ref(),
        }
    }
}

/// Squared distance of a device's position from a point, in square metres.
pub(super) fn squared_distance(centre: Position) -> Expr {
    let square = |column, centre: i64| {
        let along = || Expr::col((IdxDevices::Table, column)).sub(centre);
        along().mul(along())
    };
    square(IdxDevices::X, centre.x).add(square(IdxDevices::Y, centre.y)).add(square(IdxDevices::Z, centre.z))
}
