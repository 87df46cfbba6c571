//! Starts, reads, cancels, retries and undoes jobs.

use std::sync::Arc;

use platform::db::Db;
use serde::Serialize;
use tokio::sync::Notify;
use uuid::Uuid;

use super::dto::{JobChange, JobPage, JobProgress, JobSummary, JobTargetChanges, JobTargetPage, JobView};
use super::list_query::{JobQuery, TargetQuery};
use super::states::JobState;
use super::store::{self, JobFilter, NewJob, StartOutcome, StoredJob};
use super::work::{Work, WorkKinds};
use super::writes;
use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::events::notices;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::state::CoreState;

/// Maximum number of targets in one response.
const TARGETS_PER_PAGE: u64 = 100;

/// Starts jobs and gives access to them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Jobs(Arc<Inner>);

struct Inner {
    core: CoreState,
    kinds: WorkKinds,
    /// Wakes this node's runner.
    wake: Notify,
}

impl Jobs {
    pub(crate) fn new(core: CoreState, kinds: WorkKinds) -> Self {
        Self(Arc::new(Inner { core, kinds, wake: Notify::new() }))
    }

    pub(super) fn core(&self) -> &CoreState {
        &self.0.core
    }

    /// # Errors
    /// Work that this version does not know.
    pub(super) fn parse_work(&self, job: &StoredJob) -> ApiResult<Box<dyn Work>> {
        (self.0.kinds.parse)(&job.work).map_err(ApiError::internal)
    }

    /// Waits until a job has been started on this node.
    pub(super) async fn started(&self) {
        self.0.wake.notified().await;
    }
}

/// Starts a job for these [targets](super::parse_targets), with an audit entry of the work and the number of targets.
///
/// # Errors
/// 403 if the actor may not do this work; 409 if the actor has too many running jobs.
pub(crate) async fn start(
    jobs: &Jobs,
    actor: &Actor,
    work: &(impl Work + Serialize),
    dsns: &[String],
) -> ApiResult<JobView> {
    if !work.is_permitted_to(actor) {
        return Err(ApiError::Forbidden);
    }
    let json = serde_json::to_string(work).map_err(ApiError::internal)?;
    insert(jobs, actor, work, &json, dsns, None).await
}

/// Undoes what an ended job wrote, where it has not been changed since, in a job of its own in the actor's current session.
///
/// # Errors
/// 404 for another user's job; 403 if the actor may no longer do this work; 409 if the job is running or has been undone, or if
/// it is not known any more what it wrote, or if the actor has too many running jobs.
pub(super) async fn undo(jobs: &Jobs, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    let state = jobs.core();
    let job = find(state, actor, Action::Edit, id).await?;
    if job.state == JobState::Running {
        return Err(still_running());
    }
    if job.undone_by.is_some() {
        return Err(already_undone());
    }
    let operation = job.operation.filter(|_| job.can_be_undone(state.base.clock.now()));
    let operation = operation.ok_or_else(|| ApiError::Conflict("The job cannot be undone any more.".to_owned()))?;
    let json = (jobs.0.kinds.undo)(id, operation).map_err(ApiError::internal)?;
    let work = (jobs.0.kinds.parse)(&json).map_err(ApiError::internal)?;
    if !work.is_permitted_to(actor) {
        return Err(ApiError::Forbidden);
    }
    let dsns = writes::targets(&state.base.db, id).await?;
    insert(jobs, actor, &*work, &json, &dsns, Some(id)).await
}

/// `json` is the stored form of `work`, and `undoes` the job that it undoes.
async fn insert(
    jobs: &Jobs,
    actor: &Actor,
    work: &dyn Work,
    json: &str,
    dsns: &[String],
    undoes: Option<Uuid>,
) -> ApiResult<JobView> {
    let (state, base) = (jobs.core(), &jobs.core().base);
    let now = base.clock.now();
    let id = base.random.uuid_at(now);
    let mut fields = work.changes();
    fields.push(FieldChange::new("devices", None::<u64>, dsns.len()));
    let change = Change { operation: work.operation(), target: AuditTarget::job(id), fields };
    let entry = audit::begin(state, actor, &change).await?;
    let new = NewJob { id, operation: work.operation(), work: json, starter: actor, now, dsns, undoes };
    let started = check_started(store::insert(&base.db, new).await);
    entry.end(&started).await;
    started?;
    jobs.0.wake.notify_one();
    view(state, &store::find(&base.db, id).await?.ok_or(ApiError::NotFound)?).await
}

/// The actor's own jobs, newest first; the jobs of all users if the actor may see them.
///
/// # Errors
/// 403 without a role.
pub(super) async fn list(jobs: &Jobs, actor: &Actor, query: JobQuery) -> ApiResult<JobPage> {
    policy::can(actor, Action::View, Target::Job { owner: actor.user }).require()?;
    let sees_all = policy::can(actor, Action::View, Target::AllJobs) == Decision::Allowed;
    let user = (!sees_all).then_some(actor.user);
    let filter = JobFilter { user, is_running: query.is_running, before: query.before };
    let db = &jobs.core().base.db;
    // One more shows whether there are older jobs.
    let mut found = store::list(db, filter, query.limit + 1).await?;
    let length = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let has_more = found.len() > length;
    found.truncate(length);
    let next = found.last().filter(|_| has_more).map(|last| last.id);
    let ids: Vec<Uuid> = found.iter().map(|job| job.id).collect();
    let counts = store::counts_of(db, &ids).await?;
    let now = jobs.core().base.clock.now();
    let summary = |job: &StoredJob| JobSummary::new(job, counts.get(&job.id).copied().unwrap_or_default(), now);
    Ok(JobPage { jobs: found.iter().map(summary).collect(), next })
}

