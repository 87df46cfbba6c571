//! How the values of a device are written to and read from the index tables.

use jiff::Timestamp;
use jiff::civil::Date;
use platform::run::clock::{from_micros, to_micros};
use sea_query::Iden;
use sqlx_macros::FromRow;

use super::schema::IdxDeviceState;
use crate::records::{ConnectionStatus, DeviceState};

/// How a field of [`DeviceRecord`] is stored: missing texts are empty, missing times are 0.
pub(super) trait Stored: Sized {
    type Column;

    fn to_column(&self) -> Self::Column;
    fn from_column(column: Self::Column) -> Self;
}

impl Stored for String {
    type Column = Self;

    fn to_column(&self) -> Self {
        self.clone()
    }

    fn from_column(text: Self) -> Self {
        text
    }
}

impl Stored for Option<String> {
    type Column = String;

    fn to_column(&self) -> String {
        self.clone().unwrap_or_default()
    }

    fn from_column(text: String) -> Self {
        (!text.is_empty()).then_some(text)
    }
}

impl Stored for Option<Timestamp> {
    type Column = i64;

    fn to_column(&self) -> i64 {
        self.map_or(0, to_micros)
    }

    fn from_column(micros: i64) -> Self {
        (micros != 0).then(|| from_micros(micros))
    }
}

impl Stored for Option<Date> {
    type Column = String;

    fn to_column(&self) -> String {
        self.map(|date| date.to_string()).unwrap_or_default()
    }

    fn from_column(date: String) -> Self {
        date.parse().ok()
    }
}

/// Generates the columns of `idx_devices`, the row type, and the conversion from and to `DeviceRecord`.
macro_rules! device_columns {
    (
        stored { $($column:ident: $field:ident, $type:ty;)* }
        derived { $($derived:ident: $value:expr;)* }
    ) => {
        /// The columns of `idx_devices`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Iden)]
        pub(super) enum IdxDevices {
            Table,
            Key,
            X,
            Y,
            Z,
            $($column,)*
            $($derived,)*
        }

        /// The columns that a write sets, in the order of [`to_columns`].
        pub(super) const WRITTEN: &[IdxDevices] = &[
            $(IdxDevices::$column,)*
            $(IdxDevices::$derived,)*
            IdxDevices::Key,
            IdxDevices::X,
            IdxDevices::Y,
            IdxDevices::Z,
        ];

        /// The columns that [`DeviceRow`] reads from `idx_devices`.
        pub(super) const READ: &[IdxDevices] = &[$(IdxDevices::$column,)* IdxDevices::X, IdxDevices::Y, IdxDevices::Z];

        /// Adds the values of all columns in [`WRITTEN`].
        pub(super) fn to_columns(values: Params, key: i64, record: &DeviceRecord) -> Params {
            let derived: &[fn(&DeviceRecord) -> String] = &[$($value,)*];
            let values = values$(.with(record.$field.to_column()))*;
            let values = derived.iter().fold(values, |values, derive| values.with(derive(record)));
            let position = record.position;
            values
                .with(key)
                .with(position.map(|position| position.x))
                .with(position.map(|position| position.y))
                .with(position.map(|position| position.z))
        }

        /// A device as read from both tables.
        #[derive(FromRow)]
        pub(super) struct DeviceRow {
            $(pub(super) $field: <$type as Stored>::Column,)*
            x: Option<i64>,
            y: Option<i64>,
            z: Option<i64>,
            #[sqlx(flatten)]
            pub(super) state: StateRow,
        }

        impl From<DeviceRow> for DeviceRecord {
            fn from(row: DeviceRow) -> Self {
                Self {
                    $($field: Stored::from_column(row.$field),)*
                    position: row.x.zip(row.y).zip(row.z).map(|((x, y), z)| Position { x, y, z }),
                    state: row.state.into(),
                }
            }
        }
    };
}

pub(super) use device_columns;

/// The columns that [`StateRow`] reads from `idx_device_state`.
pub(super) const STATE_READ: &[IdxDeviceState] = &[
    IdxDeviceState::ConnectionStatus,
    IdxDeviceState::ConnectedAt,
    IdxDeviceState::ConnectionChangedAt,
    IdxDeviceState::Mode,
    IdxDeviceState::Cycle,
    IdxDeviceState::Intensity,
    IdxDeviceState::Fan,
    IdxDeviceState::FragranceRemaining,
    IdxDeviceState::Pending,
    IdxDeviceState::SyncedAt,
];

/// The columns of `idx_device_state` that forecasts write.
pub(super) const OUTLOOK_READ: &[IdxDeviceState] = &[
    IdxDeviceState::EmptiedAt,
    IdxDeviceState::RunsDryAt,
    IdxDeviceState::ForecastObstacle,
    IdxDeviceState::MlPerWeek,
    IdxDeviceState::HasHistory,
];

/// The values of a device that change often.
#[derive(FromRow)]
pub(super) struct StateRow {
    connection_status: String,
    connected_at: i64,
    connection_changed_at: i64,
    mode: Option<i64>,
    cycle: Option<i64>,
    intensity: Option<i64>,
    fan: Option<i64>,
    fragrance_remaining: Option<i64>,
    pending: i64,
    pub(super) synced_at: i64,
}

impl From<StateRow> for DeviceState {
    fn from(row: StateRow) -> Self {
        Self {
            connection_status: ConnectionStatus::from_name(&row.connection_status).unwrap_or(ConnectionStatus::Offline),
            connected_at: Stored::from_column(row.connected_at),
            connection_changed_at: Stored::from_column(row.connection_changed_at),
            mode: row.mode,
            cycle: row.cycle,
            intensity: row.intensity,
            fan: row.fan,
            fragrance_remaining: row.fragrance_remaining,
            pending: row.pending,
        }
    }
}

/// Names of columns for a statement, each after `prefix`.
pub(super) fn names(prefix: &str, columns: &[impl Iden]) -> String {
    let names: Vec<String> = columns.iter().map(|column| format!("{prefix}{}", column.unquoted())).collect();
    names.join(", ")
}
