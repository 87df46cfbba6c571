//! Responses about jobs. Names and shapes follow api/openapi.json.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::states::{JobCounts, JobState, TargetState};
use super::store::{StoredJob, UnfinishedTarget};

/// A job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Job)]
pub(crate) struct JobView {
    id: Uuid,
    state: JobState,
    counts: JobCounts,
    /// Unchanged targets in order: failed ones, and after the end of the job also those that were not processed.
    unfinished: Vec<JobTarget>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(required, value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    can: JobCan,
}

/// A target that is not done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobTarget {
    dsn: String,
    state: TargetState,
    /// The reason of a failure, as one sentence for the user.
    #[schema(required)]
    reason: Option<String>,
}

/// Actions that the job's state permits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobCan {
    cancel: bool,
    retry: bool,
}

/// Progress of a job. Data of the event `job`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobProgress {
    pub(super) id: Uuid,
    pub(super) state: JobState,
    pub(super) counts: JobCounts,
}

impl JobView {
    pub(super) fn new(job: &StoredJob, counts: JobCounts, unfinished: Vec<UnfinishedTarget>) -> Self {
        let has_ended = job.state != JobState::Running;
        Self {
            can: JobCan { cancel: !has_ended, retry: has_ended && !counts.is_all_done() },
            id: job.id,
            state: job.state,
            counts,
            unfinished: unfinished.into_iter().map(JobTarget::from).collect(),
            created_at: job.created_at,
            ended_at: job.ended_at,
        }
    }
}

impl From<UnfinishedTarget> for JobTarget {
    fn from(target: UnfinishedTarget) -> Self {
        Self { dsn: target.dsn, state: target.state, reason: target.reason }
    }
}
