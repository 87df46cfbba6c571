//! Events that rules have to evaluate.

use jiff::Timestamp;
use platform::db::rows::{insert_rows, key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::domain::rule::SubjectKind;

/// A rule that refers to a device.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct RuleMatchRow {
    pub(crate) rule_id: i64,
    kind: String,
    pub(crate) device_id: i64,
    pub(crate) property: Option<String>,
}

impl RuleMatchRow {
    pub(crate) fn kind(&self) -> Option<SubjectKind> {
        SubjectKind::find(&self.kind)
    }
}

/// An event for a rule.
pub(crate) struct NewRuleEvent<'a> {
    pub(crate) id: Uuid,
    pub(crate) rule_id: i64,
    pub(crate) device_id: i64,
    pub(crate) kind: SubjectKind,
    pub(crate) property: Option<&'a str>,
    pub(crate) datapoint_id: Option<&'a str>,
    /// JSON.
    pub(crate) value: String,
    pub(crate) depth: i64,
}

/// A claimed event.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct RuleEventRow {
    pub(crate) id: String,
    pub(crate) rule_id: i64,
    pub(crate) device_id: i64,
    kind: String,
    pub(crate) property: Option<String>,
    pub(crate) datapoint_id: Option<String>,
    pub(crate) value: String,
    pub(crate) depth: i64,
    pub(crate) created_at: i64,
}

impl RuleEventRow {
    pub(crate) fn kind(&self) -> Option<SubjectKind> {
        SubjectKind::find(&self.kind)
    }
}

/// The subjects about these devices of rules that may fire: enabled rules that fired less than `most` times in the
/// window that started after `since`.
pub(crate) async fn rules_of_devices(
    tx: &mut Tx,
    devices: &[i64],
    most: i64,
    since: Timestamp,
) -> Result<Vec<RuleMatchRow>> {
    let sql = "select s.rule_id, s.kind, s.device_id, s.property from rule_subject s join rule r on r.id = s.rule_id
               where s.device_id in";
    of_devices(tx, sql, devices, most, since).await
}

/// The same for rules about all devices of their owners.
pub(crate) async fn rules_of_owners(
    tx: &mut Tx,
    devices: &[i64],
    most: i64,
    since: Timestamp,
) -> Result<Vec<RuleMatchRow>> {
    let sql = "select s.rule_id, s.kind, d.id as device_id, s.property from device d
               join rule_subject s on s.user_id = d.owner_id join rule r on r.id = s.rule_id
               where d.id in";
    of_devices(tx, sql, devices, most, since).await
}

async fn of_devices(tx: &mut Tx, sql: &str, devices: &[i64], most: i64, since: Timestamp) -> Result<Vec<RuleMatchRow>> {
    let mut rows = Vec::new();
    for run in key_runs(devices) {
        let dialect = tx.dialect();
        let sql = format!(
            "{sql} ({}) and r.is_enabled and (r.fired_since is null or r.fired_since <= {} or r.fired < {})",
            placeholders(dialect, run.len()),
            dialect.placeholder(run.len() + 1),
            dialect.placeholder(run.len() + 2),
        );
        let params = run.into_iter().fold(Params::default(), Params::with).with(since).with(most);
        rows.extend(tx.fetch_all(AssertSqlSafe(sql), params).await?);
    }
    Ok(rows)
}

pub(crate) async fn insert(tx: &mut Tx, events: &[NewRuleEvent<'_>], now: Timestamp) -> Result<()> {
    let sql = "insert into rule_event (id, rule_id, device_id, kind, property, datapoint_id, value, depth, created_at, due_at)";
    insert_rows(tx, sql, 10, events, |values, event| {
        values
            .with(event.id)
            .with(event.rule_id)
            .with(event.device_id)
            .with(event.kind.as_str())
            .with(event.property)
            .with(event.datapoint_id)
            .with(event.value.as_str())
            .with(event.depth)
            .with(now)
            .with(now)
    })
    .await
}

/// Claims up to `most` events until `until`, oldest first.
pub(crate) async fn claim(
    db: &Db,
    claim: &str,
    most: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<RuleEventRow>> {
    let claim = async |mut tx: Tx| -> Result<_> {
        let sql = format!(
            "update rule_event set claim = $1, due_at = $2
             where id in (select id from rule_event where due_at <= $3 order by due_at, id limit $4{})
             returning id, rule_id, device_id, kind, property, datapoint_id, value, depth, created_at",
            tx.for_update_of_free()
        );
        let rows: Vec<RuleEventRow> = tx.fetch_all(AssertSqlSafe(sql), params![claim, until, now, most]).await?;
        tx.commit().await?;
        Ok(rows)
    };
    let mut rows = db.write(claim).await?;
    rows.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    Ok(rows)
}

/// Deletes claimed events that had no effect.
pub(crate) async fn discard(db: &Db, ids: &[String], claim: &str) -> Result<()> {
    for run in key_runs(ids) {
        let names = placeholders(db.dialect(), run.len() + 1);
        let (first, others) = names.split_once(", ").unwrap_or((&names, ""));
        let sql = format!("delete from rule_event where claim = {first} and id in ({others})");
        db.execute(AssertSqlSafe(sql), run.into_iter().fold(params![claim], Params::with)).await?;
    }
    Ok(())
}

/// Deletes a claimed event. Returns whether the claim still held.
pub(crate) async fn complete(tx: &mut Tx, id: &str, claim: &str) -> Result<bool> {
    Ok(tx.execute("delete from rule_event where id = $1 and claim = $2", params![id, claim]).await? == 1)
}
