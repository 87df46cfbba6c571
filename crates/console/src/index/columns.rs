//! The stored values of a device: one line each. The table's columns, the statements that write and read them, and the
//! conversion from and to [`DeviceRecord`] follow from this list. A new line needs a migration that adds the column.

use jiff::Timestamp;
use platform::clock::{from_micros, to_micros};
use platform::db::Params;
use sea_query::Iden;
use sqlx::FromRow;

use super::filter::WORD_SEPARATOR;
use super::row::IndexEntry;
use super::schema::IdxDeviceState;
use crate::fold::fold;
use crate::records::{ConnectionStatus, DeviceRecord, DeviceState, LAN, Position};

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

macro_rules! device_columns {
    (
        stored { $($column:ident: $field:ident, $type:ty;)* }
        derived { $($derived:ident: $value:expr;)* }
    ) => {
        /// The columns of `idx_devices`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Iden)]
        pub(super) enum IdxDevices {
            Table,
            Id,
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
        pub(super) fn to_columns(values: Params, entry: &IndexEntry) -> Params {
            let record = &entry.record;
            let derived: &[fn(&DeviceRecord) -> String] = &[$($value,)*];
            let values = values$(.with(record.$field.to_column()))*;
            let values = derived.iter().fold(values, |values, derive| values.with(derive(record)));
            let position = record.position;
            values
                .with(entry.key)
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

device_columns! {
    // Column: field of the record, its type.
    stored {
        Dsn: dsn, String;
        Csp: csp, Option<String>;
        SerialNumber: serial_number, Option<String>;
        Customer: customer, Option<String>;
        CustomerId: customer_id, Option<String>;
        StoreNumber: store_number, Option<String>;
        ServiceArea: service_area, Option<String>;
        SystemConfiguration: system_configuration, Option<String>;
        Fragrance: fragrance, Option<String>;
        Network: network, String;
        City: city, Option<String>;
        StateProvince: state_province, Option<String>;
        Country: country, Option<String>;
        TimeZone: time_zone, Option<String>;
        CreatedAt: created_at, Option<Timestamp>;
    }
    // Only for filters and sorting.
    derived {
        DsnFolded: |device| fold(&device.dsn);
        SerialNumberFolded: |device| folded(&device.serial_number);
        CustomerFolded: |device| folded(&device.customer);
        ServiceAreaFolded: |device| folded(&device.service_area);
        SsidFolded: |device| if device.network == LAN { String::new() } else { fold(&device.network) };
        CityFolded: |device| folded(&device.city);
        StateProvinceFolded: |device| folded(&device.state_province);
        CountryFolded: |device| folded(&device.country);
        SearchFolded: search_words;
    }
}

fn folded(text: &Option<String>) -> String {
    fold(text.as_deref().unwrap_or_default())
}

/// The words of the search column, each preceded by two blanks.
fn search_words(device: &DeviceRecord) -> String {
    let texts = [
        Some(&device.dsn),
        device.serial_number.as_ref(),
        device.customer.as_ref(),
        device.service_area.as_ref(),
        device.city.as_ref(),
        device.store_number.as_ref(),
    ];
    let words = texts.into_iter().flatten().flat_map(|text| text.split_whitespace());
    words.map(|word| format!("{WORD_SEPARATOR}{}", fold(word))).collect()
}

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
