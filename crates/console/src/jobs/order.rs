//! The kinds of work. A feature adds its own here, and does it to one device at a time.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::audit::{FieldChange, Operation};
use crate::core_state::CoreState;
use crate::devices::{self, DeviceSnapshot};
use crate::error::ApiResult;
use crate::policy::{self, Action, Actor, Decision, Target};

/// What is done to each target of a job, as it is kept with the job.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Order {
    /// Gives the device to this CSP.
    AssignCsp { csp: String },
    /// Makes the device in some respects what another one was.
    CopyDevice(Box<DeviceSnapshot>),
}

impl Order {
    /// The operation that starts it.
    pub(super) fn operation(&self) -> Operation {
        match self {
            Self::AssignCsp { .. } => Operation::AssignCsp,
            Self::CopyDevice(_) => Operation::CopyDevice,
        }
    }

    /// What is the same for all targets, for the audit.
    pub(super) fn changes(&self) -> Vec<FieldChange> {
        match self {
            Self::AssignCsp { csp } => vec![FieldChange::new("csp", None::<String>, csp.as_str())],
            Self::CopyDevice(copied) => copied.changes(),
        }
    }

    /// Whether the actor may do such work at all. Who may not any more ends the job; whether it may be done to the one device
    /// or the other is found out at each.
    pub(super) fn is_permitted_to(&self, actor: &Actor) -> bool {
        let action = match self {
            Self::AssignCsp { .. } => Action::AssignCsp,
            Self::CopyDevice(_) => Action::Edit,
        };
        policy::can(actor, action, Target::Devices) == Decision::Allowed
    }

    /// Does it to one device, with the actor's own token: the right is checked again. Done twice, it comes out the same.
    ///
    /// # Errors
    /// Why it could not be done to this device.
    pub(super) async fn perform(&self, state: &CoreState, actor: &Actor, job: Uuid, dsn: &str) -> ApiResult<()> {
        match self {
            Self::AssignCsp { csp } => devices::assign_csp(state, actor, job, dsn, csp).await,
            Self::CopyDevice(copied) => devices::copy_to(state, actor, job, dsn, copied).await,
        }
    }
}
