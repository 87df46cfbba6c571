//! Streams a report. One page of rows is in memory at a time, and the next one is read when the client has taken it.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, stream};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

use super::csv::CsvWriter;
use super::xlsx::{self, Workbook};
use super::{Report, ReportFormat, ReportOptions, html, json};
use crate::audit::{self, AuditTarget, Change, FieldChange};
use crate::http::error::{ApiError, ApiResult};
use crate::limits::report_slots::ReportSlot;
use crate::policy::{Actor, Scope};
use crate::preferences;
use crate::state::CoreState;

/// Number of rows read at once.
const PAGE_SIZE: u64 = 250;

/// The rows of a report, in pages.
pub(crate) trait Pages: Send + Sync + 'static {
    /// The JSON value of a row.
    type Item: Serialize + Send + Sync;

    /// Returns the next rows, at most `limit`. Fewer than `limit` means that this is the last page.
    fn next(&mut self, limit: u64) -> impl Future<Output = ApiResult<Vec<Self::Item>>> + Send;

    /// Counts the rows that match now, on all pages.
    fn count(&self) -> impl Future<Output = ApiResult<u64>> + Send;
}

/// Responds with a report. The first page is read before the response starts, so that early errors become a problem
/// response. A later error aborts the response, so that a partial report cannot look complete.
///
/// # Errors
/// 429 while the session runs another report, 422 for more rows than the format can have, errors of reading the rows.
pub(crate) async fn respond<P: Pages>(
    state: &CoreState,
    actor: Actor,
    options: ReportOptions,
    report: Report<P::Item>,
    pages: P,
) -> ApiResult<Response> {
    let ReportOptions { format, zone } = options;
    let slot = state.reports.take(&actor.session)?;
    let mut pages = AuthorisedPages { pages, state: state.clone(), actor: actor.clone() };
    let first = pages.next(PAGE_SIZE).await?;
    let length = first.len() as u64;
    let total = if length == PAGE_SIZE { pages.count().await? } else { length };
    if format == ReportFormat::Xlsx {
        xlsx::check_size(total)?;
    }
    let encoder = Encoder::new(state, &actor, format, &zone).await?;
    let download = record_download(state, &actor, format, &report, total).await?;
    let now = state.base.clock.now();
    let writer = ReportWriter { encoder, zone, report, now, total, has_rows: false, group: None };
    let stream_state = ReportStream { pages, writer, slot: Some(slot), download: Some(download) };
    let mut response = Body::from_stream(chunks(stream_state, first)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.content_type()));
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    if let Some(name) = format.file_name() {
        let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
        headers.insert(header::CONTENT_DISPOSITION, disposition.map_err(ApiError::internal)?);
    }
    Ok(response)
}

/// Records that the report is being sent, so that administrators can see who took which data.
async fn record_download<Item>(
    state: &CoreState,
    actor: &Actor,
    format: ReportFormat,
    report: &Report<Item>,
    total: u64,
) -> ApiResult<audit::Entry> {
    let field = |name, value: &str| FieldChange::new(name, Value::Null, value);
    let filters = report.filters.iter().map(|filter| field(filter.name, &filter.value));
    let fields = [field("format", format.name()), FieldChange::new("rows", Value::Null, total)];
    let target = AuditTarget::report(actor.csp.as_deref().filter(|_| matches!(actor.scope(), Scope::Csp(_))));
    let change = Change { operation: report.operation, target, fields: fields.into_iter().chain(filters).collect() };
    audit::begin(state, actor, &change).await
}

/// Checks before each page that the session and its access are unchanged.
struct AuthorisedPages<P> {
    pages: P,
    state: CoreState,
    actor: Actor,
}

impl<P: Pages> Pages for AuthorisedPages<P> {
    type Item = P::Item;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<P::Item>> {
        let now = self.state.sessions.fresh_by_hash(&self.actor.session).await?.actor();
        if now == self.actor { self.pages.next(limit).await } else { Err(ApiError::Forbidden) }
    }

    async fn count(&self) -> ApiResult<u64> {
        self.pages.count().await
    }
}

struct ReportStream<P: Pages> {
    pages: P,
    writer: ReportWriter<P::Item>,
    /// Released with the last chunk, even if the client has not read it yet.
    slot: Option<ReportSlot>,
    /// Ended with the last chunk. The entry of a download that is cut off stays started.
    download: Option<audit::Entry>,
}

