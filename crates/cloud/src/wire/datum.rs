use serde::Serialize;

use super::time;
use crate::store::data::DatumRow;

#[derive(Serialize)]
pub(crate) struct DatumWrapper {
    datum: Datum,
}

/// A key/value pair of a user or a device (docs/wire.md#device-data).
#[derive(Serialize)]
struct Datum {
    key: String,
    value: String,
    created_at: String,
    updated_at: String,
    #[serde(flatten)]
    of_device: Option<OfDevice>,
}

#[derive(Serialize)]
struct OfDevice {
    dsn: String,
    from_template: bool,
}

impl DatumWrapper {
    pub(crate) fn of_device(row: DatumRow, dsn: &str) -> Self {
        // Templates define properties but no data.
        Self::new(row, Some(OfDevice { dsn: dsn.to_owned(), from_template: false }))
    }

    pub(crate) fn of_user(row: DatumRow) -> Self {
        Self::new(row, None)
    }

    fn new(row: DatumRow, of_device: Option<OfDevice>) -> Self {
        let (created_at, updated_at) = (time(row.created_at), time(row.updated_at));
        Self { datum: Datum { key: row.key, value: row.value, created_at, updated_at, of_device } }
    }
}
