//! Triggers on values of properties.

use jiff::Timestamp;
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::authors;
use crate::domain::trigger::Condition;
use crate::domain::value::BaseType;

/// A trigger with its property, its device and its creator.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct TriggerRow {
    pub(crate) id: i64,
    pub(crate) property_id: i64,
    pub(crate) property_name: String,
    pub(crate) property_display_name: String,
    pub(crate) base_type: String,
    pub(crate) device_id: i64,
    pub(crate) product_name: String,
    pub(crate) trigger_type: String,
    pub(crate) compare_type: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) active: bool,
    pub(crate) triggered_at: Option<i64>,
    pub(crate) user_id: i64,
    pub(crate) user_uuid: String,
}

/// A trigger to create.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewTrigger<'a> {
    pub(crate) property_id: i64,
    pub(crate) user_id: i64,
    pub(crate) trigger_type: &'a str,
    pub(crate) compare_type: Option<&'a str>,
    pub(crate) value: Option<&'a str>,
    pub(crate) active: bool,
}

/// A trigger with the state for judging new values.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct WatchRow {
    pub(crate) id: i64,
    pub(crate) property_id: i64,
    pub(crate) user_id: i64,
    trigger_type: String,
    compare_type: Option<String>,
    value: Option<String>,
    /// A JSON scalar: the previous value, as far as the condition needs it.
    pub(crate) last_value: Option<String>,
    pub(crate) triggered_at: Option<i64>,
    /// When a value last met the condition after one that did not.
    pub(crate) crossed_at: Option<i64>,
    /// How often that happened.
    pub(crate) crossings: i64,
}

/// The current value of the property of a trigger.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct CurrentValueRow {
    pub(crate) trigger_id: i64,
    pub(crate) device_id: i64,
    pub(crate) display_name: String,
    base_type: String,
    /// A JSON scalar.
    pub(crate) value: String,
    pub(crate) value_at: Option<i64>,
}

impl CurrentValueRow {
    pub(crate) fn base_type(&self) -> BaseType {
        BaseType::from_stored(&self.base_type)
    }
}

impl TriggerRow {
    pub(crate) fn base_type(&self) -> BaseType {
        BaseType::from_stored(&self.base_type)
    }
}

impl WatchRow {
    /// The condition for a property of this type.
    pub(crate) fn condition(&self, base_type: BaseType) -> Option<Condition> {
        Condition::from_stored(base_type, &self.trigger_type, self.compare_type.as_deref(), self.value.as_deref())
    }
}

const SELECT: &str = "select t.id, t.property_id, tp.name as property_name, tp.display_name as property_display_name,
        tp.base_type, p.device_id, d.product_name, t.trigger_type, t.compare_type, t.value, t.active, t.triggered_at,
        t.user_id, u.uuid as user_uuid
    from property_trigger t
    join property p on p.id = t.property_id
    join template_property tp on tp.id = p.template_property_id
    join device d on d.id = p.device_id
    join users u on u.id = t.user_id";

/// The triggers of the property, oldest first.
pub(crate) async fn of_property(db: &Db, property_id: i64) -> Result<Vec<TriggerRow>> {
    db.fetch_all(AssertSqlSafe(format!("{SELECT} where t.property_id = $1 order by t.id")), params![property_id]).await
}

/// The trigger with this id.
pub(crate) async fn find(db: &Db, id: i64) -> Result<Option<TriggerRow>> {
    db.fetch_optional(AssertSqlSafe(format!("{SELECT} where t.id = $1")), params![id]).await
}

/// Like [`find`], within a transaction.
pub(crate) async fn find_within(tx: &mut Tx, id: i64) -> Result<Option<TriggerRow>> {
    tx.fetch_optional(AssertSqlSafe(format!("{SELECT} where t.id = $1")), params![id]).await
}

/// The number of triggers of the property.
pub(crate) async fn count(tx: &mut Tx, property_id: i64) -> Result<i64> {
    let sql = "select count(*) from property_trigger where property_id = $1";
    let (count,) = tx.fetch_one(sql, params![property_id]).await?;
    Ok(count)
}

