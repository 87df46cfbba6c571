//! Rows of the index and entries to write.

use devicecloud::Device;
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;

use super::columns::DeviceRow;
use crate::records::{DeviceRecord, ListedDevice, Outlook};

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
        Self { key: key_of(device), record: DeviceRecord::of(device) }
    }
}

/// The cloud's key of a device; 0 if it is not a number.
pub(super) fn key_of(device: &Device) -> i64 {
    device.key.as_str().parse().unwrap_or_default()
}

/// A device as lists read it.
#[derive(FromRow)]
pub(super) struct ListedRow {
    #[sqlx(flatten)]
    pub(super) device: DeviceRow,
    emptied_at: Option<i64>,
    runs_dry_at: Option<i64>,
    forecast_obstacle: Option<String>,
    has_history: bool,
    ml_per_week: Option<f64>,
    sku: Option<String>,
}

impl From<ListedRow> for ListedDevice {
    fn from(row: ListedRow) -> Self {
        let outlook = Outlook {
            emptied_at: row.emptied_at.map(from_micros),
            runs_dry_at: row.runs_dry_at.map(from_micros),
            obstacle: row.forecast_obstacle.and_then(|name| name.parse().ok()),
            has_history: row.has_history,
            ml_per_week: row.ml_per_week,
        };
        Self { record: row.device.into(), outlook, sku: row.sku }
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
