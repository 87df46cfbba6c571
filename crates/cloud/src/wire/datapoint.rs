use serde::Serialize;
use serde_json::Value;

use super::time;
use crate::store::datapoints::DatapointRow;

#[derive(Serialize)]
pub(crate) struct DatapointWrapper<T = Datapoint> {
    pub(crate) datapoint: T,
}

/// A datapoint (docs/wire.md#datapoints).
#[derive(Clone, Serialize)]
pub(crate) struct Datapoint {
    id: String,
    pub(super) value: Value,
    created_at: String,
    updated_at: String,
    created_at_from_device: Option<String>,
    echo: bool,
    metadata: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    acked_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ack_status: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ack_message: Option<Value>,
    /// Our own member.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    expired: bool,
}

impl Datapoint {
    /// `ack_enabled` is the setting of the property. Without it the ack is omitted, although the link always requests
    /// one.
    pub(crate) fn new(row: &DatapointRow, ack_enabled: bool) -> Self {
        let acked_at = row.acked_at.filter(|_| ack_enabled);
        Self {
            id: row.id.clone(),
            value: row.value(),
            created_at: time(row.created_at),
            updated_at: time(acked_at.unwrap_or(row.created_at)),
            created_at_from_device: row.created_at_from_device.map(time),
            echo: row.echo,
            metadata: row.metadata(),
            acked_at: acked_at.map(time),
            ack_status: row.ack_status.filter(|_| ack_enabled),
            ack_message: row.ack_message().filter(|_| ack_enabled),
            expired: ack_enabled && row.is_expired(),
        }
    }
}
