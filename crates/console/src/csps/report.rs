//! `GET /api/csps/report`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::dto::{CspSort, CspView};
use super::list::{CspScan, ListQuery};
use super::list_query::CspFilterParams;
use super::{list_query, service};
use crate::audit::Operation;
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::policy::{self, Action, Actor, Target};
use crate::reports::list_params::{ReportParams, SortParams};
use crate::reports::{self, Column, FilterUsed, Pages, Report, ReportOf, ReportOptions};
use crate::state::CoreState;

/// Returns all CSPs that match the filter, in list order.
#[utoipa::path(
    get, path = "/api/csps/report", tag = "csps",
    security(("token" = ["csps_read"])),
    params(ReportParams, SortParams<CspSort>, CspFilterParams),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<CspView> = "application/json"), (String = "text/csv"), (String = "text/html"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        ApiError,
    )
)]
pub(super) async fn report_csps(
    State(state): State<CoreState>,
    actor: Actor,
    headers: HeaderMap,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    policy::can(&actor, Action::View, Target::Csps).require()?;
    let mut reader = QueryReader::new(&pairs);
    let query = (ReportOptions::read(&mut reader, &headers), list_query::read(&mut reader));
    let (options, query) = reader.end(query)?;
    let report = Report {
        operation: Operation::ReportCsps,
        title: "CSPs".into(),
        notice: None,
        chart: None,
        filters: filters(&query),
        columns: columns(),
        grouping: None,
    };
    let pages = CspPages { state: state.clone(), actor: actor.clone(), scan: CspScan::new(query) };
    reports::respond(&state, actor, options, report, pages).await
}

struct CspPages {
    state: CoreState,
    actor: Actor,
    scan: CspScan,
}

impl Pages for CspPages {
    type Item = CspView;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<CspView>> {
        let csps = self.scan.next(&self.state.base.db, limit).await?;
        let (_, views) = service::views(&self.state, &self.actor, csps).await?;
        Ok(views)
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(self.scan.count(&self.state.base.db).await?)
    }
}

fn columns() -> Vec<Column<CspView>> {
    vec![
        Column::new("Name", |csp: &CspView| csp.name.clone()),
        Column::new("Devices", |csp: &CspView| csp.device_count),
        Column::new("Users", |csp: &CspView| csp.user_count),
    ]
}

fn filters(query: &ListQuery) -> Vec<FilterUsed> {
    FilterUsed::text("name", "Name", query.name.as_ref()).into_iter().collect()
}
