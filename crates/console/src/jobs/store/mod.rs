//! The job tables.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::db::{Db, Params, Result, Tx, params, rows};
use platform::run::clock::from_micros;
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::states::{JobCounts, JobState, TargetState};
use super::writes::UNDO_PERIOD;
use crate::audit::Operation;
use crate::policy::session_hash::SessionHash;
use crate::policy::{Actor, Scope};

/// Maximum number of running jobs of one user: fewer than a node runs, so that other users' jobs can run.
const MAX_RUNNING: i64 = 5;

/// Result of starting a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartOutcome {
    Started,
    /// The job is already running.
    AlreadyRunning,
    /// The user has the maximum number of running jobs.
    TooManyRunning,
    /// The job has been undone, or its undo was started.
    Undone,
}

/// A stored job. It has no `Debug`, because the work may contain personal data.
#[derive(Clone)]
pub(super) struct StoredJob {
    pub(super) id: Uuid,
    /// The operation that started it; `None` if that is unknown.
    pub(super) operation: Option<Operation>,
    /// JSON of the work; empty once all targets are processed.
    pub(super) work: String,
    /// The e-mail address of the user who started the job; empty if unknown.
    pub(super) email: String,
    /// The user who started it.
    pub(super) user: Uuid,
    /// The e-mail address of the user who retried it last; `None` if nobody has.
    pub(super) retried_by: Option<String>,
    /// The session whose tokens the job uses.
    pub(super) session: SessionHash,
    pub(super) state: JobState,
    pub(super) created_at: Timestamp,
    pub(super) ended_at: Option<Timestamp>,
    /// When the job continues, if it waits for the device cloud.
    pub(super) resumes_at: Option<Timestamp>,
    /// How often it was paused since its last progress.
    pub(super) pauses: u32,
    /// The job that it undoes.
    pub(super) undoes: Option<Uuid>,
    /// The job that undoes it.
    pub(super) undone_by: Option<Uuid>,
    /// Whether it is stored what the job wrote.
    pub(super) has_writes: bool,
}

impl StoredJob {
    /// Whether it has ended within the last days and what it wrote is known. An undo cannot be undone.
    pub(super) fn can_be_undone(&self, now: Timestamp) -> bool {
        let is_recent = self.ended_at.is_some_and(|ended| now.duration_since(ended) < UNDO_PERIOD);
        self.has_writes && is_recent && self.state != JobState::Running && self.undone_by.is_none()
    }
}

/// A target that has not been processed.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub(super) struct WaitingTarget {
    pub(super) position: i64,
    pub(super) dsn: String,
    /// How often the device cloud failed at it.
    pub(super) attempts: i64,
}

/// A target with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredTarget {
    pub(super) position: i64,
    pub(super) dsn: String,
    pub(super) state: TargetState,
    pub(super) reason: Option<String>,
}

#[derive(FromRow)]
struct TargetRow {
    position: i64,
    dsn: String,
    state: String,
    reason: Option<String>,
}

impl From<TargetRow> for StoredTarget {
    fn from(row: TargetRow) -> Self {
        let state = TargetState::from_name(&row.state).unwrap_or(TargetState::Waiting);
        Self { position: row.position, dsn: row.dsn, state, reason: row.reason }
    }
}

#[derive(FromRow)]
struct JobRow {
    id: String,
    operation: String,
    work: String,
    user_id: String,
    email: String,
    retried_by: Option<String>,
    session: String,
    state: String,
    created_at: i64,
    ended_at: Option<i64>,
    resumes_at: Option<i64>,
    pauses: i64,
    undoes: Option<String>,
    undone_by: Option<String>,
    has_writes: i64,
}

impl From<JobRow> for StoredJob {
    fn from(row: JobRow) -> Self {
        Self {
            id: Uuid::parse_str(&row.id).unwrap_or_default(),
            operation: Operation::from_id(&row.operation),
            work: row.work,
            email: row.email,
            user: Uuid::parse_str(&row.user_id).unwrap_or_default(),
            retried_by: row.retried_by,
            session: SessionHash::from_stored(row.session),
            state: JobState::from_name(&row.state).unwrap_or(JobState::Interrupted),
            created_at: from_micros(row.created_at),
            ended_at: row.ended_at.map(from_micros),
            resumes_at: row.resumes_at.map(from_micros),
            pauses: u32::try_from(row.pauses).unwrap_or(u32::MAX),
            undoes: row.undoes.and_then(|id| Uuid::parse_str(&id).ok()),
            undone_by: row.undone_by.and_then(|id| Uuid::parse_str(&id).ok()),
            has_writes: row.has_writes > 0,
        }
    }
}

