//! Properties of devices: definition, value and newest command.

use jiff::Timestamp;
use platform::db::rows::{all, rows_of_placeholders, runs};
use platform::db::{Db, Result, Tx, params};
use platform::nodes::clock_reading::SKEW;
use platform::run::random::first_uuid_at;
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::KEYS_PER_STATEMENT;
use super::commands::AckedRow;
use super::datapoints::NewDatapoint;
use super::json::{json, metadata};
use super::templates::LimitColumns;
use crate::domain::value::{BaseType, Direction, Limits};

/// A property of one device, with its newest command.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct PropertyRow {
    pub(crate) id: i64,
    pub(crate) device_id: i64,
    pub(crate) name: String,
    pub(crate) display_name: String,
    base_type: String,
    direction: String,
    pub(crate) ack_enabled: bool,
    pub(crate) retention_days: i64,
    #[sqlx(flatten)]
    limits: LimitColumns,
    value: Option<String>,
    pub(crate) value_at: Option<i64>,
    metadata: Option<String>,
    reported_value: Option<String>,
    pub(crate) reported_at: Option<i64>,
    command_id: Option<String>,
    command_value: Option<String>,
    command_state: Option<String>,
    command_created_at: Option<i64>,
    command_expires_at: Option<i64>,
    pub(crate) ack_status: Option<i64>,
    ack_message: Option<String>,
    pub(crate) acked_at: Option<i64>,
}

/// The newest command of a property.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewestCommand<'a> {
    pub(crate) id: &'a str,
    pub(crate) value: Value,
    pub(crate) state: &'a str,
    pub(crate) created_at: i64,
    pub(crate) expires_at: i64,
}

/// The parts of a property's definition that events contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PropertyDescription<'a> {
    pub(crate) name: &'a str,
    pub(crate) display_name: &'a str,
    pub(crate) base_type: BaseType,
    pub(crate) ack_enabled: bool,
}

impl PropertyRow {
    pub(crate) fn description(&self) -> PropertyDescription<'_> {
        PropertyDescription {
            name: &self.name,
            display_name: &self.display_name,
            base_type: self.base_type(),
            ack_enabled: self.ack_enabled,
        }
    }

    pub(crate) fn base_type(&self) -> BaseType {
        BaseType::from_stored(&self.base_type)
    }

    pub(crate) fn direction(&self) -> Direction {
        Direction::from_stored(&self.direction)
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits.limits()
    }

    /// The value for readers: that of the pending command, else the reported one.
    pub(crate) fn value(&self) -> Value {
        json(self.value.as_deref())
    }

    /// The metadata of the value.
    pub(crate) fn metadata(&self) -> Value {
        metadata(self.metadata.as_deref())
    }

    pub(crate) fn reported_value(&self) -> Value {
        json(self.reported_value.as_deref())
    }

    pub(crate) fn ack_message(&self) -> Option<Value> {
        self.ack_message.as_deref().map(|text| json(Some(text)))
    }

    pub(crate) fn command(&self) -> Option<NewestCommand<'_>> {
        Some(NewestCommand {
            id: self.command_id.as_deref()?,
            value: json(self.command_value.as_deref()),
            state: self.command_state.as_deref()?,
            created_at: self.command_created_at?,
            expires_at: self.command_expires_at?,
        })
    }
}

/// The properties of these devices, in template order.
pub(crate) async fn of_devices(db: &Db, devices: &[i64]) -> Result<Vec<PropertyRow>> {
    let mut properties = Vec::new();
    for keys in devices.chunks(KEYS_PER_STATEMENT) {
        let device_id = Expr::col(("property", "device_id"));
        properties.extend(db.select(select().and_where(device_id.is_in(keys.iter().copied()))).await?);
    }
    Ok(properties)
}

/// The device's property with this name.
pub(crate) async fn by_name(db: &Db, device_id: i64, name: &str) -> Result<Option<PropertyRow>> {
    Ok(db.select(&with_name(device_id, name)).await?.into_iter().next())
}

