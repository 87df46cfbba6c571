//! Retention: deletes old datapoints, with their settled commands and files.
//!
//! Ids are ordered by time, so each retention period passes over the table once; `cleared_to` is its progress.

use std::collections::BTreeSet;

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::random::first_uuid_at;
use sqlx::AssertSqlSafe;

/// How many datapoints one transaction visits.
pub(crate) const BATCH: usize = 1_000;

#[derive(sqlx_macros::FromRow)]
struct VisitedRow {
    id: String,
    previous: Option<String>,
    last_datapoint: Option<String>,
    retention_days: Option<i64>,
}

/// The retention periods of all templates, in days.
pub(crate) async fn all(db: &Db) -> Result<Vec<i64>> {
    let rows: Vec<(i64,)> =
        db.fetch_all("select distinct retention_days from template_property order by 1", params![]).await?;
    Ok(rows.into_iter().map(|(days,)| days).collect())
}

/// Visits the next datapoints older than `until` and deletes those with a retention of `days`. The newest datapoint of
/// a property stays until its successor is visited, and one with a pending command stays too. Returns whether there may
/// be more.
pub(crate) async fn clear(db: &Db, days: i64, until: Timestamp) -> Result<bool> {
    let mut tx = db.begin().await?;
    let sql = format!("select cleared_to from retention where days = $1{}", tx.for_update());
    let cleared_to: Option<(String,)> = tx.fetch_optional(AssertSqlSafe(sql), params![days]).await?;
    let rows: Vec<VisitedRow> = tx
        .fetch_all(
            "select d.id, d.previous, p.last_datapoint, t.retention_days
             from datapoint d
             left join property p on p.id = d.property_id
             left join template_property t on t.id = p.template_property_id
             where d.id > $1 and d.id < $2 order by d.id limit $3",
            params![cleared_to.map_or_else(String::new, |(id,)| id), first_uuid_at(until), BATCH as i64],
        )
        .await?;
    let Some(last) = rows.last() else { return Ok(false) };
    let cleared_to = last.id.clone();
    let full = rows.len() == BATCH;
    let mut over = BTreeSet::new();
    for VisitedRow { id, previous, last_datapoint, retention_days } in rows {
        if retention_days.is_none_or(|retention| retention == days) {
            over.extend(previous);
            if last_datapoint.as_ref() != Some(&id) {
                over.insert(id);
            }
        }
    }
    delete(&mut tx, &over.into_iter().collect::<Vec<_>>()).await?;
    tx.execute(
        "insert into retention (days, cleared_to) values ($1, $2)
         on conflict (days) do update set cleared_to = excluded.cleared_to",
        params![days, cleared_to],
    )
    .await?;
    tx.commit().await?;
    Ok(full)
}

/// Moves the progress back to imported datapoints of this age.
pub(crate) async fn reopen(tx: &mut Tx, oldest: Timestamp) -> Result<()> {
    tx.execute("update retention set cleared_to = $1 where cleared_to > $1", params![first_uuid_at(oldest)]).await?;
    Ok(())
}

async fn delete(tx: &mut Tx, ids: &[String]) -> Result<()> {
    for run in key_runs(ids) {
        let keys = || run.iter().fold(Params::default(), Params::with);
        let names = placeholders(tx.dialect(), run.len());
        let waits = "select 1 from command c where c.id = datapoint.id and c.state = 'pending'";
        let sql = format!("delete from datapoint where id in ({names}) and not exists ({waits})");
        tx.execute(AssertSqlSafe(sql), keys()).await?;
        let sql = format!("delete from file where id in ({names})");
        tx.execute(AssertSqlSafe(sql), keys()).await?;
        let sql = format!("delete from command where id in ({names}) and state <> 'pending'");
        tx.execute(AssertSqlSafe(sql), keys()).await?;
    }
    Ok(())
}
