//! Daily budgets of messages: counters, and the limits of manufacturers.

use std::collections::{BTreeSet, HashMap};

use jiff::SignedDuration;
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use crate::domain::message_limits::{BudgetScope, MessageLimitOverrides};

/// Maximum number of rows that one transaction deletes.
const BATCH: u64 = 1_000;

/// The counter of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CounterKey<'a> {
    /// First: a manufacturer's counters are locked before all others that belong to it.
    pub(crate) oem_id: i64,
    pub(crate) scope: BudgetScope,
    pub(crate) scope_id: i64,
    /// The label value of a partner; empty for other scopes.
    pub(crate) partner: &'a str,
    pub(crate) channel: &'static str,
}

/// A counter's values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counter {
    pub(crate) sent: i64,
    pub(crate) held_back: i64,
}

#[derive(sqlx_macros::FromRow)]
struct CounterRow {
    oem_id: i64,
    scope: String,
    scope_id: i64,
    partner: String,
    channel: String,
    sent: i64,
    held_back: i64,
}

/// The messages that were charged to a budget, as operators see them.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct SpendingRow {
    pub(crate) scope: String,
    /// Serial number, e-mail address, label value of a partner or manufacturer; `None` if it was deleted.
    pub(crate) name: Option<String>,
    pub(crate) channel: String,
    pub(crate) sent: i64,
    pub(crate) held_back: i64,
}

#[derive(sqlx_macros::FromRow)]
struct LimitsRow {
    oem_id: i64,
    gap_seconds: Option<i64>,
    per_device: Option<i64>,
    per_author: Option<i64>,
    per_manufacturer: Option<i64>,
    per_partner: Option<i64>,
}

impl From<LimitsRow> for MessageLimitOverrides {
    fn from(row: LimitsRow) -> Self {
        let number = |stored: Option<i64>| stored.and_then(|stored| u32::try_from(stored).ok());
        Self {
            gap: row.gap_seconds.map(SignedDuration::from_secs),
            per_device: number(row.per_device),
            per_author: number(row.per_author),
            per_manufacturer: number(row.per_manufacturer),
            per_partner: number(row.per_partner),
        }
    }
}

/// Locks and returns the counters of the day, in the order of `keys`, which must be sorted: concurrent transactions then
/// lock them in the same order. Missing ones are created.
pub(crate) async fn lock(tx: &mut Tx, day: &str, keys: &[CounterKey<'_>]) -> Result<Vec<Counter>> {
    let mut found: HashMap<(i64, BudgetScope, i64, String, String), Counter> = HashMap::with_capacity(keys.len());
    for run in runs(keys) {
        let sql = format!(
            "insert into message_count (day, scope, scope_id, partner, channel, oem_id) values {}
             on conflict (day, oem_id, scope, scope_id, partner, channel) do update set sent = message_count.sent
             returning oem_id, scope, scope_id, partner, channel, sent, held_back",
            rows_of_placeholders(tx.dialect(), run.len(), 6)
        );
        let values = all(run, |values, key| {
            let values = values.with(day).with(key.scope.as_str()).with(key.scope_id);
            values.with(key.partner).with(key.channel).with(key.oem_id)
        });
        for row in tx.fetch_all::<CounterRow>(AssertSqlSafe(sql), values).await? {
            let CounterRow { oem_id, scope, scope_id, partner, channel, sent, held_back } = row;
            let Some(scope) = BudgetScope::find(&scope) else { continue };
            found.insert((oem_id, scope, scope_id, partner, channel), Counter { sent, held_back });
        }
    }
    let counter = |key: &CounterKey<'_>| {
        let CounterKey { oem_id, scope, scope_id, partner, channel } = *key;
        found.get(&(oem_id, scope, scope_id, partner.to_owned(), channel.to_owned()))
    };
    Ok(keys.iter().map(|key| counter(key).copied().unwrap_or_default()).collect())
}