/// Creates the trigger. Returns its id. The property's current value counts as the previous value.
pub(crate) async fn insert(tx: &mut Tx, new: NewTrigger<'_>, now: Timestamp) -> Result<i64> {
    let (id,) = tx
        .fetch_one(
            "insert into property_trigger (property_id, user_id, trigger_type, compare_type, value, active, last_value, created_at)
             select p.id, $2, $3, $4, $5, $6, case when $3 = 'on_change' then p.value end, $7
             from property p where p.id = $1 returning id",
            params![
                new.property_id,
                new.user_id,
                new.trigger_type,
                new.compare_type,
                new.value,
                new.active,
                now
            ],
        )
        .await?;
    Ok(id)
}

/// Changes the trigger. With another condition, or when it becomes active, it judges the next value like a new trigger.
pub(crate) async fn update(tx: &mut Tx, row: &TriggerRow) -> Result<()> {
    tx.execute(
        "update property_trigger set trigger_type = $2, compare_type = $3, value = $4, active = $5,
             last_value = case
                 when trigger_type = $2 and coalesce(compare_type, '') = coalesce($3, '')
                     and coalesce(value, '') = coalesce($4, '') and (active or not $5) then last_value
                 when $2 = 'on_change' then (select p.value from property p where p.id = property_id)
             end
         where id = $1",
        params![row.id, &row.trigger_type, row.compare_type.as_ref(), row.value.as_ref(), row.active],
    )
    .await?;
    Ok(())
}

/// Returns whether there was such a trigger.
pub(crate) async fn delete(db: &Db, id: i64) -> Result<bool> {
    Ok(db.execute("delete from property_trigger where id = $1", params![id]).await? == 1)
}

/// Locks and returns the active triggers of these properties whose authors have not lost the device.
pub(crate) async fn watching(tx: &mut Tx, properties: &[i64]) -> Result<Vec<WatchRow>> {
    watched(tx, "property_id", properties).await
}

async fn watched(tx: &mut Tx, column: &str, keys: &[i64]) -> Result<Vec<WatchRow>> {
    let mut rows = Vec::new();
    for run in key_runs(keys) {
        let sql = format!(
            "select id, property_id, user_id, trigger_type, compare_type, value, last_value, triggered_at, crossed_at, crossings
             from property_trigger
             where {column} in ({}) and active and {} order by id{}",
            placeholders(tx.dialect(), run.len()),
            authors::trigger(),
            tx.for_update()
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        rows.extend(tx.fetch_all::<WatchRow>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(rows)
}

/// Locks and returns these triggers, as far as they are active and their authors have not lost the device, by id.
pub(crate) async fn locked(tx: &mut Tx, ids: &[i64]) -> Result<Vec<WatchRow>> {
    watched(tx, "id", ids).await
}

/// The current values of the properties of these triggers.
pub(crate) async fn current_values(tx: &mut Tx, triggers: &[i64]) -> Result<Vec<CurrentValueRow>> {
    let mut rows = Vec::new();
    for run in key_runs(triggers) {
        let sql = format!(
            "select t.id as trigger_id, p.device_id, tp.display_name, tp.base_type, p.value, p.value_at
             from property_trigger t
             join property p on p.id = t.property_id
             join template_property tp on tp.id = p.template_property_id
             where t.id in ({}) and p.value is not null",
            placeholders(tx.dialect(), run.len())
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        rows.extend(tx.fetch_all::<CurrentValueRow>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(rows)
}

/// Stores the last values, notification times and crossings of these triggers.
pub(crate) async fn update_states(tx: &mut Tx, triggers: &[&WatchRow]) -> Result<()> {
    for run in runs(triggers) {
        let sql = format!(
            "update property_trigger set last_value = new.column2, triggered_at = new.column3, crossed_at = new.column4,
                 crossings = new.column5
             from (values {}) as new where property_trigger.id = new.column1",
            rows_of_placeholders(tx.dialect(), run.len(), 5)
        );
        let values = all(run, |values, trigger| {
            values
                .with(trigger.id)
                .with(trigger.last_value.as_ref())
                .with(trigger.triggered_at)
                .with(trigger.crossed_at)
                .with(trigger.crossings)
        });
        tx.execute(AssertSqlSafe(sql), values).await?;
    }
    Ok(())
}

/// Resets the triggers of these devices, whose properties no longer have values.
pub(crate) async fn reset(tx: &mut Tx, devices: &[i64]) -> Result<()> {
    for run in key_runs(devices) {
        let sql = format!(
            "update property_trigger set last_value = null
             where property_id in (select id from property where device_id in ({}))",
            placeholders(tx.dialect(), run.len())
        );
        tx.execute(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
    }
    Ok(())
}
