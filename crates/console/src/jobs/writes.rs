//! What jobs wrote to their targets, as long as they can be undone.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, params};
use uuid::Uuid;

/// How long an ended job can be undone.
pub(super) const UNDO_PERIOD: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Stores what a job writes to a target, in place of what was stored before.
pub(crate) async fn store(db: &Db, job: Uuid, dsn: &str, written: &str) -> Result<()> {
    let sql = "insert into job_writes (job_id, dsn, written) values ($1, $2, $3) \
               on conflict (job_id, dsn) do update set written = excluded.written";
    db.execute(sql, params![job, dsn, written]).await?;
    Ok(())
}

/// Reads what a job wrote to a target.
pub(crate) async fn find(db: &Db, job: Uuid, dsn: &str) -> Result<Option<String>> {
    let sql = "select written from job_writes where job_id = $1 and dsn = $2";
    let row: Option<(String,)> = db.fetch_optional(sql, params![job, dsn]).await?;
    Ok(row.map(|(written,)| written))
}

/// The targets that a job wrote to, in its order.
pub(super) async fn targets(db: &Db, job: Uuid) -> Result<Vec<String>> {
    let sql = "select job_targets.dsn from job_targets \
               join job_writes on job_writes.job_id = job_targets.job_id and job_writes.dsn = job_targets.dsn \
               where job_targets.job_id = $1 order by job_targets.position";
    let rows: Vec<(String,)> = db.fetch_all(sql, params![job]).await?;
    Ok(rows.into_iter().map(|(dsn,)| dsn).collect())
}

/// Deletes what the job wrote that `undo` has undone, once no target of `undo` is left.
pub(super) async fn clear_undone(db: &Db, undo: Uuid) -> Result<()> {
    let sql = "delete from job_writes where job_id = (select undoes from jobs where id = $1 and state <> 'running') \
               and not exists (select 1 from job_targets where job_id = $1 and state not in ('done', 'left'))";
    db.execute(sql, params![undo]).await?;
    Ok(())
}

/// Deletes what jobs wrote that ended before this time. A job that is being undone keeps it.
pub(super) async fn delete_ended_before(db: &Db, before: Timestamp) -> Result<u64> {
    let sql = "delete from job_writes where job_id in (select id from jobs where ended_at < $1 and not exists \
               (select 1 from jobs as undo where undo.id = jobs.undone_by and undo.state = 'running'))";
    db.execute(sql, params![before]).await
}
