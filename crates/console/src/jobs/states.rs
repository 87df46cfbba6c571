//! States of jobs and their targets.

use serde::Serialize;
use utoipa::ToSchema;

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobState {
    /// Targets are waiting or in progress.
    Running,
    /// All targets have been processed.
    Done,
    /// Cancelled by a user.
    Cancelled,
    /// The job's session or its permission has ended.
    Interrupted,
}

/// State of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TargetState {
    Waiting,
    Done,
    Failed,
    /// The job was cancelled before this target started.
    Cancelled,
}

/// Number of targets by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct JobCounts {
    pub(super) total: u64,
    pub(super) waiting: u64,
    pub(super) done: u64,
    pub(super) failed: u64,
    pub(super) cancelled: u64,
}

impl JobState {
    const ALL: [Self; 4] = [Self::Running, Self::Done, Self::Cancelled, Self::Interrupted];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl TargetState {
    const ALL: [Self; 4] = [Self::Waiting, Self::Done, Self::Failed, Self::Cancelled];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl JobCounts {
    pub(super) fn is_all_done(self) -> bool {
        self.done == self.total
    }
}