/// Produces one chunk for each page.
fn chunks<P: Pages>(
    stream_state: ReportStream<P>,
    first: Vec<P::Item>,
) -> impl Stream<Item = ApiResult<Bytes>> + Send + 'static {
    stream::try_unfold(Some((stream_state, Some(first))), |state| async {
        let Some((mut stream_state, first)) = state else { return Ok(None) };
        match stream_state.chunk(first).await {
            Ok((chunk, true)) => Ok(Some((chunk, None))),
            Ok((chunk, false)) => Ok(Some((chunk, Some((stream_state, None))))),
            Err(error) => {
                tracing::warn!(%error, "a report was aborted");
                let failed = Err(error);
                stream_state.end_download(&failed).await;
                failed
            }
        }
    })
}

impl<P: Pages> ReportStream<P> {
    /// Returns the next chunk, and whether it is the last.
    async fn chunk(&mut self, first: Option<Vec<P::Item>>) -> ApiResult<(Bytes, bool)> {
        let (mut chunk, items) = match first {
            Some(items) => (self.writer.begin()?, items),
            None => (Vec::new(), self.pages.next(PAGE_SIZE).await?),
        };
        chunk.extend(self.writer.rows(&items)?);
        let is_last = (items.len() as u64) < PAGE_SIZE;
        if is_last {
            chunk.extend(self.writer.end()?);
            self.slot = None;
            self.end_download(&Ok(())).await;
        }
        Ok((chunk.into(), is_last))
    }

    async fn end_download<T>(&mut self, outcome: &ApiResult<T>) {
        if let Some(download) = self.download.take() {
            download.end(outcome).await;
        }
    }
}

/// A format, and what it remembers of the rows before.
enum Encoder {
    Json,
    Csv(CsvWriter),
    Xlsx(Box<Workbook>),
    Printable,
}

impl Encoder {
    /// CSV has the signs that the reader prefers.
    async fn new(state: &CoreState, reader: &Actor, format: ReportFormat, zone: &TimeZone) -> ApiResult<Self> {
        Ok(match format {
            ReportFormat::Json => Self::Json,
            ReportFormat::Csv => {
                let signs = preferences::preferences(&state.base.db, reader.user).await?.lists.csv_format();
                Self::Csv(CsvWriter::new(signs, zone.clone()))
            }
            ReportFormat::Xlsx => Self::Xlsx(Box::new(Workbook::new())),
            ReportFormat::Printable => Self::Printable,
        })
    }
}

/// Renders a report in its format.
struct ReportWriter<Item> {
    encoder: Encoder,
    zone: TimeZone,
    report: Report<Item>,
    now: Timestamp,
    /// Number of matching rows when the report started.
    total: u64,
    has_rows: bool,
    /// Group of the last rendered row.
    group: Option<String>,
}

impl<Item: Serialize> ReportWriter<Item> {
    fn begin(&mut self) -> ApiResult<Vec<u8>> {
        let notice = self.report.notice.as_deref();
        match &mut self.encoder {
            Encoder::Json => json::begin(notice, &self.report.filters),
            Encoder::Csv(csv) => csv.begin(notice, &self.report.columns),
            Encoder::Xlsx(workbook) => workbook.begin(notice, &self.report.columns, &self.zone),
            Encoder::Printable => Ok(html::begin(&self.report, &self.zone, self.total, self.now)),
        }
    }

    fn rows(&mut self, items: &[Item]) -> ApiResult<Vec<u8>> {
        let is_first_page = !std::mem::replace(&mut self.has_rows, true);
        match &mut self.encoder {
            Encoder::Json => json::rows(items, is_first_page),
            Encoder::Csv(csv) => csv.rows(&self.report.columns, items),
            Encoder::Xlsx(workbook) => workbook.rows(&self.report.columns, &self.zone, items),
            Encoder::Printable => Ok(html::rows(&self.report, &self.zone, items, &mut self.group)),
        }
    }

    fn end(&mut self) -> ApiResult<Vec<u8>> {
        match &mut self.encoder {
            Encoder::Json => Ok(json::END.to_vec()),
            Encoder::Csv(_) => Ok(Vec::new()),
            Encoder::Xlsx(workbook) => workbook.end(),
            Encoder::Printable => Ok(html::END.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests;
