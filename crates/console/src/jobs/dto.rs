//! Responses about jobs. Names and shapes follow api/openapi.json.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::states::{JobCounts, JobState, TargetState};
use super::store::{StoredJob, StoredTarget};
use crate::audit::{FieldChange, Operation};

/// A job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobSummary {
    id: Uuid,
    /// The operation that started it; null for an unknown one of an earlier version.
    #[schema(required)]
    operation: Option<Operation>,
    /// The e-mail address of the user who started the job; null if unknown.
    #[schema(required)]
    started_by: Option<String>,
    /// The e-mail address of the user who retried the job last; null if nobody has.
    #[schema(required)]
    retried_by: Option<String>,
    state: JobState,
    counts: JobCounts,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(required, value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// When a running job continues that waits because the device cloud is unavailable or overloaded, or because its user must
    /// set up a second factor first; otherwise null.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    resumes_at: Option<Timestamp>,
    /// The job that it undoes.
    #[schema(required)]
    undoes: Option<Uuid>,
    /// The job that undoes it.
    #[schema(required)]
    undone_by: Option<Uuid>,
    can: JobCan,
}

/// Jobs, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobPage {
    pub(super) jobs: Vec<JobSummary>,
    /// The value of `before` for older jobs; null if there are none.
    #[schema(required)]
    pub(super) next: Option<Uuid>,
}

/// A job and its targets that are not done.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Job)]
pub(crate) struct JobView {
    #[serde(flatten)]
    summary: JobSummary,
    /// Targets in order that are not done: those that failed or were left, and after the end of the job also those that were
    /// not processed.
    unfinished: Vec<JobTarget>,
}

/// Targets of a job, in order.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobTargetPage {
    pub(super) targets: Vec<JobTargetChanges>,
    /// The value of `from` for the next targets; null if there are none.
    #[schema(required)]
    pub(super) next: Option<i64>,
}

/// A target of a job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobTarget {
    pub(super) dsn: String,
    pub(super) state: TargetState,
    /// Why it failed or was left, in sentences for the user.
    #[schema(required)]
    pub(super) reason: Option<String>,
}

/// A target of a job with what the job has changed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobTargetChanges {
    #[serde(flatten)]
    pub(super) target: JobTarget,
    /// Null if unknown, or if the caller may not see the device any more.
    #[schema(required)]
    pub(super) serial_number: Option<String>,
    /// The saved values.
    pub(super) changes: Vec<JobChange>,
}

/// A value that a job has changed or would change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobChange {
    /// Its name in requests; `schedule.3` for the third frame of a schedule.
    pub(super) field: String,
    /// As requests name the value; null for none.
    pub(super) before: Value,
    pub(super) after: Value,
}

/// Actions that the job's state permits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobCan {
    cancel: bool,
    retry: bool,
    undo: bool,
}

/// Progress of a job. Data of the event `job`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobProgress {
    pub(super) id: Uuid,
    pub(super) state: JobState,
    pub(super) counts: JobCounts,
}

impl JobSummary {
    /// The job as it is `now`.
    pub(super) fn new(job: &StoredJob, counts: JobCounts, now: Timestamp) -> Self {
        let has_ended = job.state != JobState::Running;
        let retry = has_ended && !counts.is_all_processed() && job.undone_by.is_none();
        Self {
            can: JobCan { cancel: !has_ended, retry, undo: job.can_be_undone(now) },
            id: job.id,
            operation: job.operation,
            started_by: Some(job.email.clone()).filter(|email| !email.is_empty()),
            retried_by: job.retried_by.clone(),
            state: job.state,
            counts,
            created_at: job.created_at,
            ended_at: job.ended_at,
            resumes_at: job.resumes_at,
            undoes: job.undoes,
            undone_by: job.undone_by,
        }
    }
}

impl JobView {
    pub(super) fn new(job: &StoredJob, counts: JobCounts, unfinished: Vec<StoredTarget>, now: Timestamp) -> Self {
        let unfinished = unfinished.into_iter().map(JobTarget::from).collect();
        Self { summary: JobSummary::new(job, counts, now), unfinished }
    }
}

impl From<StoredTarget> for JobTarget {
    fn from(target: StoredTarget) -> Self {
        Self { dsn: target.dsn, state: target.state, reason: target.reason }
    }
}

impl From<FieldChange> for JobChange {
    fn from(change: FieldChange) -> Self {
        Self { field: change.field().to_owned(), before: change.before().clone(), after: change.after().clone() }
    }
}
