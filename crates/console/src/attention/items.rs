//! The `attention_items` table, as the evaluation writes it.

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::from_micros;
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;

use crate::attention_rules::{AttentionKind, Evidence, LikelyCause};

/// An open item, or one that closed lately.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KnownItem {
    pub(super) id: String,
    /// `None` for a kind of a later version.
    pub(super) kind: Option<AttentionKind>,
    pub(super) dsn: String,
    pub(super) csp: String,
    since: Timestamp,
    pub(super) closed_at: Option<Timestamp>,
    cause: String,
    evidence: String,
}

/// What an item is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    /// Empty for a CSP.
    pub(super) dsn: &'a str,
    /// Empty for a device without a CSP.
    pub(super) csp: &'a str,
}

/// A finding to store.
#[derive(Clone, Debug)]
pub(super) struct ItemContent {
    pub(super) since: Timestamp,
    pub(super) cause: LikelyCause,
    pub(super) evidence: Evidence,
}

/// A change of an item.
#[derive(Clone, Debug)]
pub(super) enum ItemChange {
    Open {
        id: String,
        kind: AttentionKind,
        dsn: String,
        csp: String,
        content: ItemContent,
    },
    /// An item that closed lately opens again, with the time of the new cause. It is new, and keeps only its assignee.
    Reopen {
        id: String,
        content: ItemContent,
    },
    /// Cause or evidence of an open item have changed, or its cause is older than it seemed. Another cause has its own time.
    Update {
        id: String,
        content: ItemContent,
    },
    Close {
        id: String,
    },
}

#[derive(FromRow)]
struct ItemRow {
    id: String,
    kind: String,
    dsn: String,
    csp: String,
    since: i64,
    closed_at: Option<i64>,
    cause: String,
    evidence: String,
}

impl From<ItemRow> for KnownItem {
    fn from(row: ItemRow) -> Self {
        Self {
            id: row.id,
            kind: AttentionKind::from_name(&row.kind),
            dsn: row.dsn,
            csp: row.csp,
            since: from_micros(row.since),
            closed_at: row.closed_at.map(from_micros),
            cause: row.cause,
            evidence: row.evidence,
        }
    }
}

impl KnownItem {
    pub(super) fn is_open(&self) -> bool {
        self.closed_at.is_none()
    }

    /// Whether nothing of the content is new. The cause may turn out to be older than the item, for example by the history of the device.
    pub(super) fn has(&self, content: &ItemContent) -> bool {
        self.cause == <&str>::from(content.cause)
            && self.evidence == content.evidence_json()
            && self.since <= content.since
    }
}

impl ItemContent {
    fn evidence_json(&self) -> String {
        // Serialization of our own values cannot fail.
        serde_json::to_string(&self.evidence).unwrap_or_else(|_| "{}".to_owned())
    }
}

/// The items of these devices that are open or closed since `since`, the newest first.
pub(super) async fn of_devices(db: &Db, dsns: &[&str], since: Timestamp) -> Result<Vec<KnownItem>> {
    let mut items = Vec::new();
    for run in key_runs(dsns) {
        let sql = format!(
            "select id, kind, dsn, csp, since, closed_at, cause, evidence from attention_items where dsn in ({}) \
             and (closed_at is null or closed_at >= {}) order by id desc",
            placeholders(db.dialect(), run.len()),
            db.dialect().placeholder(run.len() + 1),
        );
        let keys = run.iter().fold(Params::default(), |keys, dsn| keys.with(*dsn));
        let rows: Vec<ItemRow> = db.fetch_all(AssertSqlSafe(sql), keys.with(since)).await?;
        items.extend(rows.into_iter().map(KnownItem::from));
    }
    Ok(items)
}

