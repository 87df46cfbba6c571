//! Datapoints: append-only; the ack of a datapoint stands on its command.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::properties::json;

/// A datapoint with its command's ack.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct DatapointRow {
    pub(crate) uuid: String,
    value: String,
    pub(crate) echo: bool,
    pub(crate) user_uuid: Option<String>,
    metadata: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) created_at_from_device: Option<i64>,
    pub(crate) ack_status: Option<i64>,
    ack_message: Option<String>,
    pub(crate) acked_at: Option<i64>,
}

impl DatapointRow {
    pub(crate) fn value(&self) -> Value {
        json(Some(&self.value))
    }

    pub(crate) fn metadata(&self) -> Value {
        self.metadata.as_deref().map_or_else(|| Map::new().into(), |text| json(Some(text)))
    }

    pub(crate) fn ack_message(&self) -> Option<Value> {
        self.ack_message.as_deref().map(|text| json(Some(text)))
    }
}

/// A datapoint to be written.
pub(crate) struct NewDatapoint<'a> {
    pub(crate) uuid: Uuid,
    pub(crate) property_id: i64,
    pub(crate) value: &'a Value,
    /// Whether the device itself says so.
    pub(crate) echo: bool,
    pub(crate) user_uuid: Option<&'a str>,
    pub(crate) metadata: Option<&'a Map<String, Value>>,
    pub(crate) created_at: Timestamp,
    pub(crate) created_at_from_device: Option<Timestamp>,
}

/// Appends a datapoint.
pub(crate) async fn insert(tx: &mut Tx, datapoint: &NewDatapoint<'_>) -> Result<DatapointRow> {
    let value = datapoint.value.to_string();
    let metadata = datapoint.metadata.map(|metadata| Value::Object(metadata.clone()).to_string());
    tx.execute(
        "insert into datapoint
             (uuid, property_id, value, echo, user_uuid, metadata, created_at, created_at_from_device)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        params![
            datapoint.uuid,
            datapoint.property_id,
            &value,
            datapoint.echo,
            datapoint.user_uuid,
            metadata.as_ref(),
            datapoint.created_at,
            datapoint.created_at_from_device,
        ],
    )
    .await?;
    Ok(DatapointRow {
        uuid: datapoint.uuid.to_string(),
        value,
        echo: datapoint.echo,
        user_uuid: datapoint.user_uuid.map(Into::into),
        metadata,
        created_at: platform::clock::to_micros(datapoint.created_at),
        created_at_from_device: datapoint.created_at_from_device.map(platform::clock::to_micros),
        ack_status: None,
        ack_message: None,
        acked_at: None,
    })
}

/// The property's datapoint with this id.
pub(crate) async fn find(db: &Db, property_id: i64, uuid: &str) -> Result<Option<DatapointRow>> {
    db.fetch_optional(
        "select d.uuid, d.value, d.echo, d.user_uuid, d.metadata, d.created_at, d.created_at_from_device,
                c.ack_status, c.ack_message, c.acked_at
         from datapoint d left join command c on c.id = d.uuid
         where d.property_id = $1 and d.uuid = $2",
        params![property_id, uuid],
    )
    .await
}

/// The datapoint of a command.
pub(crate) async fn of_command(tx: &mut Tx, command: &str) -> Result<DatapointRow> {
    tx.fetch_one(
        "select d.uuid, d.value, d.echo, d.user_uuid, d.metadata, d.created_at, d.created_at_from_device,
                c.ack_status, c.ack_message, c.acked_at
         from datapoint d join command c on c.id = d.uuid
         where d.uuid = $1",
        params![command],
    )
    .await
}

/// The newest `limit` datapoints of a property between two instants (both included), the oldest of them first.
pub(crate) async fn newest(
    db: &Db,
    property_id: i64,
    since: Timestamp,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<DatapointRow>> {
    let mut rows: Vec<DatapointRow> = db
        .fetch_all(
            "select d.uuid, d.value, d.echo, d.user_uuid, d.metadata, d.created_at, d.created_at_from_device,
                    c.ack_status, c.ack_message, c.acked_at
             from datapoint d left join command c on c.id = d.uuid
             where d.property_id = $1 and d.created_at >= $2 and d.created_at <= $3
             order by d.created_at desc, d.id desc limit $4",
            params![property_id, since, until, limit],
        )
        .await?;
    rows.reverse();
    Ok(rows)
}