/// A page of a job's targets with what it changed.
///
/// # Errors
/// 404 for another user's job.
pub(super) async fn targets(jobs: &Jobs, actor: &Actor, id: Uuid, query: TargetQuery) -> ApiResult<JobTargetPage> {
    let state = jobs.core();
    find(state, actor, Action::View, id).await?;
    let (targets, next) = page_of_targets(&state.base.db, actor, id, query, TARGETS_PER_PAGE).await?;
    Ok(JobTargetPage { targets, next })
}

/// At most `limit` targets, and the position of the next. Does not check permissions; the caller must.
pub(super) async fn page_of_targets(
    db: &Db,
    actor: &Actor,
    id: Uuid,
    query: TargetQuery,
    limit: u64,
) -> ApiResult<(Vec<JobTargetChanges>, Option<i64>)> {
    let one_more = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let mut found = store::targets(db, id, query.state, query.from, one_more).await?;
    let length = usize::try_from(limit).unwrap_or(usize::MAX);
    let next = found.get(length).map(|target| target.position);
    found.truncate(length);
    let dsns: Vec<String> = found.iter().map(|target| target.dsn.clone()).collect();
    let mut serial_numbers = store::serial_numbers(db, actor.scope(), &dsns).await?;
    let mut changes = audit::changes_of_job(db, actor, id, dsns).await?;
    let targets = found.into_iter().map(|target| JobTargetChanges {
        serial_number: serial_numbers.remove(&target.dsn),
        changes: changes.remove(&target.dsn).unwrap_or_default().into_iter().map(JobChange::from).collect(),
        target: target.into(),
    });
    Ok((targets.collect(), next))
}

/// # Errors
/// 404 for another user's job.
pub(super) async fn read(jobs: &Jobs, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    let state = jobs.core();
    view(state, &find(state, actor, Action::View, id).await?).await
}

/// Cancels a job. Targets in progress are completed, and their results count. A job that has ended is not changed.
///
/// # Errors
/// 404 for another user's job.
pub(super) async fn cancel(jobs: &Jobs, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    let state = jobs.core();
    let job = find(state, actor, Action::Edit, id).await?;
    let base = &state.base;
    let entry = begin(state, actor, Operation::CancelJob, id).await?;
    let cancelled = store::cancel(&base.db, id, base.clock.now()).await.map_err(ApiError::from);
    entry.end(&cancelled).await;
    cancelled?;
    notices::job(&base.bus, job.user, id);
    read(jobs, actor, id).await
}

/// Retries all targets that are not processed, in the actor's current session. Each target requires that the job's owner may still
/// change it, too.
///
/// # Errors
/// 404 for another user's job; 403 if the actor may no longer do this work; 409 if the job is running, complete or undone, or
/// its owner has too many running jobs.
pub(super) async fn retry(jobs: &Jobs, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    let state = jobs.core();
    let job = find(state, actor, Action::Edit, id).await?;
    let db = &state.base.db;
    if store::counts(db, id).await?.is_all_processed() {
        return Err(ApiError::Conflict("The job has nothing left to do.".to_owned()));
    }
    if !jobs.parse_work(&job)?.is_permitted_to(actor) {
        return Err(ApiError::Forbidden);
    }
    if job.state == JobState::Running {
        return Err(still_running());
    }
    if job.undone_by.is_some() {
        return Err(already_undone());
    }
    let entry = begin(state, actor, Operation::RetryJob, id).await?;
    let retried = check_started(store::retry(db, &job, &actor.session).await);
    entry.end(&retried).await;
    retried?;
    jobs.0.wake.notify_one();
    read(jobs, actor, id).await
}

/// Reads the progress of a job that this actor started; `None` for any other job.
///
/// # Errors
/// Database errors.
pub(crate) async fn progress(db: &Db, actor: &Actor, id: Uuid) -> ApiResult<Option<JobProgress>> {
    let Some(job) = store::find(db, id).await?.filter(|job| job.user == actor.user) else { return Ok(None) };
    Ok(Some(JobProgress { id: job.id, state: job.state, counts: store::counts(db, id).await? }))
}

/// # Errors
/// 404 for another user's job.
pub(super) async fn find(state: &CoreState, actor: &Actor, action: Action, id: Uuid) -> ApiResult<StoredJob> {
    let job = store::find(&state.base.db, id).await?.ok_or(ApiError::NotFound)?;
    policy::can(actor, action, Target::Job { owner: job.user }).require()?;
    Ok(job)
}

async fn begin(state: &CoreState, actor: &Actor, operation: Operation, id: Uuid) -> ApiResult<audit::Entry> {
    audit::begin(state, actor, &Change { operation, target: AuditTarget::job(id), fields: Vec::new() }).await
}

async fn view(state: &CoreState, job: &StoredJob) -> ApiResult<JobView> {
    let (db, id) = (&state.base.db, job.id);
    let unfinished = store::unfinished(db, id, job.state).await?;
    Ok(JobView::new(job, store::counts(db, id).await?, unfinished, state.base.clock.now()))
}

fn check_started(outcome: platform::db::Result<StartOutcome>) -> ApiResult<()> {
    match outcome? {
        StartOutcome::Started => Ok(()),
        // Another request was faster.
        StartOutcome::AlreadyRunning => Err(still_running()),
        StartOutcome::Undone => Err(already_undone()),
        StartOutcome::TooManyRunning => Err(ApiError::Conflict(
            "Too many jobs are still running. Please try again when one of them has ended.".to_owned(),
        )),
    }
}

fn still_running() -> ApiError {
    ApiError::Conflict("The job is still running.".to_owned())
}

fn already_undone() -> ApiError {
    ApiError::Conflict("The job has been undone already.".to_owned())
}
