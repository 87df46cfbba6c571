//! `GET /api/jobs/{id}/report`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use uuid::Uuid;

use super::dto::{JobChange, JobTargetChanges};
use super::list_query::TargetQuery;
use super::service::{self, Jobs};
use super::states::TargetState;
use super::store;
use crate::audit::Operation;
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::{QueryPairs, UuidPath};
use crate::policy::{Action, Actor};
use crate::reports::list_params::ReportParams;
use crate::reports::{self, Column, FilterUsed, Pages, Report, ReportOf, ReportOptions, change_text, instant};
use crate::state::CoreState;

/// Returns all targets of a job with their results, and what it changed from which value to which.
#[utoipa::path(
    get, path = "/api/jobs/{id}/report", tag = "jobs",
    security(("token" = ["jobs_read"])),
    params(("id" = uuid::Uuid, Path, description = "UUID"), ReportParams),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<JobTargetChanges> = "application/json"), (String = "text/csv"), (String = "text/html"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        ApiError,
    )
)]
pub(super) async fn report_job(
    State(jobs): State<Jobs>,
    actor: Actor,
    UuidPath(id): UuidPath,
    headers: HeaderMap,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    let state = jobs.core();
    let job = service::find(state, &actor, Action::View, id).await?;
    let mut reader = QueryReader::new(&pairs);
    let options = ReportOptions::read(&mut reader, &headers);
    let options = reader.end(options)?;
    let started = format!("{} UTC", instant(job.created_at));
    let report = Report {
        operation: Operation::ReportJob,
        title: "Job".into(),
        notice: None,
        chart: None,
        filters: vec![
            FilterUsed { name: "job", value: id.to_string(), label: "Job", display: id.to_string() },
            FilterUsed { name: "started", value: job.created_at.to_string(), label: "Started", display: started },
        ],
        columns: columns(),
        grouping: None,
    };
    let pages = TargetPages { state: state.clone(), actor: actor.clone(), id, from: Some(0) };
    reports::respond(state, actor, options, report, pages).await
}

struct TargetPages {
    state: CoreState,
    actor: Actor,
    id: Uuid,
    /// The next position; `None` after the last.
    from: Option<i64>,
}

impl Pages for TargetPages {
    type Item = JobTargetChanges;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<JobTargetChanges>> {
        let Some(from) = self.from else { return Ok(Vec::new()) };
        let query = TargetQuery { state: None, from };
        let (targets, next) = service::page_of_targets(&self.state.base.db, &self.actor, self.id, query, limit).await?;
        self.from = next;
        Ok(targets)
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(store::counts(&self.state.base.db, self.id).await?.total)
    }
}

fn columns() -> Vec<Column<JobTargetChanges>> {
    vec![
        Column::new("Serial Number", |row: &JobTargetChanges| row.serial_number.clone()),
        Column::below("DSN", |row: &JobTargetChanges| row.target.dsn.clone()),
        Column::new("Result", |row: &JobTargetChanges| result(row.target.state)),
        Column::new("Changes", |row: &JobTargetChanges| {
            let text = |JobChange { field, before, after }: &JobChange| change_text(field, before, after);
            row.changes.iter().map(text).collect::<Vec<_>>().join("; ")
        }),
        Column::new("Reason", |row: &JobTargetChanges| row.target.reason.clone()),
    ]
}

fn result(state: TargetState) -> &'static str {
    match state {
        TargetState::Waiting => "Waiting",
        TargetState::Done => "Done",
        TargetState::Failed => "Failed",
        TargetState::Left => "Not fully undone",
        TargetState::Cancelled => "Cancelled",
    }
}
