//! Assigns a CSP to many devices in a job.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use devicecloud::Device;
use diffuser::{PARTNER_LABEL_KEY, Role};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::form::Step;
use super::job_target::{JobTarget, TargetPlan};
use super::job_writes;
use super::writes::refresh;
use crate::audit::{FieldChange, Operation};
use crate::core_state::CoreState;
use crate::csps;
use crate::error::{ApiError, ApiResult};
use crate::jobs::{self, JobView, Jobs, TargetOutcome, Work};
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::request::JsonBody;
use crate::rules::Rules;

/// Devices and the CSP to assign to them.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct CspAssignment {
    /// DSNs of the devices, at most 5000.
    #[schema(max_items = 5000)]
    dsns: Option<Vec<String>>,
    /// The name of the CSP.
    csp: Option<String>,
}

/// Assigns devices to a CSP in a job, which tries every device even if others fail.
#[utoipa::path(
    put, path = "/api/devices/csp", tag = "devices",
    request_body = CspAssignment,
    responses((status = 202, description = "The started job", body = JobView), ApiError)
)]
pub(super) async fn assign_csp(
    State(state): State<CoreState>,
    State(jobs): State<Jobs>,
    actor: Actor,
    JsonBody(form): JsonBody<CspAssignment>,
) -> ApiResult<(StatusCode, Json<JobView>)> {
    policy::can(&actor, Action::AssignCsp, Target::Devices).require()?;
    let mut rules = Rules::default();
    let csp = rules.required("csp", &form.csp);
    if !rules.refuses("csp") && !csps::exists(&state.base.db, &csp).await? {
        rules.refuse("csp", "Is not one of the choices");
    }
    let dsns = jobs::parse_targets(&mut rules, "dsns", &form.dsns);
    let (csp, dsns) = rules.finish((csp, dsns))?;
    Ok((StatusCode::ACCEPTED, Json(jobs::start(&jobs, &actor, &AssignCsp { csp }, &dsns).await?)))
}

/// The work of assigning this CSP.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename = "assign_csp")]
pub(super) struct AssignCsp {
    csp: String,
}

impl Work for AssignCsp {
    fn operation(&self) -> Operation {
        Operation::AssignCsp
    }

    fn changes(&self) -> Vec<FieldChange> {
        vec![FieldChange::new("csp", None::<String>, self.csp.as_str())]
    }

    fn is_permitted_to(&self, actor: &Actor) -> bool {
        policy::can(actor, Action::AssignCsp, Target::Devices) == Decision::Allowed
    }

    fn perform<'a>(
        &'a self,
        state: &'a CoreState,
        actor: &'a Actor,
        job: Uuid,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<TargetOutcome>> {
        assign_to_device(state, actor, job, dsn, &self.csp).boxed()
    }
}

/// Replaces the device's CSP labels with those of this CSP, with the actor's own token. It can be repeated
/// after any failure.
///
/// # Errors
/// 404 or 403; 409 if the CSP no longer exists; errors of the cloud.
async fn assign_to_device(
    state: &CoreState,
    actor: &Actor,
    job: Uuid,
    dsn: &str,
    csp: &str,
) -> ApiResult<TargetOutcome> {
    let target = JobTarget::read(state, actor, Action::AssignCsp, dsn).await?;
    if !csps::exists(&state.base.db, csp).await? {
        return Err(ApiError::Conflict("There is no such CSP any more.".to_owned()));
    }
    if has_all_labels(&target.device, csp) {
        refresh(state, actor, dsn).await?;
    } else {
        let assign = Step::Assign { csp: csp.to_owned(), setup_code: None };
        let plan = TargetPlan { steps: vec![assign], ..TargetPlan::default() };
        job_writes::save(&target, state, actor, job, Operation::UpdateDevice, &plan).await?;
    }
    Ok(TargetOutcome::Done)
}

/// Whether each CSP role has the label of this CSP and none has another CSP's.
fn has_all_labels(device: &Device, csp: &str) -> bool {
    let labels = device.role_labels.iter().filter_map(|it| Some((it.role_name.as_str(), it.label.as_ref()?)));
    let partners: Vec<_> = labels.filter(|(_, label)| label.key == PARTNER_LABEL_KEY).collect();
    let mut roles = Role::ALL.into_iter().filter(|role| role.is_csp_scoped());
    partners.iter().all(|(_, label)| label.value == csp)
        && roles.all(|role| partners.iter().any(|(name, _)| *name == role.name()))
}