/// The device's property with this name, as the transaction sees it.
pub(crate) async fn by_name_within(tx: &mut Tx, device_id: i64, name: &str) -> Result<Option<PropertyRow>> {
    Ok(tx.select(&with_name(device_id, name)).await?.into_iter().next())
}

fn with_name(device_id: i64, name: &str) -> SelectStatement {
    let mut statement = select();
    statement
        .and_where(Expr::col(("property", "device_id")).eq(device_id))
        .and_where(Expr::col(("template_property", "name")).eq(name));
    statement
}

/// The device's property with this key.
pub(crate) async fn by_key(db: &Db, device_id: i64, key: i64) -> Result<Option<PropertyRow>> {
    let rows = db
        .select(
            select()
                .and_where(Expr::col(("property", "device_id")).eq(device_id))
                .and_where(Expr::col(("property", "id")).eq(key)),
        )
        .await?;
    Ok(rows.into_iter().next())
}

/// The properties of these devices with one of these names.
pub(crate) async fn named(db: &Db, devices: &[i64], names: &[&str]) -> Result<Vec<PropertyRow>> {
    let mut properties = Vec::new();
    for keys in devices.chunks(KEYS_PER_STATEMENT) {
        let device_id = Expr::col(("property", "device_id"));
        let name = Expr::col(("template_property", "name"));
        let mut statement = select();
        statement.and_where(device_id.is_in(keys.iter().copied())).and_where(name.is_in(names.iter().copied()));
        properties.extend(db.select(&statement).await?);
    }
    Ok(properties)
}

/// Shows the values of new commands on their properties. Each datapoint is the newest of its property, and no property
/// occurs twice.
pub(crate) async fn show_commands(tx: &mut Tx, commands: &[&NewDatapoint]) -> Result<()> {
    for run in runs(commands) {
        let sql = format!(
            "update property set value = new.column2, value_at = new.column3, metadata = new.column4,
                 command_id = new.column5, last_datapoint = new.column5
             from (values {}) as new where property.id = new.column1",
            rows_of_placeholders(tx.dialect(), run.len(), 5)
        );
        let values = all(run, |values, NewDatapoint { property_id, position, value, metadata, .. }| {
            values.with(*property_id).with(value).with(position.created_at).with(metadata.as_ref()).with(&position.id)
        });
        tx.execute(AssertSqlSafe(sql), values).await?;
    }
    Ok(())
}

/// Sets a file, the newest datapoint, as the value of its property, whose row is locked.
pub(crate) async fn show_file(tx: &mut Tx, file: &NewDatapoint) -> Result<()> {
    let NewDatapoint { property_id, position, value, metadata, .. } = file;
    tx.execute(
        "update property set value = $2, value_at = $3, metadata = $4, last_datapoint = $5 where id = $1",
        params![*property_id, value, position.created_at, metadata.as_ref(), &position.id],
    )
    .await?;
    Ok(())
}

/// The last reported value of a property.
pub(crate) struct ReportedValue<'a> {
    pub(crate) property_id: i64,
    /// A JSON scalar.
    pub(crate) value: &'a str,
    pub(crate) at: Timestamp,
    /// The id of its datapoint, the newest of the property.
    pub(crate) datapoint: &'a str,
}

impl<'a> From<&'a NewDatapoint> for ReportedValue<'a> {
    fn from(new: &'a NewDatapoint) -> Self {
        let NewDatapoint { property_id, position, value, .. } = new;
        Self { property_id: *property_id, value, at: position.created_at, datapoint: &position.id }
    }
}

