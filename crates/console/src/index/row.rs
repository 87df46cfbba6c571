//! A device as stored in the index tables: missing texts are empty, missing times are 0.

use devicecloud::Device;
use jiff::Timestamp;
use platform::clock::from_micros;
use sqlx::FromRow;

use crate::records::Position;
use crate::records::{ConnectionStatus, DeviceRecord, DeviceState};

/// A device record with the cloud's key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexEntry {
    /// The cloud's key; 0 if it is not a number. A device that is removed and registered again gets a new key.
    pub(crate) key: i64,
    pub(crate) record: DeviceRecord,
}

impl IndexEntry {
    /// Converts a device that was read with all that [`DeviceRecord::of`] needs.
    pub(crate) fn of(device: &Device) -> Self {
        Self { key: device.key.as_str().parse().unwrap_or_default(), record: DeviceRecord::of(device) }
    }
}

/// A row with the columns that decide whether it may be overwritten.
#[derive(FromRow)]
pub(super) struct KnownRow {
    pub(super) key: i64,
    pub(super) reading_until: i64,
    #[sqlx(flatten)]
    pub(super) device: DeviceRow,
}

/// The columns of both tables for one device.
#[derive(FromRow)]
pub(super) struct DeviceRow {
    pub(super) dsn: String,
    csp: String,
    serial_number: String,
    customer: String,
    customer_id: String,
    store_number: String,
    service_area: String,
    system_configuration: String,
    fragrance: String,
    network: String,
    city: String,
    state_province: String,
    country: String,
    time_zone: String,
    created_at: i64,
    x: Option<i64>,
    y: Option<i64>,
    z: Option<i64>,
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

impl From<DeviceRow> for DeviceRecord {
    fn from(row: DeviceRow) -> Self {
        let text = |text: String| (!text.is_empty()).then_some(text);
        Self {
            dsn: row.dsn,
            csp: text(row.csp),
            serial_number: text(row.serial_number),
            customer: text(row.customer),
            customer_id: text(row.customer_id),
            store_number: text(row.store_number),
            service_area: text(row.service_area),
            system_configuration: text(row.system_configuration),
            fragrance: text(row.fragrance),
            network: row.network,
            city: text(row.city),
            state_province: text(row.state_province),
            country: text(row.country),
            time_zone: text(row.time_zone),
            created_at: time(row.created_at),
            position: row.x.zip(row.y).zip(row.z).map(|((x, y), z)| Position { x, y, z }),
            state: DeviceState {
                connection_status: ConnectionStatus::from_name(&row.connection_status)
                    .unwrap_or(ConnectionStatus::Offline),
                connected_at: time(row.connected_at),
                connection_changed_at: time(row.connection_changed_at),
                mode: row.mode,
                cycle: row.cycle,
                intensity: row.intensity,
                fan: row.fan,
                fragrance_remaining: row.fragrance_remaining,
                pending: row.pending,
            },
        }
    }
}

fn time(micros: i64) -> Option<Timestamp> {
    (micros != 0).then(|| from_micros(micros))
}
