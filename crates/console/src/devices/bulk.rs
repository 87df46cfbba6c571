//! Assigns a CSP to many devices.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::job_work::DeviceWork;
use crate::core_state::CoreState;
use crate::csps;
use crate::error::{ApiError, ApiResult};
use crate::jobs::{self, JobView, Jobs};
use crate::policy::{self, Action, Actor, Target};
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
    let (csp, dsns) = rules.kept((csp, dsns))?;
    Ok((StatusCode::ACCEPTED, Json(jobs::start(&jobs, &actor, &DeviceWork::AssignCsp { csp }, &dsns).await?)))
}
