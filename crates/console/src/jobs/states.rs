//! States of jobs and their targets.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum TargetState {
    Waiting,
    Done,
    Failed,
    /// Processed, but some values were left as they are, for the reason given.
    Left,
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
    pub(super) left: u64,
    pub(super) cancelled: u64,
}

impl JobState {
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl TargetState {
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl JobCounts {
    /// Whether there is nothing to retry.
    pub(super) fn is_all_processed(self) -> bool {
        self.done + self.left == self.total
    }
}
