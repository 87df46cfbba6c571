//! Pages of a property's history (docs/wire.md#pages): a page is named by a datapoint next to it, not by a number, so that
//! new datapoints shift nothing. They go from the newest to the oldest; within a page the oldest is first, as in every list.

use platform::db::Db;
use serde::Serialize;

use super::error::Result;
use super::query::Query;
use crate::store::datapoints::{self, DatapointRow, Span};

/// The most datapoints of one answer, and how many there are unless the caller wants fewer.
pub(super) const MAX_LIMIT: i64 = 100;

/// Which page.
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

/// Where the pages around a page are.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Meta {
    /// For `is_forward_page=false&previous=ID`.
    previous_page: Option<String>,
    /// For `is_forward_page=true&next=ID`.
    next_page: Option<String>,
    /// Pages that are named by their datapoints have no numbers.
    current_page_number: i64,
}

/// A page.
pub(super) struct HistoryPage {
    pub(super) meta: Meta,
    /// The oldest first.
    pub(super) rows: Vec<DatapointRow>,
}

impl Cursor {
    /// The page that the query asks for; `None` when it asks for no paging.
    ///
    /// # Errors
    /// 422 when `per_page` is no number.
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

    /// Reads it.
    ///
    /// # Errors
    /// What the database says.
    pub(super) async fn page(self, db: &Db, property_id: i64, span: Span) -> Result<HistoryPage> {
        // One more than the page holds tells whether there is another one behind it.
        let most = self.per_page + 1;
        let is_more = |rows: &[DatapointRow]| i64::try_from(rows.len()).is_ok_and(|count| count == most);
        let (rows, next_page) = match &self.from {
            From::Previous(than) => {
                let mut rows = datapoints::newer(db, property_id, span, than, most).await?;
                if is_more(&rows) {
                    rows.pop();
                }
                (rows, Some(than.clone()))
            }
            From::Newest => older(datapoints::newest(db, property_id, span, None, most).await?, is_more),
            From::Next(id) => older(datapoints::newest(db, property_id, span, Some(id), most).await?, is_more),
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

/// Takes the first of the next page off, if there is one.
fn older(
    mut rows: Vec<DatapointRow>,
    is_more: impl Fn(&[DatapointRow]) -> bool,
) -> (Vec<DatapointRow>, Option<String>) {
    let next = is_more(&rows).then(|| rows.remove(0).id);
    (rows, next)
}
