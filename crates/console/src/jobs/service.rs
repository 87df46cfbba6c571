//! Starting, reading, cancelling and retrying jobs.

use uuid::Uuid;

use super::dto::{JobProgress, JobView};
use super::order::Order;
use super::states::JobState;
use super::store::{self, Begun, Kept};
use crate::audit::{self, Change, FieldChange, Operation, Target as AuditTarget};
use crate::error::{ApiError, ApiResult};
use crate::notice;
use crate::policy::{self, Action, Actor, Target};
use crate::state::AppState;

/// Starts the work on these [targets](super::targets). It is written down which work, and on how many.
///
/// # Errors
/// 403 for who may not give such an order, 409 while too many jobs of the actor's run.
pub(crate) async fn start(state: &AppState, actor: &Actor, order: Order, dsns: &[String]) -> ApiResult<JobView> {
    if !order.may_be_given_by(actor) {
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
    let started = begun(store::insert(&base.db, id, &work, actor, now, dsns).await);
    entry.end(&started).await;
    started?;
    state.jobs.notify_one();
    view(state, &store::find(&base.db, id).await?.ok_or(ApiError::NotFound)?).await
}

/// # Errors
/// 404 for another's job.
pub(super) async fn read(state: &AppState, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    view(state, &find(state, actor, Action::View, id).await?).await
}

/// Nothing more is begun. What is under way comes to its end, and its result counts. A job that has ended stays as it is.
///
/// # Errors
/// 404 for another's job.
pub(super) async fn cancel(state: &AppState, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    let job = find(state, actor, Action::Edit, id).await?;
    let base = &state.base;
    let entry = begin(state, actor, Operation::CancelJob, id).await?;
    let cancelled = store::cancel(&base.db, id, base.clock.now()).await.map_err(ApiError::from);
    entry.end(&cancelled).await;
    cancelled?;
    notice::job(&base.bus, job.user, id);
    read(state, actor, id).await
}

/// Begins again with all targets that are not done, in the actor's present session.
///
/// # Errors
/// 404 for another's job, 403 for who may not give such an order any more; 409 for a job that runs or has nothing left to do,
/// and while too many jobs of its owner's run.
pub(super) async fn retry(state: &AppState, actor: &Actor, id: Uuid) -> ApiResult<JobView> {
    let job = find(state, actor, Action::Edit, id).await?;
    let db = &state.base.db;
    if store::counts(db, id).await?.is_all_done() {
        return Err(ApiError::Conflict("The job has nothing left to do.".to_owned()));
    }
    if !job.order()?.may_be_given_by(actor) {
        return Err(ApiError::Forbidden);
    }
    if job.state == JobState::Running {
        return Err(still_runs());
    }
    let entry = begin(state, actor, Operation::RetryJob, id).await?;
    let retried = begun(store::retry(db, &job, &actor.session).await);
    entry.end(&retried).await;
    retried?;
    state.jobs.notify_one();
    read(state, actor, id).await
}

/// How far a job has come that this actor started; `None` for every other.
///
/// # Errors
/// Of the database.
pub(crate) async fn progress(state: &AppState, actor: &Actor, id: Uuid) -> ApiResult<Option<JobProgress>> {
    let db = &state.base.db;
    let Some(job) = store::find(db, id).await?.filter(|job| job.user == actor.user) else { return Ok(None) };
    Ok(Some(JobProgress { id: job.id, state: job.state, counts: store::counts(db, id).await? }))
}

async fn find(state: &AppState, actor: &Actor, action: Action, id: Uuid) -> ApiResult<Kept> {
    let job = store::find(&state.base.db, id).await?.ok_or(ApiError::NotFound)?;
    policy::can(actor, action, Target::Job { owner: job.user }).require()?;
    Ok(job)
}

async fn begin(state: &AppState, actor: &Actor, operation: Operation, id: Uuid) -> ApiResult<audit::Entry> {
    audit::begin(state, actor, &Change { operation, target: AuditTarget::job(id), fields: Vec::new() }).await
}

async fn view(state: &AppState, job: &Kept) -> ApiResult<JobView> {
    let (db, id) = (&state.base.db, job.id);
    let unfinished = store::unfinished(db, id, job.state).await?;
    Ok(JobView::new(job, store::counts(db, id).await?, unfinished))
}

fn begun(begun: platform::db::Result<Begun>) -> ApiResult<()> {
    match begun? {
        Begun::Yes => Ok(()),
        // Somebody was faster.
        Begun::Before => Err(still_runs()),
        Begun::TooMany => Err(ApiError::Conflict(
            "Too many jobs are still running. Please try again when one of them has ended.".to_owned(),
        )),
    }
}

fn still_runs() -> ApiError {
    ApiError::Conflict("The job is still running.".to_owned())
}