/// A job to start.
#[derive(Clone, Copy)]
pub(super) struct NewJob<'a> {
    pub(super) id: Uuid,
    pub(super) operation: Operation,
    /// The work as JSON.
    pub(super) work: &'a str,
    pub(super) starter: &'a Actor,
    pub(super) now: Timestamp,
    pub(super) dsns: &'a [String],
    /// The ended job that it undoes.
    pub(super) undoes: Option<Uuid>,
}

/// Stores a new running job, unless the user has too many, or the job to undo runs or has been undone.
pub(super) async fn insert(db: &Db, new: NewJob<'_>) -> Result<StartOutcome> {
    let NewJob { id, operation, work, starter, now, dsns, undoes } = new;
    let (job, waiting) = (id.to_string(), TargetState::Waiting.name());
    let mut tx = db.begin().await?;
    if !has_room(&mut tx, starter.user).await? {
        return Ok(StartOutcome::TooManyRunning);
    }
    if let Some(undone) = undoes {
        // The row of the job is locked until the commit, so that a retry and another undo wait.
        let sql = "update jobs set undone_by = $2 where id = $1 and state <> 'running' and undone_by is null";
        if tx.execute(sql, params![undone, &job]).await? == 0 {
            return Ok(StartOutcome::Undone);
        }
    }
    let state = JobState::Running.name();
    tx.execute(
        "insert into jobs (id, operation, work, user_id, session, state, created_at, undoes, email) values ($1, $2, $3, \
         $4, $5, $6, $7, $8, coalesce((select email from sessions where id_hash = $5), ''))",
        params![&job, operation.id(), work, starter.user, starter.session.as_str(), state, now, undoes],
    )
    .await?;
    let targets: Vec<(i64, &String)> = (0..).zip(dsns).collect();
    let insert = "insert into job_targets (job_id, position, dsn, state)";
    rows::insert_rows(&mut tx, insert, 4, &targets, |values, (position, dsn)| {
        values.with(&job).with(*position).with(*dsn).with(waiting)
    })
    .await?;
    tx.commit().await?;
    Ok(StartOutcome::Started)
}

/// Whether the user may start another job. On PostgreSQL, concurrent starts may exceed the limit.
async fn has_room(tx: &mut Tx, user: Uuid) -> Result<bool> {
    let sql = "select count(*) from jobs where user_id = $1 and state = 'running'";
    let (running,): (i64,) = tx.fetch_one(sql, params![user]).await?;
    Ok(running < MAX_RUNNING)
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, operation, work, user_id, email, retried_by, session, state, created_at, ended_at, resumes_at, pauses, \
             undoes, undone_by, (select count(*) from (select 1 from job_writes where job_id = jobs.id limit 1) as writes) as has_writes from jobs",
            $rest
        )
    };
}

/// Reads a job.
pub(super) async fn find(db: &Db, id: Uuid) -> Result<Option<StoredJob>> {
    let row: Option<JobRow> = db.fetch_optional(select!(" where id = $1"), params![id]).await?;
    Ok(row.map(Into::into))
}

/// Which jobs to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JobFilter {
    /// Only jobs that this user started.
    pub(super) user: Option<Uuid>,
    pub(super) is_running: bool,
    /// Only jobs that were started before this one.
    pub(super) before: Option<Uuid>,
}

/// Reads jobs, newest first, `limit` at most.
pub(super) async fn list(db: &Db, filter: JobFilter, limit: u64) -> Result<Vec<StoredJob>> {
    let sql = select!(
        " where ($1 is null or user_id = $1) and ($2 = 0 or state = 'running') and ($3 is null or id < $3) \
         order by id desc limit $4"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows: Vec<JobRow> =
        db.fetch_all(sql, params![filter.user, i64::from(filter.is_running), filter.before, limit]).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// The number of jobs that have not ended.
pub(crate) async fn count_running(db: &Db) -> Result<i64> {
    let (count,): (i64,) = db.fetch_one("select count(*) from jobs where state = 'running'", params![]).await?;
    Ok(count)
}

/// Counts a job's targets by state.
pub(super) async fn counts(db: &Db, id: Uuid) -> Result<JobCounts> {
    Ok(counts_of(db, &[id]).await?.remove(&id).unwrap_or_default())
}

/// Counts the targets of several jobs by state.
pub(super) async fn counts_of(db: &Db, ids: &[Uuid]) -> Result<HashMap<Uuid, JobCounts>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "select job_id, state, count(*) from job_targets where job_id in ({}) group by job_id, state",
        rows::placeholders(db.dialect(), ids.len())
    );
    let values = rows::all(ids, |values, id| values.with(*id));
    let rows: Vec<(String, String, i64)> = db.fetch_all(AssertSqlSafe(sql), values).await?;
    let mut all: HashMap<Uuid, JobCounts> = HashMap::new();
    for (id, state, count) in rows {
        let counts = all.entry(Uuid::parse_str(&id).unwrap_or_default()).or_default();
        let count = count.unsigned_abs();
        counts.total += count;
        match TargetState::from_name(&state) {
            Some(TargetState::Done) => counts.done += count,
            Some(TargetState::Failed) => counts.failed += count,
            Some(TargetState::Left) => counts.left += count,
            Some(TargetState::Cancelled) => counts.cancelled += count,
            Some(TargetState::Waiting) | None => counts.waiting += count,
        }
    }
    Ok(all)
}

