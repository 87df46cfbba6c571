//! The JSON form, for api/openapi.json.

use std::collections::BTreeMap;

use utoipa::ToSchema;

/// A report: the filters that count, and all that they leave of the list.
#[derive(ToSchema)]
#[expect(dead_code, reason = "says what a report looks like, which is never whole in memory")]
pub(crate) struct ReportOf<Item> {
    /// By their names in the query string.
    filters: BTreeMap<String, String>,
    items: Vec<Item>,
}
