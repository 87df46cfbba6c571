//! Pending events of rules.

use jiff::Timestamp;
use platform::db::rows::{insert_rows, key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::domain::rule::SubjectKind;

/// A rule that refers to a device.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct RuleMatchRow {
    pub(crate) rule_id: i64,
    /// The owner of the rule.
    pub(crate) user_id: i64,
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
    /// The owner of the rule.
    pub(crate) user_id: i64,
    pub(crate) device_id: i64,
    pub(crate) kind: SubjectKind,
    pub(crate) property: Option<&'a str>,
    pub(crate) datapoint_id: Option<&'a str>,
    /// JSON.
    pub(crate) value: String,
    pub(crate) depth: i64,
}

/// A claimed event.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
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

/// The subjects about these devices of rules that may fire: enabled rules that fired fewer than `most` times in the
/// window that started after `since`.
pub(crate) async fn rules_of_devices(
    tx: &mut Tx,
    devices: &[i64],
    most: i64,
    since: Timestamp,
) -> Result<Vec<RuleMatchRow>> {
    let sql = "select s.rule_id, r.user_id, s.kind, s.device_id, s.property from rule_subject s join rule r on r.id = s.rule_id
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
    let sql = "select s.rule_id, r.user_id, s.kind, d.id as device_id, s.property from device d
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
    let sql = "insert into rule_event \
               (id, rule_id, user_id, device_id, kind, property, datapoint_id, value, depth, created_at, due_at)";
    insert_rows(tx, sql, 11, events, |values, event| {
        values
            .with(event.id)
            .with(event.rule_id)
            .with(event.user_id)
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

/// Deletes pending events of these owners beyond the newest `of_rule` of a rule and the newest `of_owner` of an owner. Skips
/// events that another transaction claims or deletes.
pub(crate) async fn trim(tx: &mut Tx, owners: &[i64], of_rule: usize, of_owner: usize) -> Result<u64> {
    let mut deleted = 0;
    for run in key_runs(owners) {
        let dialect = tx.dialect();
        let sql = format!(
            "delete from rule_event where id in (
                 select id from rule_event where claim is null and id in (
                     select id from (
                         select id, row_number() over (partition by rule_id order by id desc) as of_rule,
                             row_number() over (partition by user_id order by id desc) as of_owner
                         from rule_event where user_id in ({}) and claim is null
                     ) as pending where of_rule > {} or of_owner > {}
                 ){}
             )",
            placeholders(dialect, run.len()),
            dialect.placeholder(run.len() + 1),
            dialect.placeholder(run.len() + 2),
            tx.for_update_of_free()
        );
        let values = run.into_iter().fold(Params::default(), Params::with).with(of_rule as i64).with(of_owner as i64);
        deleted += tx.execute(AssertSqlSafe(sql), values).await?;
    }
    Ok(deleted)
}

/// The largest key of an owner with events; 0 if there are no events.
pub(crate) async fn last_owner(db: &Db) -> Result<i64> {
    let row: Option<(i64,)> =
        db.fetch_optional("select user_id from rule_event order by user_id desc limit 1", params![]).await?;
    Ok(row.map_or(0, |(owner,)| owner))
}

/// Selects the due events to claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextEvents {
    pub(crate) most: usize,
    /// Maximum number of owners in a claim. The others have their turn in a later one.
    pub(crate) owners: usize,
    /// The first owner has a key above this one.
    pub(crate) after: i64,
}

/// Claims due events until `until`: the same number of each owner, the oldest of each.
pub(crate) async fn claim(
    db: &Db,
    claim: &str,
    NextEvents { most, owners, after }: NextEvents,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<RuleEventRow>> {
    let claim = async |mut tx: Tx| -> Result<_> {
        let mut chosen = due_owners(&mut tx, after, owners, now).await?;
        if chosen.len() < owners {
            let before = due_owners(&mut tx, i64::MIN, owners - chosen.len(), now).await?;
            chosen.extend(before.into_iter().filter(|owner| *owner <= after));
        }
        let sql = format!(
            "update rule_event set claim = $1, due_at = $2
             where id in (select id from rule_event where user_id = $3 and due_at <= $4 order by due_at, id limit $5{})
             returning id, rule_id, device_id, kind, property, datapoint_id, value, depth, created_at",
            tx.for_update_of_free()
        );
        let mut claimed: Vec<RuleEventRow> = Vec::with_capacity(most);
        for (index, owner) in chosen.iter().enumerate() {
            let share = (most - claimed.len()).div_ceil(chosen.len() - index);
            let values = params![claim, until, *owner, now, share as i64];
            claimed.extend(tx.fetch_all::<RuleEventRow>(AssertSqlSafe(sql.as_str()), values).await?);
        }
        tx.commit().await?;
        Ok(claimed)
    };
    let mut rows = db.write(claim).await?;
    rows.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    Ok(rows)
}

/// Releases the events that a node has claimed.
pub(crate) async fn release(db: &Db, node: &str, now: Timestamp) -> Result<()> {
    let sql = "update rule_event set claim = null, due_at = $2 where claim is not null and claim like $1";
    db.execute(sql, params![format!("{node}.%"), now]).await?;
    Ok(())
}

/// Up to `most` owners with due events and a key above `after`, by key. Reads one row of the index for each.
async fn due_owners(tx: &mut Tx, after: i64, most: usize, now: Timestamp) -> Result<Vec<i64>> {
    let sql = "with recursive owner (id) as (
                   select (select user_id from rule_event where user_id > $1 and due_at <= $2 order by user_id limit 1)
                   union all
                   select (select user_id from rule_event where user_id > owner.id and due_at <= $2
                           order by user_id limit 1)
                   from owner where owner.id is not null
               )
               select id from owner where id is not null limit $3";
    let rows: Vec<(i64,)> = tx.fetch_all(sql, params![after, now, most as i64]).await?;
    Ok(rows.into_iter().map(|(owner,)| owner).collect())
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