/// Records reported values, each property once, and shows them where no command is pending. The property rows
/// must be locked.
pub(crate) async fn record_reports(tx: &mut Tx, reports: &[ReportedValue<'_>]) -> Result<()> {
    record(tx, reports, "false").await
}

/// Like [`record_reports`], for imported reports: a newer value of the property stays.
pub(crate) async fn record_history(tx: &mut Tx, reports: &[ReportedValue<'_>]) -> Result<()> {
    record(tx, reports, "coalesce(reported_at > new.column4, false)").await
}

/// `outdated` is the SQL condition that the property has a newer value.
async fn record(tx: &mut Tx, reports: &[ReportedValue<'_>], outdated: &str) -> Result<()> {
    for run in runs(reports) {
        let sql = format!(
            "update property set last_datapoint = new.column2,
                 reported_value = case when {outdated} then reported_value else new.column3 end,
                 reported_at = case when {outdated} then reported_at else new.column4 end,
                 reported_metadata = case when {outdated} then reported_metadata end,
                 value = case when {outdated} or {PENDING} then value else new.column3 end,
                 value_at = case when {outdated} or {PENDING} then value_at else new.column4 end,
                 metadata = case when {outdated} or {PENDING} then metadata end
             from (values {}) as new where property.id = new.column1",
            rows_of_placeholders(tx.dialect(), run.len(), 4)
        );
        let values =
            all(run, |values, new| values.with(new.property_id).with(new.datapoint).with(new.value).with(new.at));
        tx.execute(AssertSqlSafe(sql), values).await?;
    }
    Ok(())
}

/// Records that the device accepted the value of a command, unless it accepted a newer command before. A command of the
/// future is not newer: its id is of a time when the clock was ahead. The property row must be locked.
pub(crate) async fn apply_ack(tx: &mut Tx, command: &str, obeyed: &AckedRow, at: Timestamp) -> Result<()> {
    let AckedRow { property_id, value } = obeyed;
    tx.execute(
        "update property set reported_value = $2, reported_at = $3,
             reported_metadata = (select d.metadata from datapoint d where d.id = $4), acked_command = $4
         where id = $1 and (acked_command is null or acked_command < $4 or acked_command >= $5)",
        params![*property_id, value, at, command, first_uuid_at(at + SKEW)],
    )
    .await?;
    show_reported(tx, *property_id).await
}

/// Shows the reported value unless the newest command is pending. The property row must be locked.
pub(crate) async fn show_reported(tx: &mut Tx, property_id: i64) -> Result<()> {
    let sql = format!(
        "update property set value = reported_value, value_at = reported_at, metadata = reported_metadata
         where id = $1 and not {PENDING}"
    );
    tx.execute(AssertSqlSafe(sql), params![property_id]).await?;
    Ok(())
}

/// Whether the newest command is pending. Only valid in a statement that starts after the property's row is locked: on
/// PostgreSQL a statement that waited for the lock does not see a command inserted meanwhile.
const PENDING: &str = "exists (select 1 from command c where c.id = property.command_id and c.state = 'pending')";

fn select() -> SelectStatement {
    let mut statement = Query::select();
    statement
        .columns(
            ["id", "device_id", "value", "value_at", "metadata", "reported_value", "reported_at", "command_id"]
                .map(|column| ("property", column)),
        )
        .columns(
            [
                "name",
                "display_name",
                "base_type",
                "direction",
                "ack_enabled",
                "retention_days",
                "minimum",
                "maximum",
                "pattern",
            ]
            .map(|column| ("template_property", column)),
        )
        .columns(["ack_status", "ack_message", "acked_at"].map(|column| ("command", column)))
        .expr_as(Expr::col(("command", "value")), "command_value")
        .expr_as(Expr::col(("command", "state")), "command_state")
        .expr_as(Expr::col(("command", "created_at")), "command_created_at")
        .expr_as(Expr::col(("command", "expires_at")), "command_expires_at")
        .from("property")
        .inner_join(
            "template_property",
            Expr::col(("template_property", "id")).equals(("property", "template_property_id")),
        )
        .left_join("command", Expr::col(("command", "id")).equals(("property", "command_id")))
        .order_by(("property", "device_id"), Order::Asc)
        .order_by(("property", "template_property_id"), Order::Asc);
    statement
}
