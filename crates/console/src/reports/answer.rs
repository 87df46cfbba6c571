//! A report on its way out: one page of rows is in memory at a time, and the next one is read when the caller has taken this one.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, stream};
use jiff::Timestamp;
use serde::Serialize;

use super::slots::Slot;
use super::{Form, Report, csv, html, json};
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::state::AppState;

/// So many rows are read at once.
const PAGE: u64 = 250;

/// The pages of a report.
pub(crate) trait Pages: Send + Sync + 'static {
    /// What JSON shows of a row.
    type Item: Serialize + Send + Sync;

    /// The next rows, at most `limit`. Fewer are the last.
    fn next(&mut self, limit: u64) -> impl Future<Output = ApiResult<Vec<Self::Item>>> + Send;

    /// How many rows match now, on all pages.
    fn count(&self) -> impl Future<Output = ApiResult<u64>> + Send;
}

/// The report as an answer. The first page is read before it begins: what fails by then is told as a problem. What fails later
/// breaks the answer off, so that nobody takes a part for the whole.
///
/// # Errors
/// 429 while the session is being told another report; what reading says.
pub(crate) async fn answer<P: Pages>(
    state: &AppState,
    actor: Actor,
    form: Form,
    report: Report<P::Item>,
    pages: P,
) -> ApiResult<Response> {
    let slot = state.reports.take(&actor.session)?;
    let mut pages = Watched { pages, state: state.clone(), actor };
    let first = pages.next(PAGE).await?;
    let length = first.len() as u64;
    let total = if length == PAGE { pages.count().await? } else { length };
    let printer = Printer { form, report, now: state.base.clock.now(), total, has_rows: false, group: None };
    let running = Running { pages, printer, slot: Some(slot) };
    let mut response = Body::from_stream(chunks(running, first)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.content_type()));
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    if let Some(name) = form.file_name() {
        let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
        headers.insert(header::CONTENT_DISPOSITION, disposition.map_err(ApiError::internal)?);
    }
    Ok(response)
}

/// Pages for who is still signed in and may still do the same.
struct Watched<P> {
    pages: P,
    state: AppState,
    actor: Actor,
}

impl<P: Pages> Pages for Watched<P> {
    type Item = P::Item;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<P::Item>> {
        let now = self.state.sessions.fresh_by_hash(&self.actor.session).await?.actor();
        if now == self.actor { self.pages.next(limit).await } else { Err(ApiError::Forbidden) }
    }

    async fn count(&self) -> ApiResult<u64> {
        self.pages.count().await
    }
}

struct Running<P: Pages> {
    pages: P,
    printer: Printer<P::Item>,
    /// Given back with the last chunk, not when somebody has read it.
    slot: Option<Slot>,
}

/// One chunk for each page.
fn chunks<P: Pages>(running: Running<P>, first: Vec<P::Item>) -> impl Stream<Item = ApiResult<Bytes>> + Send + 'static {
    stream::try_unfold(Some((running, Some(first))), |state| async {
        let Some((mut running, first)) = state else { return Ok(None) };
        match running.chunk(first).await {
            Ok((chunk, true)) => Ok(Some((chunk, None))),
            Ok((chunk, false)) => Ok(Some((chunk, Some((running, None))))),
            Err(error) => {
                tracing::warn!(%error, "a report broke off");
                Err(error)
            }
        }
    })
}

impl<P: Pages> Running<P> {
    /// The next chunk, and whether it is the last.
    async fn chunk(&mut self, first: Option<Vec<P::Item>>) -> ApiResult<(Bytes, bool)> {
        let (mut chunk, items) = match first {
            Some(items) => (self.printer.begin()?, items),
            None => (Vec::new(), self.pages.next(PAGE).await?),
        };
        chunk.extend(self.printer.rows(&items)?);
        let is_last = (items.len() as u64) < PAGE;
        if is_last {
            chunk.extend(self.printer.end());
            self.slot = None;
        }
        Ok((chunk.into(), is_last))
    }
}

/// Writes a report in its form.
struct Printer<Item> {
    form: Form,
    report: Report<Item>,
    now: Timestamp,
    /// How many rows matched when the report began.
    total: u64,
    has_rows: bool,
    /// The group of the last printed row.
    group: Option<String>,
}

impl<Item: Serialize> Printer<Item> {
    fn begin(&self) -> ApiResult<Vec<u8>> {
        match self.form {
            Form::Json => json::begin(&self.report.filters),
            Form::Csv => csv::begin(&self.report.columns),
            Form::Printable => Ok(html::begin(&self.report, self.total, self.now)),
        }
    }

    fn rows(&mut self, items: &[Item]) -> ApiResult<Vec<u8>> {
        let are_first = !std::mem::replace(&mut self.has_rows, true);
        match self.form {
            Form::Json => json::rows(items, are_first),
            Form::Csv => csv::rows(&self.report.columns, items),
            Form::Printable => Ok(html::rows(&self.report, items, &mut self.group)),
        }
    }

    fn end(&self) -> &'static [u8] {
        match self.form {
            Form::Json => json::END,
            Form::Csv => b"",
            Form::Printable => html::END,
        }
    }
}

#[cfg(test)]
mod tests;
