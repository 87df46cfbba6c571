//! Actions of rules.

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// An action with its owner.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct RuleActionRow {
    pub(crate) id: i64,
    pub(crate) uuid: String,
    pub(crate) user_id: i64,
    pub(crate) user_uuid: String,
    pub(crate) oem_id: i64,
    pub(crate) name: String,
    #[sqlx(rename = "type")]
    pub(crate) action_type: String,
    /// A JSON object.
    pub(crate) parameters: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// An action to create.
pub(crate) struct NewRuleAction<'a> {
    pub(crate) uuid: Uuid,
    pub(crate) user_id: i64,
    pub(crate) name: &'a str,
    pub(crate) action_type: &'static str,
    /// A JSON object.
    pub(crate) parameters: String,
}

const SELECT: &str = "select a.id, a.uuid, a.user_id, u.uuid as user_uuid, u.oem_id, a.name, a.type, a.parameters,
    a.created_at, a.updated_at from rule_action a join users u on u.id = a.user_id";

/// The user's actions, oldest first.
pub(crate) async fn all(db: &Db, user_id: i64) -> Result<Vec<RuleActionRow>> {
    db.fetch_all(AssertSqlSafe(format!("{SELECT} where a.user_id = $1 order by a.id")), params![user_id]).await
}

/// The action with this UUID, of any user.
pub(crate) async fn find(db: &Db, uuid: &str) -> Result<Option<RuleActionRow>> {
    db.fetch_optional(AssertSqlSafe(format!("{SELECT} where a.uuid = $1")), params![uuid]).await
}

/// Like [`find`], within a transaction.
pub(crate) async fn find_within(tx: &mut Tx, uuid: &str) -> Result<Option<RuleActionRow>> {
    tx.fetch_optional(AssertSqlSafe(format!("{SELECT} where a.uuid = $1")), params![uuid]).await
}

/// The actions of a rule, in order.
pub(crate) async fn of_rule(db: &Db, rule_id: i64) -> Result<Vec<RuleActionRow>> {
    let sql = format!("{SELECT} join rule_step s on s.action_id = a.id where s.rule_id = $1 order by s.position");
    db.fetch_all(AssertSqlSafe(sql), params![rule_id]).await
}

/// Locks the actions of a rule.
pub(crate) async fn lock_of_rule(tx: &mut Tx, rule_id: i64) -> Result<()> {
    let sql = format!(
        "select id from rule_action where id in (select action_id from rule_step where rule_id = $1) order by id{}",
        tx.for_update()
    );
    let _: Vec<(i64,)> = tx.fetch_all(AssertSqlSafe(sql), params![rule_id]).await?;
    Ok(())
}

/// Locks and returns these actions, as far as an enabled rule has them.
pub(crate) async fn locked_in_use(tx: &mut Tx, ids: &[i64]) -> Result<Vec<RuleActionRow>> {
    let mut rows = Vec::new();
    for run in key_runs(ids) {
        let names = placeholders(tx.dialect(), run.len());
        let hold = format!("select id from rule_action where id in ({names}) order by id{}", tx.for_update());
        let keys = || run.iter().copied().fold(Params::default(), Params::with);
        let _: Vec<(i64,)> = tx.fetch_all(AssertSqlSafe(hold), keys()).await?;
        let sql = format!(
            "{SELECT} where a.id in ({names}) and exists (
                 select 1 from rule_step s join rule r on r.id = s.rule_id where s.action_id = a.id and r.is_enabled
             )"
        );
        rows.extend(tx.fetch_all::<RuleActionRow>(AssertSqlSafe(sql), keys()).await?);
    }
    Ok(rows)
}

/// UUID and id of the user's actions with these UUIDs.
pub(crate) async fn ids(tx: &mut Tx, user_id: i64, uuids: &[&str]) -> Result<Vec<(String, i64)>> {
    let names = placeholders(tx.dialect(), uuids.len() + 1);
    let (first, others) = names.split_once(", ").unwrap_or((&names, ""));
    let sql = format!("select uuid, id from rule_action where user_id = {first} and uuid in ({others})");
    let keys = uuids.iter().fold(params![user_id], |params: Params, uuid| params.with(*uuid));
    tx.fetch_all(AssertSqlSafe(sql), keys).await
}

/// The number of actions of the user.
pub(crate) async fn count(tx: &mut Tx, user_id: i64) -> Result<i64> {
    let (count,) = tx.fetch_one("select count(*) from rule_action where user_id = $1", params![user_id]).await?;
    Ok(count)
}

pub(crate) async fn insert(tx: &mut Tx, action: &NewRuleAction<'_>, now: Timestamp) -> Result<()> {
    let NewRuleAction { uuid, user_id, name, action_type, parameters } = action;
    tx.execute(
        "insert into rule_action (uuid, user_id, name, type, parameters, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $6)",
        params![*uuid, *user_id, *name, *action_type, parameters, now],
    )
    .await?;
    Ok(())
}

/// Changes the action. `parameters` is a JSON object.
pub(crate) async fn update(
    tx: &mut Tx,
    id: i64,
    name: &str,
    action_type: &str,
    parameters: String,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "update rule_action set name = $2, type = $3, parameters = $4, updated_at = $5 where id = $1",
        params![id, name, action_type, parameters, now],
    )
    .await?;
    Ok(())
}

/// Deletes an action that no rule uses. Returns whether it did.
pub(crate) async fn delete_unused(tx: &mut Tx, id: i64) -> Result<bool> {
    let sql = "delete from rule_action where id = $1 and not exists (select 1 from rule_step where action_id = $1)";
    Ok(tx.execute(sql, params![id]).await? == 1)
}
