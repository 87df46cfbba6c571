//! Every device of a list, page after page: for reports.

use platform::db::{Db, Result};
use sea_query::ExprTrait;
use sqlx::FromRow;

use super::place::Place;
use super::query::{ListQuery, devices};
use super::row::DeviceRow;
use super::schema::Part;
use super::scope::visible;
use super::selection::{Selection, Slice};
use super::sort::SortOrder;
use super::totals::totals;
use crate::devices::record::DeviceRecord;
use crate::policy::Actor;

/// A walk through a list, whichever page of it the query names. It is no snapshot: each page is what the index has when it is
/// read. A device is missed or told twice when the value that the list is ordered by changes during the walk and carries it
/// over the place reached; one that nothing happens to comes exactly once.
pub(crate) struct Walk {
    actor: Actor,
    query: ListQuery,
    place: Option<Place>,
}

#[derive(FromRow)]
struct PlacedRow {
    sort_key: String,
    #[sqlx(flatten)]
    device: DeviceRow,
}

impl Walk {
    pub(crate) fn new(actor: Actor, query: ListQuery) -> Self {
        Self { actor, query, place: None }
    }

    /// How many devices match now, on all pages.
    pub(crate) async fn count(&self, db: &Db) -> Result<u64> {
        let Some(visible) = visible(&self.actor, self.query.filter.csp.as_deref()) else { return Ok(0) };
        Ok(totals(db, &Selection::new(visible, &self.query.filter, db.dialect())).await?.matching)
    }

    /// The next devices, at most `limit`. Fewer are the last.
    pub(crate) async fn next(&mut self, db: &Db, limit: u64) -> Result<Vec<DeviceRecord>> {
        let Some(visible) = visible(&self.actor, self.query.filter.csp.as_deref()) else { return Ok(Vec::new()) };
        let key = self.query.key();
        let slice = Slice { key, descending: self.query.order == SortOrder::Desc, limit, offset: 0 };
        let selection = Selection::new(visible, &self.query.filter, db.dialect());
        let mut page = devices(visible, selection.following(slice, self.place.as_ref()), slice);
        page.expr_as(key.value().cast_as("TEXT"), Part::SortKey);
        let rows: Vec<PlacedRow> = db.select(&page).await?;
        if let Some(PlacedRow { sort_key, device }) = rows.last() {
            self.place = Some(Place::at(sort_key, key.is_number(), &device.dsn));
        }
        Ok(rows.into_iter().map(|row| row.device.into()).collect())
    }
}
