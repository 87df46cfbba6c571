//! What becomes of a job and of its targets.

use serde::Serialize;
use utoipa::ToSchema;

/// What has become of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobState {
    /// There is something left to do, and some node does it.
    Running,
    /// All targets have been tried.
    Done,
    /// Somebody ended it.
    Cancelled,
    /// The session or the right ended that it works with.
    Interrupted,
}

/// What has become of one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TargetState {
    Waiting,
    Done,
    Failed,
    /// The job was cancelled before this target had its turn.
    Cancelled,
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
