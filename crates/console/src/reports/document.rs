//! The JSON format, for OpenAPI.

use std::collections::BTreeMap;

use utoipa::ToSchema;

/// A report: the applied filters and all matching items.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the format; a report is streamed and never built as a value")]
pub(crate) struct ReportOf<Item> {
    /// What the reader must know before the items, if there is something.
    notice: Option<String>,
    /// Filters by their names in the query string.
    filters: BTreeMap<String, String>,
    items: Vec<Item>,
}
