//! Rules of users with their subjects and actions.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use platform::db::rows::{insert_rows, key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::domain::rule::SubjectKind;

/// A rule with its owner.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct RuleRow {
    pub(crate) id: i64,
    pub(crate) uuid: String,
    pub(crate) user_id: i64,
    pub(crate) user_uuid: String,
    pub(crate) oem_id: i64,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) expression: String,
    pub(crate) is_enabled: bool,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// A rule to create.
pub(crate) struct NewRule<'a> {
    pub(crate) uuid: Uuid,
    pub(crate) user_id: i64,
    pub(crate) name: &'a str,
    pub(crate) description: Option<&'a str>,
    pub(crate) expression: &'a str,
    pub(crate) is_enabled: bool,
    pub(crate) subjects: &'a [NewSubject],
    /// Action ids, in order.
    pub(crate) actions: &'a [i64],
}

/// A subject of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewSubject {
    pub(crate) kind: SubjectKind,
    pub(crate) of: Of,
    pub(crate) property: Option<String>,
}

/// The device or user of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Device(i64),
    User(i64),
}

const SELECT: &str =
    "select r.id, r.uuid, r.user_id, u.uuid as user_uuid, u.oem_id, r.name, r.description, r.expression,
    r.is_enabled, r.created_at, r.updated_at from rule r join users u on u.id = r.user_id";

/// The user's rules, oldest first.
pub(crate) async fn of_user(db: &Db, user_id: i64) -> Result<Vec<RuleRow>> {
    db.fetch_all(AssertSqlSafe(format!("{SELECT} where r.user_id = $1 order by r.id")), params![user_id]).await
}

/// The manufacturer's rules about a device, oldest first.
pub(crate) async fn of_device(db: &Db, oem_id: i64, device_id: i64) -> Result<Vec<RuleRow>> {
    let sql = format!(
        "{SELECT} where u.oem_id = $1 and r.id in (select rule_id from rule_subject where device_id = $2) order by r.id"
    );
    db.fetch_all(AssertSqlSafe(sql), params![oem_id, device_id]).await
}

/// The rule with this UUID, of any user.
pub(crate) async fn find(db: &Db, uuid: &str) -> Result<Option<RuleRow>> {
    db.fetch_optional(AssertSqlSafe(format!("{SELECT} where r.uuid = $1")), params![uuid]).await
}

/// The rule with this id, if enabled.
pub(crate) async fn find_enabled(db: &Db, id: i64) -> Result<Option<RuleRow>> {
    db.fetch_optional(AssertSqlSafe(format!("{SELECT} where r.id = $1 and r.is_enabled")), params![id]).await
}

/// The UUIDs of the actions of these rules, by rule and in order.
pub(crate) async fn action_uuids(db: &Db, rules: &[i64]) -> Result<HashMap<i64, Vec<String>>> {
    let sql = "select s.rule_id, a.uuid from rule_step s join rule_action a on a.id = s.action_id where s.rule_id in";
    grouped(db, sql, "order by s.rule_id, s.position", rules).await
}

/// The UUIDs of the rules that use these actions, by action.
pub(crate) async fn rule_uuids(db: &Db, actions: &[i64]) -> Result<HashMap<i64, Vec<String>>> {
    let sql = "select s.action_id, r.uuid from rule_step s join rule r on r.id = s.rule_id where s.action_id in";
    grouped(db, sql, "order by s.action_id, r.id", actions).await
}

async fn grouped(db: &Db, sql: &str, order: &str, keys: &[i64]) -> Result<HashMap<i64, Vec<String>>> {
    let mut groups: HashMap<i64, Vec<String>> = HashMap::new();
    for run in key_runs(keys) {
        let sql = format!("{sql} ({}) {order}", placeholders(db.dialect(), run.len()));
        let keys = run.into_iter().fold(Params::default(), Params::with);
        for (key, uuid) in db.fetch_all::<(i64, String)>(AssertSqlSafe(sql), keys).await? {
            groups.entry(key).or_default().push(uuid);
        }
    }
    Ok(groups)
}

/// The number of rules of the user.
pub(crate) async fn count(tx: &mut Tx, user_id: i64) -> Result<i64> {
    let (count,) = tx.fetch_one("select count(*) from rule where user_id = $1", params![user_id]).await?;
    Ok(count)
}

pub(crate) async fn insert(tx: &mut Tx, rule: &NewRule<'_>, now: Timestamp) -> Result<()> {
    let NewRule { uuid, user_id, name, description, expression, is_enabled, subjects, actions } = rule;
    let (id,): (i64,) = tx
        .fetch_one(
            "insert into rule (uuid, user_id, name, description, expression, is_enabled, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $7) returning id",
            params![*uuid, *user_id, *name, *description, *expression, *is_enabled, now],
        )
        .await?;
    let sql = "insert into rule_subject (rule_id, kind, device_id, user_id, property)";
    insert_rows(tx, sql, 5, subjects, |values, subject| {
        let (device_id, user_id) = match subject.of {
            Of::Device(id) => (Some(id), None),
            Of::User(id) => (None, Some(id)),
        };
        values.with(id).with(subject.kind.as_str()).with(device_id).with(user_id).with(subject.property.as_deref())
    })
    .await?;
    let steps: Vec<(usize, i64)> = actions.iter().copied().enumerate().collect();
    let sql = "insert into rule_step (rule_id, position, action_id)";
    insert_rows(tx, sql, 3, &steps, |values, (position, action)| {
        values.with(id).with(i64::try_from(*position).unwrap_or(i64::MAX)).with(*action)
    })
    .await
}

/// Enables or disables the rule. Returns whether it exists.
pub(crate) async fn enable(db: &Db, id: i64, is_enabled: bool, now: Timestamp) -> Result<bool> {
    let sql = "update rule set is_enabled = $2, updated_at = $3 where id = $1";
    Ok(db.execute(sql, params![id, is_enabled, now]).await? == 1)
}

/// Returns whether the rule existed.
pub(crate) async fn delete(db: &Db, id: i64) -> Result<bool> {
    Ok(db.execute("delete from rule where id = $1", params![id]).await? == 1)
}

/// Counts a firing. Returns whether the limit of `most` firings within `span` allows it.
pub(crate) async fn count_firing(db: &Db, id: i64, most: i64, span: SignedDuration, now: Timestamp) -> Result<bool> {
    let touched = db
        .execute(
            "update rule set fired = case when fired_since > $3 then fired + 1 else 1 end,
                 fired_since = case when fired_since > $3 then fired_since else $4 end
             where id = $1 and (fired_since is null or fired_since <= $3 or fired < $2)",
            params![id, most, now - span, now],
        )
        .await?;
    Ok(touched == 1)
}
