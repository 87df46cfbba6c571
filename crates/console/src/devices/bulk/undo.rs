//! Undoes what a job wrote to its targets.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::target::JobTarget;
use super::writes;
use crate::audit::{FieldChange, Operation};
use crate::csps;
use crate::devices::form::Step;
use crate::devices::writes::refresh;
use crate::http::error::{ApiError, ApiResult};
use crate::jobs::{JobActors, TargetOutcome, Work};
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::state::CoreState;

/// The work of undoing a job.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename = "undo_job")]
pub(super) struct UndoJob {
    pub(super) job: Uuid,
    /// The operation that started the job.
    pub(super) operation: Operation,
}

impl UndoJob {
    /// The action that the job required.
    fn action(&self) -> Action {
        if self.operation == Operation::AssignCsp { Action::AssignCsp } else { Action::Edit }
    }

    /// Repeating it has no further effect: a value that has its former value back is not written.
    ///
    /// # Errors
    /// 404 or 403, in this order; 409 if it is not known any more what the job wrote. Stops at the first write that the cloud
    /// rejects and returns its error with the parts saved before.
    async fn undo(&self, state: &CoreState, actors: &JobActors, job: Uuid, dsn: &str) -> ApiResult<TargetOutcome> {
        let actor = &actors.session;
        let mut target = JobTarget::read(state, actors, self.action(), dsn).await?;
        let written = writes::find(state, self.job, dsn).await?;
        let gone = || ApiError::Conflict("It is not known any more what the job wrote.".to_owned());
        let written = written.ok_or_else(gone)?;
        if written.has_notifications() {
            target.read_notifications(state, actor).await?;
        }
        let mut undo = written.undo(&target, &state.opaque_ids);
        let former_csp = undo.plan.steps.iter().find_map(|step| match step {
            Step::Assign { csp, .. } => Some(csp.clone()),
            _ => None,
        });
        if let Some(csp) = former_csp
            && !csps::exists(&state.base.db, &csp).await?
        {
            undo.leave_csp(csp);
        }
        if undo.plan.is_empty() {
            refresh(state, actor, dsn).await?;
        } else {
            target.save(state, actor, job, Operation::UndoJob, &undo.plan).await?;
        }
        Ok(undo.left.reason().map_or(TargetOutcome::Done, TargetOutcome::Left))
    }
}

impl Work for UndoJob {
    fn operation(&self) -> Operation {
        Operation::UndoJob
    }

    fn changes(&self) -> Vec<FieldChange> {
        vec![
            FieldChange::new("undoes", None::<&str>, self.job.to_string()),
            FieldChange::new("undoneOperation", None::<&str>, self.operation.id()),
        ]
    }

    fn is_permitted_to(&self, actor: &Actor) -> bool {
        policy::can(actor, self.action(), Target::Devices) == Decision::Allowed
    }

    fn perform<'a>(
        &'a self,
        state: &'a CoreState,
        actors: &'a JobActors,
        job: Uuid,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<TargetOutcome>> {
        self.undo(state, actors, job, dsn).boxed()
    }
}
