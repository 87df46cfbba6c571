//! Commands: values that users wrote and devices must acknowledge.
//!
//! A command is pending until the device acknowledges it (acknowledged or failed) or it expires. A late ack, after the
//! expiry or after a newer command, still counts.

use jiff::Timestamp;
use platform::db::rows::insert_rows;
use platform::db::{Db, Result, Tx, params};
use serde_json::Value;
use sqlx::AssertSqlSafe;

/// How many commands one transaction expires.
const EXPIRE_AT_ONCE: i64 = 500;

/// A pending command.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct PendingRow {
    pub(crate) id: String,
    pub(crate) property: String,
    pub(crate) value: String,
    pub(crate) created_at: i64,
}

/// A command that was just acknowledged.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct AckedRow {
    pub(crate) property_id: i64,
    pub(crate) value: String,
}

/// A command to insert.
pub(crate) struct NewCommand<'a> {
    /// The id of its datapoint.
    pub(crate) id: &'a str,
    pub(crate) device_id: i64,
    pub(crate) property_id: i64,
    /// A JSON scalar.
    pub(crate) value: &'a str,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Timestamp,
}

pub(crate) async fn insert(tx: &mut Tx, commands: &[NewCommand<'_>]) -> Result<()> {
    let insert = "insert into command (id, device_id, property_id, value, state, created_at, expires_at)";
    insert_rows(tx, insert, 7, commands, |values, command| {
        values
            .with(command.id)
            .with(command.device_id)
            .with(command.property_id)
            .with(command.value)
            .with("pending")
            .with(command.created_at)
            .with(command.expires_at)
    })
    .await
}

/// The commands to send: the newest pending command of each property that has not expired, oldest first.
pub(crate) async fn pending(db: &Db, device_id: i64, now: Timestamp) -> Result<Vec<PendingRow>> {
    db.fetch_all(
        "select c.id, t.name as property, c.value, c.created_at
         from command c
         join property p on p.id = c.property_id and p.command_id = c.id
         join template_property t on t.id = p.template_property_id
         where c.device_id = $1 and c.state = 'pending' and c.expires_at > $2
         order by c.created_at, c.id",
        params![device_id, now],
    )
    .await
}

/// A pending command and its device.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct RecentRow {
    pub(crate) id: String,
    pub(crate) dsn: String,
}

/// The pending commands of the devices that are connected to a node that were issued after `since`.
pub(crate) async fn recent(db: &Db, node: &str, since: Timestamp, now: Timestamp) -> Result<Vec<RecentRow>> {
    db.fetch_all(
        "select c.id, d.dsn
         from command c
         join property p on p.id = c.property_id and p.command_id = c.id
         join device d on d.id = c.device_id
         join device_state s on s.device_id = c.device_id and s.cloud_node_id = $3
         where c.state = 'pending' and c.created_at > $1 and c.expires_at > $2",
        params![since, now, node],
    )
    .await
}

/// Records an ack. This is the only place that sets `acked_at`, and only the device link calls it. `None` if
/// the device has no such command or has acknowledged it before.
pub(crate) async fn record_ack(
    tx: &mut Tx,
    device_id: i64,
    command: &str,
    status: i64,
    message: Option<&Value>,
    now: Timestamp,
) -> Result<Option<AckedRow>> {
    let state = if is_good(status) { ACKNOWLEDGED } else { "failed" };
    tx.fetch_optional(
        "update command set state = $3, ack_status = $4, ack_message = $5, acked_at = $6
         where id = $1 and device_id = $2 and acked_at is null
         returning property_id, value",
        params![command, device_id, state, status, message.map(Value::to_string), now],
    )
    .await
}

/// `state` of an acknowledged command.
pub(crate) const ACKNOWLEDGED: &str = "acknowledged";

/// `state` of a command that the device did not acknowledge in time.
pub(super) const EXPIRED: &str = "expired";

/// Our link and the vendor's stream use 200, the vendor's notes use 0 (docs/wire.md#commands).
pub(crate) fn is_good(status: i64) -> bool {
    matches!(status, 0 | 200)
}

pub(crate) async fn exists(tx: &mut Tx, device_id: i64, command: &str) -> Result<bool> {
    let row: Option<(i64,)> = tx
        .fetch_optional("select device_id from command where id = $1 and device_id = $2", params![command, device_id])
        .await?;
    Ok(row.is_some())
}

/// An expired command.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct ExpiredRow {
    pub(crate) id: String,
    pub(crate) device_id: i64,
    pub(crate) property_id: i64,
}

/// Expires a bounded number of commands.
pub(crate) async fn expire(tx: &mut Tx, now: Timestamp) -> Result<Vec<ExpiredRow>> {
    // Locked in id order, as acks lock them.
    let sql = format!(
        "select id, device_id, property_id from command where state = 'pending' and expires_at <= $1
         order by id limit $2{}",
        tx.for_update()
    );
    let expired: Vec<ExpiredRow> = tx.fetch_all(AssertSqlSafe(sql), params![now, EXPIRE_AT_ONCE]).await?;
    for command in &expired {
        tx.execute("update command set state = $2 where id = $1", params![&command.id, EXPIRED]).await?;
    }
    Ok(expired)
}
