//! Actions of schedules: each sets a property.

use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::json::json;
use crate::domain::schedule::FirePoint;
use crate::domain::value::BaseType;

/// The fields of an action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action {
    /// The property's name.
    pub(crate) name: String,
    pub(crate) base_type: BaseType,
    pub(crate) value: Value,
    pub(crate) active: bool,
    /// `None` for an action that never fires.
    pub(crate) fire_point: Option<FirePoint>,
}

#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct ActionRow {
    pub(crate) id: i64,
    pub(crate) schedule_id: i64,
    name: String,
    base_type: String,
    value: String,
    active: bool,
    fire_point: Option<String>,
}

impl ActionRow {
    pub(crate) fn action(&self) -> Action {
        Action {
            name: self.name.clone(),
            base_type: BaseType::from_stored(&self.base_type),
            value: json(Some(&self.value)),
            active: self.active,
            fire_point: self.fire_point.as_deref().and_then(FirePoint::find),
        }
    }
}

const COLUMNS: &str = "id, schedule_id, name, base_type, value, active, fire_point";

/// The actions of these schedules, oldest first.
pub(crate) async fn of_schedules(db: &Db, schedules: &[i64]) -> Result<Vec<ActionRow>> {
    let mut actions = Vec::new();
    for run in key_runs(schedules) {
        let names = placeholders(db.dialect(), run.len());
        let sql =
            format!("select {COLUMNS} from schedule_action where schedule_id in ({names}) order by schedule_id, id");
        let keys = run.into_iter().fold(Params::default(), Params::with);
        actions.extend(db.fetch_all::<ActionRow>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(actions)
}

pub(crate) async fn find(db: &Db, id: i64) -> Result<Option<ActionRow>> {
    db.fetch_optional(AssertSqlSafe(format!("select {COLUMNS} from schedule_action where id = $1")), params![id]).await
}

/// The action of a locked schedule.
pub(crate) async fn find_within(tx: &mut Tx, id: i64) -> Result<Option<ActionRow>> {
    tx.fetch_optional(AssertSqlSafe(format!("select {COLUMNS} from schedule_action where id = $1")), params![id]).await
}

/// The number of actions of the schedule.
pub(crate) async fn count(tx: &mut Tx, schedule_id: i64) -> Result<i64> {
    let sql = "select count(*) from schedule_action where schedule_id = $1";
    let (count,) = tx.fetch_one(sql, params![schedule_id]).await?;
    Ok(count)
}

pub(crate) async fn insert(tx: &mut Tx, schedule_id: i64, action: &Action) -> Result<ActionRow> {
    let sql = format!(
        "insert into schedule_action (schedule_id, name, base_type, value, active, fire_point)
         values ($1, $2, $3, $4, $5, $6) returning {COLUMNS}"
    );
    tx.fetch_one(AssertSqlSafe(sql), values(params![schedule_id], action)).await
}

/// `None` if it does not exist.
pub(crate) async fn update(tx: &mut Tx, id: i64, action: &Action) -> Result<Option<ActionRow>> {
    let sql = format!(
        "update schedule_action set name = $2, base_type = $3, value = $4, active = $5, fire_point = $6 where id = $1
         returning {COLUMNS}"
    );
    tx.fetch_optional(AssertSqlSafe(sql), values(params![id], action)).await
}

/// Returns whether it existed.
pub(crate) async fn delete(tx: &mut Tx, id: i64) -> Result<bool> {
    Ok(tx.execute("delete from schedule_action where id = $1", params![id]).await? == 1)
}

fn values(params: Params, action: &Action) -> Params {
    params
        .with(&action.name)
        .with(action.base_type.as_str())
        .with(action.value.to_string())
        .with(action.active)
        .with(action.fire_point.map(FirePoint::as_str))
}
