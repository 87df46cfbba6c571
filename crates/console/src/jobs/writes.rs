//! What jobs wrote to their targets, as long as they can be undone.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, params};
use uuid::Uuid;

/// How long an ended job can be undone.
pub(super) const UNDO_PERIOD: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Stores what a job writes to a target, in place of what was stored before.
pub(crate) async fn store(db: &Db, job: Uuid, dsn: &str, written: &str) -> Result<()> {
    let sql = "INSERT INTO job_writes (job_id, dsn, written) VALUES ($1, $2, $3) \
               ON CONFLICT (job_id, dsn) DO UPDATE SET written = excluded.written";
    db.execute(sql, params![job, dsn, written]).await?;
    Ok(())
}

/// Reads what a job wrote to a target.
pub(crate) async fn find(db: &Db, job: Uuid, dsn: &str) -> Result<Option<String>> {
    let sql = "SELECT written FROM job_writes WHERE job_id = $1 AND dsn = $2";
    let row: Option<(String,)> = db.fetch_optional(sql, params![job, dsn]).await?;
    Ok(row.map(|(written,)| written))
}

/// The targets that a job wrote to, in its order.
pub(super) async fn targets(db: &Db, job: Uuid) -> Result<Vec<String>> {
    let sql = "SELECT job_targets.dsn FROM job_targets \
               JOIN job_writes ON job_writes.job_id = job_targets.job_id AND job_writes.dsn = job_targets.dsn \
               WHERE job_targets.job_id = $1 ORDER BY job_targets.position";
    let rows: Vec<(String,)> = db.fetch_all(sql, params![job]).await?;
    Ok(rows.into_iter().map(|(dsn,)| dsn).collect())
}

/// Deletes what the job wrote that `undo` has undone, once no target of `undo` is left.
pub(super) async fn clear_undone(db: &Db, undo: Uuid) -> Result<()> {
    let sql = "DELETE FROM job_writes WHERE job_id = (SELECT undoes FROM jobs WHERE id = $1 AND state <> 'running') \
               AND NOT EXISTS (SELECT 1 FROM job_targets WHERE job_id = $1 AND state NOT IN ('done', 'left'))";
    db.execute(sql, params![undo]).await?;
    Ok(())
}

/// Deletes what jobs wrote that ended before this time. A job that is being undone keeps it.
pub(super) async fn delete_ended_before(db: &Db, before: Timestamp) -> Result<u64> {
    let sql = "DELETE FROM job_writes WHERE job_id IN (SELECT id FROM jobs WHERE ended_at < $1 AND NOT EXISTS \
               (SELECT 1 FROM jobs AS undo WHERE undo.id = jobs.undone_by AND undo.state = 'running'))";
    db.execute(sql, params![before]).await
}
