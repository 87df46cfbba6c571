//! Reads all devices of a list in batches, for reports.

use platform::db::{Db, Result};
use sea_query::ExprTrait;
use sqlx_macros::FromRow;

use super::cursor::Cursor;
use super::query::{ListQuery, devices};
use super::row::ListedRow;
use super::schema::Alias;
use super::scope::visible_rows;
use super::selection::{Selection, Slice};
use super::totals::totals;
use crate::http::sort_order::SortOrder;
use crate::policy::Actor;
use crate::records::ListedDevice;

/// A scan of a list, regardless of the query's page. It is not a snapshot: each batch shows the index at the time it is
/// read. A device can be missed or repeated if its sort value moves across the cursor during the scan; an unchanged
/// device is returned exactly once.
pub(crate) struct ListScan {
    actor: Actor,
    query: ListQuery,
    cursor: Option<Cursor>,
}

#[derive(FromRow)]
struct ScannedRow {
    sort_key: String,
    #[sqlx(flatten)]
    row: ListedRow,
}

impl ListScan {
    pub(crate) fn new(actor: Actor, query: ListQuery) -> Self {
        Self { actor, query, cursor: None }
    }

    /// Counts the devices that match now.
    pub(crate) async fn count(&self, db: &Db) -> Result<u64> {
        let Some(visible) = visible_rows(&self.actor, self.query.filter.csp()) else { return Ok(0) };
        Ok(totals(db, &Selection::new(visible, &self.query.filter, db.dialect())).await?.matching)
    }

    /// Returns the next devices, at most `limit`. Fewer than `limit` means that the scan is complete.
    pub(crate) async fn next(&mut self, db: &Db, limit: u64) -> Result<Vec<ListedDevice>> {
        let Some(visible) = visible_rows(&self.actor, self.query.filter.csp()) else { return Ok(Vec::new()) };
        let key = self.query.key();
        let slice = Slice { key, descending: self.query.order == SortOrder::Desc, limit, offset: 0 };
        let selection = Selection::new(visible, &self.query.filter, db.dialect());
        let mut page = devices(visible, selection.page_after(slice, self.cursor.as_ref()), slice);
        page.expr_as(key.value().cast_as("TEXT"), Alias::SortKey);
        let rows: Vec<ScannedRow> = db.select(&page).await?;
        if let Some(ScannedRow { sort_key, row }) = rows.last() {
            self.cursor = Some(Cursor::at(sort_key, key.is_number(), &row.device.dsn));
        }
        Ok(rows.into_iter().map(|scanned| scanned.row.into()).collect())
    }
}
