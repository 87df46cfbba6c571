//! The last message of a source to a recipient, and what was held back since.

use std::collections::BTreeSet;

use jiff::Timestamp;
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::to_micros;
use sqlx::AssertSqlSafe;

/// Maximum number of rows that one transaction deletes.
const BATCH: u64 = 1_000;

/// A source and a recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GapKey<'a> {
    pub(crate) source: &'a str,
    pub(crate) source_id: i64,
    pub(crate) channel: &'a str,
    pub(crate) recipient: &'a str,
}

/// The messages of a source to a recipient.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct GapRow {
    source: String,
    pub(crate) source_id: i64,
    channel: String,
    recipient: String,
    pub(crate) device_id: i64,
    /// `None` if budgets held back all of them.
    pub(crate) sent_at: Option<i64>,
    /// What the last message reported; `None` for an event without a state.
    pub(crate) reported_state: Option<String>,
    /// Number of events since the last message, without those since `crossings`.
    pub(crate) held_back: i64,
    /// The number of crossings of the trigger that messages have reported or `held_back` counts; 0 for other sources.
    pub(crate) crossings: i64,
    /// When to settle what was held back; `None` if nothing is pending.
    pub(crate) due_at: Option<i64>,
    pub(crate) updated_at: i64,
}

/// A row to write.
pub(crate) struct NewGap<'a> {
    pub(crate) key: GapKey<'a>,
    pub(crate) device_id: i64,
    pub(crate) sent_at: Option<i64>,
    pub(crate) reported_state: Option<&'a str>,
    pub(crate) held_back: i64,
    pub(crate) crossings: i64,
    pub(crate) due_at: Option<i64>,
}

impl GapRow {
    pub(crate) fn key(&self) -> GapKey<'_> {
        let Self { source, channel, recipient, .. } = self;
        GapKey { source, source_id: self.source_id, channel, recipient }
    }

    /// The same row with another time to settle it.
    pub(crate) fn with_due_at(&self, due_at: Option<i64>) -> NewGap<'_> {
        let Self { device_id, sent_at, held_back, crossings, .. } = *self;
        let reported_state = self.reported_state.as_deref();
        NewGap { key: self.key(), device_id, sent_at, reported_state, held_back, crossings, due_at }
    }

    /// Whether it is time to settle what was held back.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        self.due_at.is_some_and(|due_at| due_at <= to_micros(now))
    }
}

/// Ids and devices of sources of this kind with messages that are due. A source can have more of them than those that were counted.
pub(crate) async fn due_sources(tx: &mut Tx, source: &str, most: i64, now: Timestamp) -> Result<BTreeSet<(i64, i64)>> {
    let sql =
        "select source_id, device_id from message_gap where source = $1 and due_at <= $2 order by due_at limit $3";
    let rows: Vec<(i64, i64)> = tx.fetch_all(sql, params![source, now, most]).await?;
    Ok(rows.into_iter().collect())
}

/// The rows of these sources, which the caller has locked, in the order of their keys.
pub(crate) async fn of_locked(tx: &mut Tx, source: &str, ids: &[i64]) -> Result<Vec<GapRow>> {
    let mut rows = Vec::new();
    for run in key_runs(ids) {
        let names = placeholders(tx.dialect(), run.len() + 1);
        let (first, others) = names.split_once(", ").unwrap_or((&names, ""));
        let sql = format!(
            "select source, source_id, channel, recipient, device_id, sent_at, reported_state, held_back, crossings, due_at,
                 updated_at
             from message_gap
             where source = {first} and source_id in ({others})"
        );
        let values = run.into_iter().fold(params![source], Params::with);
        rows.extend(tx.fetch_all::<GapRow>(AssertSqlSafe(sql), values).await?);
    }
    rows.sort_unstable_by(|one, other| one.key().cmp(&other.key()));
    Ok(rows)
}

/// Writes the rows.
pub(crate) async fn save(tx: &mut Tx, rows: &[NewGap<'_>], now: Timestamp) -> Result<()> {
    for run in runs(rows) {
        let sql = format!(
            "insert into message_gap (source, source_id, channel, recipient, device_id, sent_at, reported_state, held_back,
                 crossings, due_at, updated_at)
             values {}
             on conflict (source, source_id, channel, recipient) do update
             set device_id = excluded.device_id, sent_at = excluded.sent_at, reported_state = excluded.reported_state,
                 held_back = excluded.held_back, crossings = excluded.crossings, due_at = excluded.due_at,
                 updated_at = excluded.updated_at",
            rows_of_placeholders(tx.dialect(), run.len(), 11)
        );
        let values = all(run, |values, row| {
            values
                .with(row.key.source)
                .with(row.key.source_id)
                .with(row.key.channel)
                .with(row.key.recipient)
                .with(row.device_id)
                .with(row.sent_at)
                .with(row.reported_state)
                .with(row.held_back)
                .with(row.crossings)
                .with(row.due_at)
                .with(now)
        });
        tx.execute(AssertSqlSafe(sql), values).await?;
    }
    Ok(())
}

/// Deletes some rows that were last updated before `before` and have nothing pending. Returns whether there may be more.
pub(crate) async fn clear(db: &Db, before: Timestamp) -> Result<bool> {
    let sql = "delete from message_gap where (source, source_id, channel, recipient) in
                   (select source, source_id, channel, recipient from message_gap
                    where updated_at < $1 and due_at is null limit $2)";
    Ok(db.execute(sql, params![before, BATCH as i64]).await? == BATCH)
}