/// Reads a page of a job's targets in order, `limit` at most, from the position `from`; only those in `state` if given.
pub(super) async fn targets(
    db: &Db,
    id: Uuid,
    state: Option<TargetState>,
    from: i64,
    limit: i64,
) -> Result<Vec<StoredTarget>> {
    let sql = "select position, dsn, state, reason from job_targets where job_id = $1 and position >= $2 \
               and ($3 is null or state = $3) order by position limit $4";
    let rows: Vec<TargetRow> = db.fetch_all(sql, params![id, from, state.map(TargetState::name), limit]).await?;
    Ok(rows.into_iter().map(StoredTarget::from).collect())
}

/// The serial numbers of those of these devices that are in the scope, by dsn.
pub(super) async fn serial_numbers(db: &Db, scope: Scope<'_>, dsns: &[String]) -> Result<HashMap<String, String>> {
    let mut found = HashMap::new();
    for run in rows::key_runs(dsns) {
        let dsns = rows::placeholders(db.dialect(), run.len());
        let sql = format!("select dsn, csp, serial_number from idx_devices where dsn in ({dsns})");
        let params = run.iter().fold(params![], Params::with);
        let rows: Vec<(String, String, String)> = db.fetch_all(AssertSqlSafe(sql), params).await?;
        found.extend(
            rows.into_iter()
                .filter(|(_, csp, number)| !number.is_empty() && is_in_scope(scope, csp))
                .map(|(dsn, _, number)| (dsn, number)),
        );
    }
    Ok(found)
}

fn is_in_scope(scope: Scope<'_>, csp: &str) -> bool {
    match scope {
        Scope::Everything => true,
        Scope::Csp(own) => own == csp,
        Scope::Nothing => false,
    }
}

/// Reads the unchanged targets of a job in this state; while it is running, waiting targets are not included.
pub(super) async fn unfinished(db: &Db, id: Uuid, job: JobState) -> Result<Vec<StoredTarget>> {
    let sql = "select position, dsn, state, reason from job_targets where job_id = $1 and state <> $2 and state <> $3 \
               order by position";
    let done = TargetState::Done.name();
    let still_to_come = if job == JobState::Running { TargetState::Waiting.name() } else { done };
    let rows: Vec<TargetRow> = db.fetch_all(sql, params![id, done, still_to_come]).await?;
    Ok(rows.into_iter().map(StoredTarget::from).collect())
}

/// Claims the oldest job with work left and no valid claim at `now`, until `until`. Paused jobs are left out until they
/// continue.
pub(super) async fn claim(db: &Db, run: &str, now: Timestamp, until: Timestamp) -> Result<Option<StoredJob>> {
    loop {
        let free: Option<(String,)> = db
            .fetch_optional(
                "select id from jobs where state = 'running' and (claimed_by is null or claimed_until <= $1) \
                 and (resumes_at is null or resumes_at <= $1) order by id limit 1",
                params![now],
            )
            .await?;
        let Some((id,)) = free else { return Ok(None) };
        let claimed = db
            .execute(
                "update jobs set claimed_by = $2, claimed_until = $4, resumes_at = null \
                 where id = $1 and state = 'running' and (claimed_by is null or claimed_until <= $3)",
                params![&id, run, now, until],
            )
            .await?;
        if claimed > 0 {
            return find(db, Uuid::parse_str(&id).unwrap_or_default()).await;
        }
    }
}

/// Extends a claim until `until`; returns whether it is still valid: the job is running and not claimed by another run.
pub(super) async fn extend_claim(db: &Db, id: Uuid, run: &str, until: Timestamp) -> Result<bool> {
    let sql = "update jobs set claimed_until = $3 where id = $1 and claimed_by = $2 and state = 'running'";
    Ok(db.execute(sql, params![id, run, until]).await? > 0)
}

/// Releases a claim, so that another run can continue immediately.
pub(super) async fn release_claim(db: &Db, id: Uuid, run: &str) -> Result<()> {
    let sql = "update jobs set claimed_by = null, claimed_until = null where id = $1 and claimed_by = $2";
    db.execute(sql, params![id, run]).await?;
    Ok(())
}

