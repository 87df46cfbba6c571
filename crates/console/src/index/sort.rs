//! The values by which statements order the device list.

use sea_query::{ColumnRef, Expr, ExprTrait, IntoColumnRef};

use super::columns::{DeviceSort, IdxDevices, SortColumn};
use super::schema::IdxDeviceState;
use super::scope::Table;
use crate::http::sort_order::SortOrder;
use crate::records::Position;

/// The column that a list is ordered by. Ties are broken by dsn; without a fixed order of ties, pages would repeat and
/// skip devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortKey {
    Devices(IdxDevices),
    State(IdxDeviceState),
    /// Squared straight-line distance, which gives the same order as the distance.
    Distance(Position),
}

impl SortKey {
    /// The key of a sort order. Distances are measured from `centre`.
    pub(super) fn new(sort: DeviceSort, order: SortOrder, centre: Option<Position>) -> Self {
        match sort.column(order) {
            SortColumn::Devices(column) => Self::Devices(column),
            SortColumn::State(column) => Self::State(column),
            SortColumn::Distance => centre.map_or(Self::Devices(IdxDevices::DsnFolded), Self::Distance),
        }
    }

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
