//! Assigns a CSP to many devices in a job.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::choice::TargetChoice;
use super::target::{JobTarget, TargetPlan};
use super::writes;
use crate::audit::{FieldChange, Operation};
use crate::csps;
use crate::devices::form::Step;
use crate::devices::writes::refresh;
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::{JsonBody, QueryPairs};
use crate::jobs::{self, JobActors, JobPreview, JobView, Jobs, Preview, TargetOutcome, Work};
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::state::CoreState;

/// Devices, named or by a filter, and the CSP to assign to them.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct CspAssignment {
    /// DSNs of the devices, at most 5000.
    #[schema(max_items = 5000)]
    dsns: Option<Vec<String>>,
    /// Instead of DSNs, the query string of `GET /api/devices/selection`: all devices that match when the job starts.
    matching: Option<String>,
    /// The name of the CSP.
    csp: Option<String>,
}

impl CspAssignment {
    /// The work and its targets.
    ///
    /// # Errors
    /// 403 or 422, in this order.
    async fn read(&self, state: &CoreState, actor: &Actor) -> ApiResult<(AssignCsp, Vec<String>)> {
        policy::can(actor, Action::AssignCsp, Target::Devices).require()?;
        let mut rules = Rules::default();
        let csp = rules.required("csp", &self.csp);
        if !rules.refuses("csp") && !csps::exists(&state.base.db, &csp).await? {
            rules.refuse("csp", "Is not one of the choices");
        }
        let matching = self.matching.as_deref();
        let choice = TargetChoice { field: "dsns", dsns: &self.dsns, matching, excluded_dsn: None };
        let dsns = choice.read(state, actor, &mut rules).await?;
        rules.finish((AssignCsp { csp }, dsns))
    }
}

/// Assigns devices to a CSP in a job, which tries every device even if others fail.
#[utoipa::path(
    put, path = "/api/devices/csp", tag = "devices",
    security(("token" = ["devices_write"])),
    request_body = CspAssignment,
    responses((status = 202, description = "The started job", body = JobView), ApiError)
)]
pub(super) async fn assign_csp(
    State(state): State<CoreState>,
    State(jobs): State<Jobs>,
    actor: Actor,
    JsonBody(form): JsonBody<CspAssignment>,
) -> ApiResult<(StatusCode, Json<JobView>)> {
    let (work, dsns) = form.read(&state, &actor).await?;
    Ok((StatusCode::ACCEPTED, Json(jobs::start(&jobs, &actor, &work, &dsns).await?)))
}

/// Returns what an assignment would change, 25 devices at a time. Changes nothing.
#[utoipa::path(
    post, path = "/api/devices/csp/preview", tag = "devices",
    security(("token" = ["devices_read"])),
    extensions(("x-reads" = json!(true))),
    params(("from" = Option<u64>, Query, minimum = 0, description = "`next` of the previous response")),
    request_body = CspAssignment,
    responses((status = 200, description = "The changes", body = JobPreview), ApiError)
)]
pub(super) async fn preview_csp_assignment(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    actor: Actor,
    query: QueryPairs,
    JsonBody(form): JsonBody<CspAssignment>,
) -> ApiResult<Json<JobPreview>> {
    let from = jobs::parse_from(&query)?;
    state.limiters.previews.check(peer.ip(), &actor.user.to_string())?;
    let (work, dsns) = form.read(&state, &actor).await?;
    Ok(Json(jobs::preview(&state, &actor, &work, &dsns, from).await?))
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
        actors: &'a JobActors,
        job: Uuid,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<TargetOutcome>> {
        assign_to_device(state, actors, job, dsn, &self.csp).boxed()
    }
}

impl Preview for AssignCsp {
    fn preview<'a>(
        &'a self,
        state: &'a CoreState,
        actor: &'a Actor,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<Vec<FieldChange>>> {
        async move {
            let (target, plan) = plan_assignment(state, &JobActors::only(actor), dsn, &self.csp).await?;
            Ok(target.changes(&plan))
        }
        .boxed()
    }
}

/// Replaces the device's CSP labels with those of this CSP, with the token of the session. It can be repeated
/// after any failure.
///
/// # Errors
/// 404 or 403; 409 if the CSP no longer exists; errors of the cloud.
async fn assign_to_device(
    state: &CoreState,
    actors: &JobActors,
    job: Uuid,
    dsn: &str,
    csp: &str,
) -> ApiResult<TargetOutcome> {
    let (target, plan) = plan_assignment(state, actors, dsn, csp).await?;
    if plan.is_empty() {
        refresh(state, &actors.session, dsn).await?;
    } else {
        writes::save(&target, state, &actors.session, job, Operation::UpdateDevice, &plan).await?;
    }
    Ok(TargetOutcome::Done)
}

/// # Errors
/// 404 or 403; 409 if the CSP no longer exists; errors of the cloud.
async fn plan_assignment(
    state: &CoreState,
    actors: &JobActors,
    dsn: &str,
    csp: &str,
) -> ApiResult<(JobTarget, TargetPlan)> {
    let target = JobTarget::read(state, actors, Action::AssignCsp, dsn).await?;
    if !csps::exists(&state.base.db, csp).await? {
        return Err(ApiError::Conflict("There is no such CSP any more.".to_owned()));
    }
    let mut plan = TargetPlan::default();
    if !target.has_all_labels(csp) {
        plan.steps.push(Step::Assign { csp: csp.to_owned(), setup_code: None });
    }
    Ok((target, plan))
}
