//! Pages of a property's history (docs/wire.md#pages). An adjacent datapoint identifies a page, so that new datapoints do not shift
//! the pages. Pages are ordered from the newest to the oldest; within a page the oldest datapoint is first, as in every list.

use platform::db::Db;
use serde::Serialize;

use super::error::Result;
use super::query::Query;
use crate::store::datapoints::{self, DatapointRow, Span};

/// Maximum and default number of datapoints in a response.
pub(super) const MAX_LIMIT: i64 = 100;

/// The page that a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    from: From,
    per_page: i64,
}

#[derive(Debug, PartialEq, Eq)]
enum From {
    Newest,
    /// The page whose newest datapoint is this one.
    Next(String),
    /// The page before the one whose newest datapoint is this one.
    Previous(String),
}

/// The adjacent pages.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Meta {
    /// For `is_forward_page=false&previous=ID`.
    previous_page: Option<String>,
    /// For `is_forward_page=true&next=ID`.
    next_page: Option<String>,
    /// Always 1: pages of a history have no numbers.
    current_page_number: i64,
}

/// A page of a history.
pub(super) struct HistoryPage {
    pub(super) meta: Meta,
    /// Oldest first.
    pub(super) rows: Vec<DatapointRow>,
}

impl Cursor {
    /// The page that the query asks for; `None` without paging.
    ///
    /// # Errors
    /// 422 if `per_page` is not a number.
    pub(super) fn of(query: &Query) -> Result<Option<Self>> {
        if !query.is_set("paginated") {
            return Ok(None);
        }
        let forward = query.get("is_forward_page").is_none_or(|_| query.is_set("is_forward_page"));
        let from = match query.get(if forward { "next" } else { "previous" }).map(str::to_owned) {
            None => From::Newest,
            Some(id) if forward => From::Next(id),
            Some(id) => From::Previous(id),
        };
        Ok(Some(Self { from, per_page: query.limit("per_page", MAX_LIMIT)? }))
    }

    /// Reads the page.
    ///
    /// # Errors
    /// A database error.
    pub(super) async fn page(self, db: &Db, property_id: i64, span: Span) -> Result<HistoryPage> {
        // One row more than the page shows whether there is another page.
        let limit = self.per_page + 1;
        let is_more = |rows: &[DatapointRow]| i64::try_from(rows.len()).is_ok_and(|count| count == limit);
        let (rows, next_page) = match &self.from {
            From::Previous(than) => {
                let mut rows = datapoints::newer(db, property_id, span, than, limit).await?;
                if is_more(&rows) {
                    rows.pop();
                }
                (rows, Some(than.clone()))
            }
            From::Newest => older(datapoints::newest(db, property_id, span, None, limit).await?, is_more),
            From::Next(id) => older(datapoints::newest(db, property_id, span, Some(id), limit).await?, is_more),
        };
        let previous_page = match rows.last() {
            Some(first) if self.from != From::Newest => {
                datapoints::is_outdated(db, property_id, &first.id).await?.then(|| first.id.clone())
            }
            _ => None,
        };
        Ok(HistoryPage { meta: Meta { previous_page, next_page, current_page_number: 1 }, rows })
    }
}

/// Removes the row that belongs to the next page, if any, and returns its id.
fn older(
    mut rows: Vec<DatapointRow>,
    is_more: impl Fn(&[DatapointRow]) -> bool,
) -> (Vec<DatapointRow>, Option<String>) {
    let next = is_more(&rows).then(|| rows.remove(0).id);
    (rows, next)
}