/// Writes counters that the transaction has locked.
pub(crate) async fn save(tx: &mut Tx, day: &str, counters: &[(CounterKey<'_>, Counter)]) -> Result<()> {
    for run in runs(counters) {
        let sql = format!(
            "update message_count set sent = new.column7, held_back = new.column8 from (values {}) as new
             where message_count.day = new.column1 and message_count.oem_id = new.column2
                 and message_count.scope = new.column3 and message_count.scope_id = new.column4
                 and message_count.partner = new.column5 and message_count.channel = new.column6",
            rows_of_placeholders(tx.dialect(), run.len(), 8)
        );
        let values = all(run, |values, (key, counter)| {
            values
                .with(day)
                .with(key.oem_id)
                .with(key.scope.as_str())
                .with(key.scope_id)
                .with(key.partner)
                .with(key.channel)
                .with(counter.sent)
                .with(counter.held_back)
        });
        tx.execute(AssertSqlSafe(sql), values).await?;
    }
    Ok(())
}

/// The manufacturer's counters of the day: those with the most held-back messages first, then those with the most
/// messages.
pub(crate) async fn spending(db: &Db, oem_id: i64, day: &str, most: i64) -> Result<Vec<SpendingRow>> {
    db.fetch_all(
        "select c.scope, coalesce(d.dsn, u.email, o.name, nullif(c.partner, '')) as name, c.channel, c.sent, c.held_back
         from message_count c
         left join device d on c.scope = 'device' and d.id = c.scope_id
         left join users u on c.scope in ('author', 'notice') and u.id = c.scope_id
         left join oem o on c.scope = 'manufacturer' and o.id = c.scope_id
         where c.day = $1 and c.oem_id = $2
         order by c.held_back desc, c.sent desc, c.scope, c.scope_id, c.partner, c.channel limit $3",
        params![day, oem_id, most],
    )
    .await
}

/// The limits that these manufacturers set for themselves.
pub(crate) async fn overrides(tx: &mut Tx, oems: &[i64]) -> Result<HashMap<i64, MessageLimitOverrides>> {
    let mut found = HashMap::new();
    for run in key_runs(oems) {
        let names = placeholders(tx.dialect(), run.len());
        let sql = format!("{LIMITS} where oem_id in ({names})");
        let rows: Vec<LimitsRow> =
            tx.fetch_all(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
        found.extend(rows.into_iter().map(|row| (row.oem_id, row.into())));
    }
    Ok(found)
}

const LIMITS: &str =
    "select oem_id, gap_seconds, per_device, per_author, per_manufacturer, per_partner from message_limits";

/// The limits that the manufacturer set for itself.
pub(crate) async fn overrides_of(db: &Db, oem_id: i64) -> Result<MessageLimitOverrides> {
    let row: Option<LimitsRow> =
        db.fetch_optional(AssertSqlSafe(format!("{LIMITS} where oem_id = $1")), params![oem_id]).await?;
    Ok(row.map(MessageLimitOverrides::from).unwrap_or_default())
}

/// Replaces the limits that the manufacturer set for itself.
pub(crate) async fn set_overrides(db: &Db, oem_id: i64, own: MessageLimitOverrides) -> Result<()> {
    db.execute(
        "insert into message_limits (oem_id, gap_seconds, per_device, per_author, per_manufacturer, per_partner)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (oem_id) do update set gap_seconds = excluded.gap_seconds, per_device = excluded.per_device,
             per_author = excluded.per_author, per_manufacturer = excluded.per_manufacturer,
             per_partner = excluded.per_partner",
        params![
            oem_id,
            own.gap.map(|gap| gap.as_secs()),
            own.per_device.map(i64::from),
            own.per_author.map(i64::from),
            own.per_manufacturer.map(i64::from),
            own.per_partner.map(i64::from)
        ],
    )
    .await?;
    Ok(())
}

/// Records that these addresses get a notice about a spent budget today. Returns those that had none yet.
pub(crate) async fn record_notices(
    tx: &mut Tx,
    day: &str,
    oem_id: i64,
    addresses: &[(&str, &str)],
) -> Result<BTreeSet<(String, String)>> {
    let mut new = BTreeSet::new();
    for run in runs(addresses) {
        let sql = format!(
            "insert into budget_notice (day, oem_id, channel, recipient) values {}
             on conflict (day, oem_id, channel, recipient) do nothing returning channel, recipient",
            rows_of_placeholders(tx.dialect(), run.len(), 4)
        );
        let values =
            all(run, |values, (channel, recipient)| values.with(day).with(oem_id).with(*channel).with(*recipient));
        new.extend(tx.fetch_all::<(String, String)>(AssertSqlSafe(sql), values).await?);
    }
    Ok(new)
}

/// Deletes some notices of days before `day`. Returns whether there may be more.
pub(crate) async fn clear_notices(db: &Db, day: &str) -> Result<bool> {
    let sql = "delete from budget_notice where (day, oem_id, channel, recipient) in
                   (select day, oem_id, channel, recipient from budget_notice where day < $1 limit $2)";
    Ok(db.execute(sql, params![day, BATCH as i64]).await? == BATCH)
}

/// Deletes some counters of days before `day`. Returns whether there may be more.
pub(crate) async fn clear(db: &Db, day: &str) -> Result<bool> {
    let sql = "delete from message_count where (day, oem_id, scope, scope_id, partner, channel) in
                   (select day, oem_id, scope, scope_id, partner, channel from message_count where day < $1 limit $2)";
    Ok(db.execute(sql, params![day, BATCH as i64]).await? == BATCH)
}