/// Pauses a job that this run has claimed, until `resumes_at`.
pub(super) async fn pause(db: &Db, id: Uuid, run: &str, resumes_at: Timestamp) -> Result<()> {
    let sql = "update jobs set claimed_by = null, claimed_until = null, resumes_at = $3, pauses = pauses + 1 \
               where id = $1 and claimed_by = $2 and state = 'running'";
    db.execute(sql, params![id, run, resumes_at]).await?;
    Ok(())
}

/// Records that a paused job makes progress again.
pub(super) async fn forget_pauses(db: &Db, id: Uuid) -> Result<()> {
    db.execute("update jobs set pauses = 0 where id = $1", params![id]).await?;
    Ok(())
}

/// Reads the waiting targets in order; those at which the device cloud failed come last.
pub(super) async fn waiting_targets(db: &Db, id: Uuid) -> Result<Vec<WaitingTarget>> {
    let sql = "select position, dsn, attempts from job_targets where job_id = $1 and state = 'waiting' \
               order by attempts, position";
    db.fetch_all(sql, params![id]).await
}

/// Counts a failure of the device cloud at a target that stays waiting.
pub(super) async fn record_attempt(db: &Db, id: Uuid, position: i64) -> Result<()> {
    let sql =
        "update job_targets set attempts = attempts + 1 where job_id = $1 and position = $2 and state = 'waiting'";
    db.execute(sql, params![id, position]).await?;
    Ok(())
}

/// Stores the result of a target, with the reason if it is not done. Results also count after the job was cancelled.
pub(super) async fn record_result(
    db: &Db,
    id: Uuid,
    position: i64,
    state: TargetState,
    reason: Option<String>,
) -> Result<()> {
    db.execute(
        "update job_targets set state = $3, reason = $4 \
         where job_id = $1 and position = $2 and state in ('waiting', 'cancelled')",
        params![id, position, state.name(), reason],
    )
    .await?;
    Ok(())
}

/// Ends a job that this run has claimed.
pub(super) async fn end(db: &Db, id: Uuid, run: &str, state: JobState, now: Timestamp) -> Result<()> {
    let sql = "update jobs set state = $3, ended_at = $4, claimed_by = null, claimed_until = null \
               where id = $1 and claimed_by = $2 and state = 'running'";
    db.execute(sql, params![id, run, state.name(), now]).await?;
    Ok(())
}

/// Cancels a running job and its waiting targets.
pub(super) async fn cancel(db: &Db, id: Uuid, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    let sql = "update jobs set state = 'cancelled', ended_at = $2, claimed_by = null, claimed_until = null, \
               resumes_at = null \
               where id = $1 and state = 'running'";
    if tx.execute(sql, params![id, now]).await? > 0 {
        let sql = "update job_targets set state = 'cancelled' where job_id = $1 and state = 'waiting'";
        tx.execute(sql, params![id]).await?;
    }
    tx.commit().await
}

/// Restarts an ended job in this session for all targets that are not processed, unless its owner has too many running jobs
/// or it has been undone.
pub(super) async fn retry(db: &Db, job: &StoredJob, session: &SessionHash) -> Result<StartOutcome> {
    let mut tx = db.begin().await?;
    if !has_room(&mut tx, job.user).await? {
        return Ok(StartOutcome::TooManyRunning);
    }
    let sql = "update jobs set state = 'running', ended_at = null, session = $2, pauses = 0, \
               retried_by = (select email from sessions where id_hash = $2) \
               where id = $1 and state <> 'running' and undone_by is null";
    if tx.execute(sql, params![job.id, session.as_str()]).await? == 0 {
        let sql = "select undone_by from jobs where id = $1";
        let undone_by: Option<(Option<String>,)> = tx.fetch_optional(sql, params![job.id]).await?;
        let is_undone = undone_by.is_some_and(|(by,)| by.is_some());
        return Ok(if is_undone { StartOutcome::Undone } else { StartOutcome::AlreadyRunning });
    }
    let sql = "update job_targets set state = 'waiting', reason = null, attempts = 0 \
               where job_id = $1 and state not in ('done', 'left')";
    tx.execute(sql, params![job.id]).await?;
    tx.commit().await?;
    Ok(StartOutcome::Started)
}

/// Clears the work of an ended job whose targets are all processed: it may contain personal data, and nothing is left to
/// retry.
pub(super) async fn clear_work(db: &Db, id: Uuid) -> Result<()> {
    let sql = "update jobs set work = '' where id = $1 and state <> 'running' \
               and not exists (select 1 from job_targets where job_id = $1 and state not in ('done', 'left'))";
    db.execute(sql, params![id]).await?;
    Ok(())
}

/// Deletes the jobs that ended before this time, with their targets.
pub(super) async fn delete_ended_before(db: &Db, before: Timestamp) -> Result<u64> {
    db.execute("delete from jobs where ended_at < $1", params![before]).await
}

#[cfg(test)]
mod tests;
