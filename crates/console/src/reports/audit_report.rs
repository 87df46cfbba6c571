//! `GET /api/audit/report`. It is apart from the audit because each report is audited.

use axum::extract::{FromRef, State};
use axum::http::HeaderMap;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::list_params::ReportParams;
use super::{Column, FilterUsed, Pages, Report, ReportOf, ReportOptions, change_text, name_text, respond};
use crate::audit::{AuditChange, AuditEntry, AuditFilterParams, AuditResult, AuditScan, Operation, read_search};
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// The filters with their labels.
const FILTERS: [(&str, &str); 8] = [
    ("device", "DSN or serial number"),
    ("target", "ID"),
    ("actor", "Changed by"),
    ("operation", "Kind of change"),
    ("from", "From"),
    ("to", "To, exclusive"),
    ("job", "Job"),
    ("cause", "Cause"),
];

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(report_audit))
}

/// Returns all changes that the caller may see and the filters match, newest first: also those that jobs made to their targets, and
/// those that follow from other changes.
#[utoipa::path(
    get, path = "/api/audit/report", tag = "audit",
    security(("token" = ["audit_read"])),
    params(ReportParams, AuditFilterParams),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<AuditEntry> = "application/json"), (String = "text/csv"), (String = "text/html"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        ApiError,
    )
)]
async fn report_audit(
    State(state): State<CoreState>,
    actor: Actor,
    headers: HeaderMap,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    policy::can(&actor, Action::View, Target::Audit).require()?;
    let mut reader = QueryReader::new(&pairs);
    let query = (ReportOptions::read(&mut reader, &headers), read_search(&mut reader));
    let (options, search) = reader.end(query)?;
    let report = Report {
        operation: Operation::ReportAudit,
        title: "Audit".into(),
        notice: None,
        chart: None,
        filters: FILTERS.into_iter().filter_map(|(name, label)| filter(&pairs, name, label)).collect(),
        columns: columns(),
        grouping: None,
    };
    let pages = AuditPages(AuditScan::new(&state, &actor, search).await?);
    respond(&state, actor, options, report, pages).await
}

fn filter(pairs: &QueryPairs, name: &'static str, label: &'static str) -> Option<FilterUsed> {
    let value = pairs.all(name).map(str::trim).find(|value| !value.is_empty())?.to_owned();
    let display = if name == "operation" { name_text(&value) } else { value.clone() };
    Some(FilterUsed { name, value, label, display })
}

struct AuditPages(AuditScan);

impl Pages for AuditPages {
    type Item = AuditEntry;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<AuditEntry>> {
        Ok(self.0.next(limit).await?)
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(self.0.count().await?)
    }
}

fn columns() -> Vec<Column<AuditEntry>> {
    vec![
        Column::new("Began", |entry: &AuditEntry| entry.at).of_times(),
        Column::below("Ended", |entry: &AuditEntry| entry.ended_at).of_times(),
        Column::new("Email", |entry: &AuditEntry| entry.actor.email.clone()),
        Column::below("Role", |entry: &AuditEntry| entry.actor.role_name.clone()),
        Column::beside(", ", "CSP", |entry: &AuditEntry| entry.actor.csp.clone()),
        Column::below("Browser", |entry: &AuditEntry| entry.actor.browser.clone()),
        Column::beside(", ", "Address", |entry: &AuditEntry| entry.actor.address.clone()),
        Column::new("Operation", |entry: &AuditEntry| name_text(&entry.operation)),
        Column::below("Record", |entry: &AuditEntry| entry.target.kind.map(|kind| name_text(kind.into()))),
        Column::beside(" ", "ID", |entry: &AuditEntry| entry.target.id.clone()),
        Column::below("CSP of the record", |entry: &AuditEntry| entry.target.csp.clone()),
        Column::new("Changes", |entry: &AuditEntry| entry.changes.iter().map(change).collect::<Vec<_>>().join("; ")),
        Column::new("Result", |entry: &AuditEntry| result(entry.result)),
        Column::below("Code", |entry: &AuditEntry| entry.code.clone()),
        Column::below("Occurrences", |entry: &AuditEntry| entry.occurrences),
        Column::new("Job", |entry: &AuditEntry| entry.job.map(|job| job.to_string())),
        Column::below("Cause", |entry: &AuditEntry| entry.cause.clone()),
    ]
}

fn change(change: &AuditChange) -> String {
    let text = change_text(&change.field, &change.before, &change.after);
    match change.saved {
        Some(true) => text,
        Some(false) => format!("{text} (not saved)"),
        None => format!("{text} (unknown whether saved)"),
    }
}

fn result(result: AuditResult) -> &'static str {
    match result {
        AuditResult::Started => "Started, outcome unknown",
        AuditResult::Done => "Done",
        AuditResult::Failed => "Failed",
    }
}
