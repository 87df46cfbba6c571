//! The work that jobs do on devices.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::copy::{self, DeviceSnapshot};
use super::csp_assignment;
use crate::audit::{FieldChange, Operation};
use crate::core_state::CoreState;
use crate::error::ApiResult;
use crate::jobs::Work;
use crate::policy::{self, Action, Actor, Decision, Target};

/// Work on devices, as stored with a job.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum DeviceWork {
    /// Assigns the device to this CSP (A-43).
    AssignCsp { csp: String },
    /// Copies parts of another device's configuration (A-67).
    CopyDevice(Box<DeviceSnapshot>),
}

/// Parses stored work.
///
/// # Errors
/// Work that this version does not know.
pub(crate) fn parse_work(json: &str) -> serde_json::Result<Box<dyn Work>> {
    let work: DeviceWork = serde_json::from_str(json)?;
    Ok(Box::new(work))
}

impl Work for DeviceWork {
    fn operation(&self) -> Operation {
        match self {
            Self::AssignCsp { .. } => Operation::AssignCsp,
            Self::CopyDevice(_) => Operation::CopyDevice,
        }
    }

    fn changes(&self) -> Vec<FieldChange> {
        match self {
            Self::AssignCsp { csp } => vec![FieldChange::new("csp", None::<String>, csp.as_str())],
            Self::CopyDevice(snapshot) => snapshot.changes(),
        }
    }

    fn is_permitted_to(&self, actor: &Actor) -> bool {
        let action = match self {
            Self::AssignCsp { .. } => Action::AssignCsp,
            Self::CopyDevice(_) => Action::Edit,
        };
        policy::can(actor, action, Target::Devices) == Decision::Allowed
    }

    fn perform<'a>(
        &'a self,
        state: &'a CoreState,
        actor: &'a Actor,
        job: Uuid,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<()>> {
        match self {
            Self::AssignCsp { csp } => csp_assignment::assign_to_device(state, actor, job, dsn, csp).boxed(),
            Self::CopyDevice(snapshot) => copy::copy_to(state, actor, job, dsn, snapshot).boxed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_parsed_from_its_stored_form() {
        let stored = r#"{"kind":"assign_csp","csp":"North"}"#;
        let work: DeviceWork = serde_json::from_str(stored).unwrap();
        assert_eq!(work, DeviceWork::AssignCsp { csp: "North".to_owned() });
        assert_eq!(serde_json::to_string(&work).unwrap(), stored);
    }

    #[test]
    fn unknown_work_is_an_error() {
        assert!(parse_work(r#"{"kind":"paint"}"#).is_err());
        assert!(parse_work("").is_err());
    }
}