/// The items of CSPs that are open or closed since `since`, the newest first.
pub(super) async fn of_csps(db: &Db, since: Timestamp) -> Result<Vec<KnownItem>> {
    let sql = "select id, kind, dsn, csp, since, closed_at, cause, evidence from attention_items \
               where dsn = '' and (closed_at is null or closed_at >= $1) order by id desc";
    let rows: Vec<ItemRow> = db.fetch_all(sql, params![since]).await?;
    Ok(rows.into_iter().map(KnownItem::from).collect())
}

/// Applies a change. An item that another node has just opened is left as it is.
pub(super) async fn apply(tx: &mut Tx, change: &ItemChange, now: Timestamp) -> Result<()> {
    match change {
        ItemChange::Open { id, kind, dsn, csp, content } => {
            tx.execute(
                "insert into attention_items \
                 (id, kind, severity, dsn, csp, since, opened_at, occurrences, cause, evidence) \
                 values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9) on conflict do nothing",
                params![
                    id,
                    kind.name(),
                    kind.severity().rank(),
                    dsn,
                    csp,
                    content.since,
                    now,
                    <&str>::from(content.cause),
                    content.evidence_json(),
                ],
            )
            .await?;
        }
        ItemChange::Reopen { id, content } => {
            tx.execute(
                "update attention_items set closed_at = null, occurrences = occurrences + 1, cause = $2, evidence = $3, \
                 since = $4, acknowledged_at = null, acknowledged_by = null, snoozed_until = null \
                 where id = $1 and closed_at is not null and not exists (select 1 from attention_items other \
                 where other.dsn = attention_items.dsn and other.csp = attention_items.csp \
                 and other.kind = attention_items.kind and other.closed_at is null)",
                params![id, <&str>::from(content.cause), content.evidence_json(), content.since],
            )
            .await?;
        }
        ItemChange::Update { id, content } => {
            tx.execute(
                "update attention_items set since = case when cause = $2 and since <= $4 then since else $4 end, cause = $2, evidence = $3 \
                 where id = $1",
                params![id, <&str>::from(content.cause), content.evidence_json(), content.since],
            )
            .await?;
        }
        ItemChange::Close { id } => {
            tx.execute(
                "update attention_items set closed_at = $2 where id = $1 and closed_at is null",
                params![id, now],
            )
            .await?;
        }
    }
    Ok(())
}

/// Closes the items of devices that are no longer in the index or have moved to another CSP. Returns the CSPs of the items.
pub(super) async fn close_removed(db: &Db, now: Timestamp) -> Result<Vec<String>> {
    const REMOVED: &str = "closed_at is null and dsn <> '' and not exists \
        (select 1 from idx_device_state s where s.dsn = attention_items.dsn and s.csp = attention_items.csp)";
    // Read first, because there are seldom any, and a write would wait for others.
    let sql = format!("select distinct csp from attention_items where {REMOVED}");
    let csps: Vec<(String,)> = db.fetch_all(AssertSqlSafe(sql), params![]).await?;
    if !csps.is_empty() {
        let sql = format!("update attention_items set closed_at = $1 where {REMOVED}");
        db.execute(AssertSqlSafe(sql), params![now]).await?;
    }
    Ok(csps.into_iter().map(|(csp,)| csp).collect())
}

/// Deletes items that closed before this time, at most `limit` of them, with their comments. Returns whether there may be more.
pub(super) async fn delete_closed(db: &Db, before: Timestamp, limit: i64) -> Result<bool> {
    let sql = "select id from attention_items where closed_at < $1 order by closed_at, id limit $2";
    let ids: Vec<(String,)> = db.fetch_all(sql, params![before, limit]).await?;
    if ids.is_empty() {
        return Ok(false);
    }
    let ids = ids.as_slice();
    let work = |mut tx: Tx| async move {
        for (id,) in ids {
            tx.execute("delete from attention_comments where item_id = $1", params![id]).await?;
            tx.execute("delete from attention_items where id = $1 and closed_at < $2", params![id, before]).await?;
        }
        tx.commit().await
    };
    db.write(work).await?;
    Ok(ids.len() as i64 == limit)
}
