//! `GET /api/audit/report`. It is apart from the audit because each report is audited.

use axum::extract::{FromRef, State};
use axum::http::HeaderMap;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::audit::{AuditChange, AuditEntry, AuditFilterParams, AuditResult, AuditScan, Operation, read_search};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::list_params::ReportParams;
use crate::policy::{self, Action, Actor, Target};
use crate::query_reader::QueryReader;
use crate::reports::{
    self, Column, FilterUsed, Pages, Report, ReportFormat, ReportOf, change_text, instant, name_text,
};
use crate::request::QueryPairs;

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
    params(ReportParams, AuditFilterParams),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<AuditEntry> = "application/json"), (String = "text/csv"), (String = "text/html"),
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
    let query = (ReportFormat::read(&mut reader, &headers), read_search(&mut reader));
    let (format, search) = reader.end(query)?;
    let report = Report {
        operation: Operation::ReportAudit,
        title: "Audit".into(),
        notice: None,
        chart: None,
        filters: FILTERS.into_iter().filter_map(|(name, label)| filter(&pairs, name, label)).collect(),
        columns: columns(),
        grouping: None,
    };
    let pages = AuditPages(AuditScan::new(&state.base.db, &actor, search).await?);
    reports::respond(&state, actor, format, report, pages).await
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
        Column::new("Began (UTC)", |entry: &AuditEntry| instant(entry.at)),
        Column::below("Ended (UTC)", |entry| entry.ended_at.map(instant).unwrap_or_default()),
        Column::new("Email", |entry| text(entry.actor.email.as_ref())),
        Column::below("Role", |entry| text(entry.actor.role_name.as_ref())),
        Column::beside(", ", "CSP", |entry| text(entry.actor.csp.as_ref())),
        Column::below("Browser", |entry| text(entry.actor.browser.as_ref())),
        Column::beside(", ", "Address", |entry| text(entry.actor.address.as_ref())),
        Column::new("Operation", |entry| name_text(&entry.operation)),
        Column::below("Record", |entry| entry.target.kind.map(|kind| name_text(kind.into())).unwrap_or_default()),
        Column::beside(" ", "ID", |entry| entry.target.id.clone()),
        Column::below("CSP of the record", |entry| text(entry.target.csp.as_ref())),
        Column::new("Changes", |entry| entry.changes.iter().map(change).collect::<Vec<_>>().join("; ")),
        Column::new("Result", |entry| result(entry.result).to_owned()),
        Column::below("Code", |entry| text(entry.code.as_ref())),
        Column::below("Occurrences", |entry| entry.occurrences.to_string()),
        Column::new("Job", |entry| entry.job.map(|job| job.to_string()).unwrap_or_default()),
        Column::below("Cause", |entry| text(entry.cause.as_ref())),
    ]
}

fn text(text: Option<&String>) -> String {
    text.cloned().unwrap_or_default()
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
