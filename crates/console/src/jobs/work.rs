//! The work of jobs. Features define it and register it when the jobs service is created.

use futures::future::BoxFuture;
use uuid::Uuid;

use crate::audit::{FieldChange, Operation};
use crate::http::error::ApiResult;
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// The people whose rights decide what a job may do to a target.
pub(crate) struct JobActors {
    /// The person whose session makes the calls to the cloud.
    pub(crate) session: Actor,
    /// The person who started the job, with their rights of now, if somebody else retried it.
    pub(crate) owner: Option<Actor>,
}

impl JobActors {
    pub(crate) fn only(actor: &Actor) -> Self {
        Self { session: actor.clone(), owner: None }
    }

    /// Requires that each of them may perform the action.
    ///
    /// # Errors
    /// 404 or 403, in this order.
    pub(crate) fn require(&self, action: Action, target: Target<'_>) -> ApiResult<()> {
        policy::can(&self.session, action, target).require()?;
        self.owner.as_ref().map_or(Ok(()), |owner| policy::can(owner, action, target).require())
    }
}

/// What a job does to each of its targets.
pub(crate) trait Work: Send + Sync {
    /// The audited operation that starts it.
    fn operation(&self) -> Operation;

    /// Audit entries that are the same for all targets.
    fn changes(&self) -> Vec<FieldChange>;

    /// Whether the actor may do such work at all. Losing this permission interrupts a job; permissions for single devices
    /// are checked with each target.
    fn is_permitted_to(&self, actor: &Actor) -> bool;

    /// Processes one device with the token of the session and checks the permission of each actor again. Must be idempotent.
    ///
    /// # Errors
    /// Why the device could not be processed.
    fn perform<'a>(
        &'a self,
        state: &'a CoreState,
        actors: &'a JobActors,
        job: Uuid,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<TargetOutcome>>;
}

/// How the work on a target ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TargetOutcome {
    Done,
    /// Some values were left as they are, for this reason, as one sentence or more for the user.
    Left(String),
}

/// The kinds of work.
#[derive(Clone, Copy)]
pub(crate) struct WorkKinds {
    /// Parses stored work; fails for work that this version does not know.
    pub(crate) parse: fn(&str) -> serde_json::Result<Box<dyn Work>>,
    /// The stored form of the work that undoes this job, which was started by this operation.
    pub(crate) undo: fn(Uuid, Operation) -> serde_json::Result<String>,
}
