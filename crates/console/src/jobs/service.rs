//! Starts, reads, cancels and retries jobs.

use uuid::Uuid;

use super::dto::{JobProgress, JobView};
use super::order::Order;
use super::states::JobState;
use super::store::{self, StartOutcome, StoredJob};
use crate::audit::{self, Change, FieldChange, Operation, Target as AuditTarget};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::notice;
use crate::policy::{self, Action, Actor, Target};

/// Starts a job for these [targets](super::parse_targets), with an audit entry of the work and the number of targets.
///
/// # Errors
/// 403 if the actor may not do this work; 409 if the actor has too many running jobs.
pub(crate) async fn start(state: &CoreState, actor: &Actor, order: Order, dsns: &[String]) -> ApiResult<JobView> {
    if !order.is_permitted_to(actor) {
        return Err(ApiError::Forbidden);
    }
    let base = &state.base;
    let now = base.clock.now();
    let id = base.random.uuid_at(now);
    let mut fields = order.changes();
    fields.push(FieldChange::new("devices", None::<u64>, dsns.len()));
    let change = Change { operation: order.operation(), target: AuditTarget::job(id), fields };
    let entry = audit::begin(state, actor, &change).await?;
    let work = serde_json::to_string(&order).map_err(ApiError::internal)?;
    let started = check_started(store::insert(&base.db, id, &work, actor, now, dsns).await);
    entry.end(&started).await;
    started?;
    state.jobs.notify_one();
    view(state, &store::find(&base.db, id).await?.ok_or(ApiError::NotFound)?).await
}

/// # Errors
/// 404 for another user's job.
pub(super) async fn read(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    view(state, &find(state, actor, Action::View, id).await?).await
}

/// Cancels a job. Targets in progress are completed, and their results count. A job that has ended is not changed.
///
/// # Errors
/// 404 for another user's job.
pub(super) async fn cancel(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    let job = find(state, actor, Action::Edit, id).await?;
    let base = &state.base;
    let entry = begin(state, actor, Operation::CancelJob, id).await?;
    let cancelled = store::cancel(&base.db, id, base.clock.now()).await.map_err(ApiError::from);
    entry.end(&cancelled).await;
    cancelled?;
    notice::job(&base.bus, job.user, id);
    read(state, actor, id).await
}

/// Retries all targets that are not done, in the actor's current session.
///
/// # Errors
/// 404 for another user's job; 403 if the actor may no longer do this work; 409 if the job is running or complete, or
/// its owner has too many running jobs.
pub(super) async fn retry(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    let job = find(state, actor, Action::Edit, id).await?;
    let db = &state.base.db;
    if store::counts(db, id).await?.is_all_done() {
        return Err(ApiError::Conflict("The job has nothing left to do.".to_owned()));
    }
    if !job.order()?.is_permitted_to(actor) {
        return Err(ApiError::Forbidden);
    }
    if job.state == JobState::Running {
        return Err(still_running());
    }
    let entry = begin(state, actor, Operation::RetryJob, id).await?;
    let retried = check_started(store::retry(db, &job, &actor.session).await);
    entry.end(&retried).await;
    retried?;
    state.jobs.notify_one();
    read(state, actor, id).await
}

/// Reads the progress of a job that this actor started; `None` for any other job.
///
/// # Errors
/// Database errors.
pub(crate) async fn progress(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<Option<JobProgress>> {
    let db = &state.base.db;
    let Some(job) = store::find(db, id).await?.filter(|job| job.user == actor.user) else { return Ok(None) };
    Ok(Some(JobProgress { id: job.id, state: job.state, counts: store::counts(db, id).await? }))
}

async fn find(state: &CoreState, actor: &Actor, action: Action, id: Uuid) -> ApiResult<StoredJob> {
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
    Ok(JobView::new(job, store::counts(db, id).await?, unfinished))
}

fn check_started(outcome: platform::db::Result<StartOutcome>) -> ApiResult<()> {
    match outcome? {
        StartOutcome::Started => Ok(()),
        // Another request was faster.
        StartOutcome::AlreadyRunning => Err(still_running()),
        StartOutcome::TooManyRunning => Err(ApiError::Conflict(
            "Too many jobs are still running. Please try again when one of them has ended.".to_owned(),
        )),
    }
}

fn still_running() -> ApiError {
    ApiError::Conflict("The job is still running.".to_owned())
}
