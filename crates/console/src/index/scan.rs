//! Every device of a list, page after page: for reports.

use platform::db::{Db, Result};
use sea_query::ExprTrait;
use sqlx::FromRow;

use super::cursor::Cursor;
use super::query::{ListQuery, devices};
use super::row::DeviceRow;
use super::schema::Alias;
use super::scope::visible_rows;
use super::selection::{Selection, Slice};
use super::sort::SortOrder;
use super::totals::totals;
use crate::devices::record::DeviceRecord;
use crate::policy::Actor;

/// A walk through a list, whichever page of it the query names. It is no snapshot: each page is what the index has when it is
/// read. A device is missed or told twice when the value that the list is ordered by changes during the walk and carries it
/// over the cursor reached; one that nothing happens to comes exactly once.
pub(crate) struct ListScan {
    actor: Actor,
    query: ListQuery,
    cursor: Option<Cursor>,
}

#[derive(FromRow)]
struct ScannedRow {
    sort_key: String,
    #[sqlx(flatten)]
    device: DeviceRow,
}

impl ListScan {
    pub(crate) fn new(actor: Actor, query: ListQuery) -> Self {
        Self { actor, query, cursor: None }
    }

    /// How many devices match now, on all pages.
    pub(crate) async fn count(&self, db: &Db) -> Result<u64> {
        let Some(visible) = visible_rows(&self.actor, self.query.filter.csp.as_deref()) else { return Ok(0) };
        Ok(totals(db, &Selection::new(visible, &self.query.filter, db.dialect())).await?.matching)
    }

    /// The next devices, at most `limit`. Fewer are the last.
    pub(crate) async fn next(&mut self, db: &Db, limit: u64) -> Result<Vec<DeviceRecord>> {
        let Some(visible) = visible_rows(&self.actor, self.query.filter.csp.as_deref()) else { return Ok(Vec::new()) };
        let key = self.query.key();
        let slice = Slice { key, descending: self.query.order == SortOrder::Desc, limit, offset: 0 };
        let selection = Selection::new(visible, &self.query.filter, db.dialect());
        let mut page = devices(visible, selection.page_after(slice, self.cursor.as_ref()), slice);
        page.expr_as(key.value().cast_as("TEXT"), Alias::SortKey);
        let rows: Vec<ScannedRow> = db.select(&page).await?;
        if let Some(ScannedRow { sort_key, device }) = rows.last() {
            self.cursor = Some(Cursor::at(sort_key, key.is_number(), &device.dsn));
        }
        Ok(rows.into_iter().map(|row| row.device.into()).collect())
    }
}
