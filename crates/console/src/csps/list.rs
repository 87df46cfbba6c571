//! The list of CSPs.

use platform::db::{Db, Result};
use sea_query::{Asterisk, Expr, ExprTrait, Iden, Order, Query, SelectStatement};

use super::dto::CspName;
use crate::http::sort_order::SortOrder;
use crate::index::{self, Cursor, TextMatch};
use crate::texts::folding::fold;

/// The parsed query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListQuery {
    /// Counted from 1.
    pub(super) page: u64,
    pub(super) page_size: u64,
    /// The order of the names.
    pub(super) order: SortOrder,
    /// Only CSPs whose names match, regardless of case and accents.
    pub(super) name: Option<String>,
}

/// A page.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) csps: Vec<CspName>,
    /// Number of matching CSPs on all pages.
    pub(super) total: u64,
    /// The page number: the last page if the requested one is beyond it.
    pub(super) number: u64,
}

#[derive(Clone, Copy, Iden)]
enum Csps {
    Table,
    Id,
    Name,
    NameFolded,
}

/// One page of all CSPs. Does not check permissions; the caller must.
pub(super) async fn page(db: &Db, query: &ListQuery) -> Result<Page> {
    let total = count(db, query).await?;
    let number = Ord::min(query.page, Ord::max(total.div_ceil(query.page_size), 1));
    let mut rows = in_order(query);
    rows.limit(query.page_size).offset((number - 1) * query.page_size);
    Ok(Page { csps: db.select(&rows).await?, total, number })
}

async fn count(db: &Db, query: &ListQuery) -> Result<u64> {
    let counted: Vec<(i64,)> = db.select(matching(query).expr(Expr::col(Asterisk).count())).await?;
    Ok(counted.first().map_or(0, |(count,)| count.unsigned_abs()))
}

/// Reads the whole list for a report, ignoring the page of the query. Not a snapshot, like [`index::ListScan`].
pub(super) struct CspScan {
    query: ListQuery,
    cursor: Option<Cursor>,
}

impl CspScan {
    pub(super) fn new(query: ListQuery) -> Self {
        Self { query, cursor: None }
    }

    /// Counts the CSPs that match now, on all pages.
    pub(super) async fn count(&self, db: &Db) -> Result<u64> {
        count(db, &self.query).await
    }

    /// The next CSPs, at most `limit`. Fewer than `limit` rows means this is the last page.
    pub(super) async fn next(&mut self, db: &Db, limit: u64) -> Result<Vec<CspName>> {
        let after = |cursor: &Cursor| cursor.after(Csps::NameFolded, Csps::Name, self.query.order == SortOrder::Desc);
        let mut rows = in_order(&self.query);
        rows.and_where_option(self.cursor.as_ref().map(after)).limit(limit);
        let csps: Vec<CspName> = db.select(&rows).await?;
        self.cursor = csps.last().map(|csp| Cursor::at(&fold(&csp.name), false, &csp.name));
        Ok(csps)
    }
}

fn in_order(query: &ListQuery) -> SelectStatement {
    let direction = match query.order {
        SortOrder::Asc => Order::Asc,
        SortOrder::Desc => Order::Desc,
    };
    let mut rows = matching(query);
    rows.columns([Csps::Id, Csps::Name])
        .order_by(Csps::NameFolded, direction.clone())
        // Orders names that differ only in case or accents.
        .order_by(Csps::Name, direction);
    rows
}

fn matching(query: &ListQuery) -> SelectStatement {
    let name = |name: &String| index::matches(Expr::col(Csps::NameFolded), &TextMatch::of(name));
    Query::select().from(Csps::Table).and_where_option(query.name.as_ref().map(name)).take()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use platform::run::random::Random;

    use super::*;
    use crate::csps::store::adopt;

    async fn filled(db: &Db) {
        let names = ["south", "Łódź", "North", "100%", "North & Sons", "SOUTH", "Ångström"].map(str::to_owned);
        adopt(db, &Random::seeded(1), &names, Timestamp::UNIX_EPOCH).await.unwrap();
    }

    async fn names(db: &Db, query: &ListQuery) -> Vec<String> {
        page(db, query).await.unwrap().csps.into_iter().map(|csp| csp.name).collect()
    }

    fn all() -> ListQuery {
        ListQuery { page: 1, page_size: 25, order: SortOrder::Asc, name: None }
    }

    async fn names_are_sorted_regardless_of_case_and_accents(db: Db) {
        filled(&db).await;
        let mut expected = vec!["100%", "Ångström", "Łódź", "North", "North & Sons", "SOUTH", "south"];
        assert_eq!(names(&db, &all()).await, expected);
        expected.reverse();
        assert_eq!(names(&db, &ListQuery { order: SortOrder::Desc, ..all() }).await, expected);
    }

    async fn page_past_the_end_is_the_last_page(db: Db) {
        assert_eq!(page(&db, &ListQuery { page: 7, ..all() }).await.unwrap().number, 1, "of an empty list");
        filled(&db).await;
        let of_five = |page| ListQuery { page, page_size: 5, ..all() };
        let first = page(&db, &of_five(1)).await.unwrap();
        assert_eq!((first.csps.len(), first.total, first.number), (5, 7, 1));
        for number in [2, 3, u64::MAX] {
            let last = page(&db, &of_five(number)).await.unwrap();
            let names: Vec<&str> = last.csps.iter().map(|csp| csp.name.as_str()).collect();
            assert_eq!((names, last.total, last.number), (vec!["SOUTH", "south"], 7, 2), "{number}");
        }
    }

    async fn scan_returns_the_whole_list_in_order(db: Db) {
        filled(&db).await;
        for (order, name) in [(SortOrder::Asc, None), (SortOrder::Desc, None), (SortOrder::Asc, Some("o"))] {
            let query = ListQuery { order, name: name.map(str::to_owned), ..all() };
            let whole = names(&db, &query).await;
            for limit in [1, 2, 25] {
                let (mut scan, mut scanned) = (CspScan::new(query.clone()), Vec::new());
                loop {
                    let page = scan.next(&db, limit).await.unwrap();
                    let is_last = (page.len() as u64) < limit;
                    scanned.extend(page.into_iter().map(|csp| csp.name));
                    if is_last {
                        break;
                    }
                }
                assert_eq!(scanned, whole, "{order:?} {name:?} {limit}");
            }
        }
    }

    async fn name_filter_matches_a_prefix_below_three_characters_and_any_part_from_three(db: Db) {
        filled(&db).await;
        let rows: [(&str, &[&str]); 8] = [
            ("no", &["North", "North & Sons"]),
            ("SONS", &["North & Sons"]),
            ("so", &["SOUTH", "south"]),
            ("ÅN", &["Ångström"]),
            ("óDŹ", &["Łódź"]),
            ("00%", &["100%"]),
            ("%th", &[]),
            ("_th", &[]),
        ];
        for (name, expected) in rows {
            let query = ListQuery { name: Some(name.to_owned()), ..all() };
            assert_eq!(names(&db, &query).await, expected, "{name}");
            assert_eq!(page(&db, &query).await.unwrap().total, expected.len() as u64, "{name}");
        }
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            names_are_sorted_regardless_of_case_and_accents,
            page_past_the_end_is_the_last_page,
            scan_returns_the_whole_list_in_order,
            name_filter_matches_a_prefix_below_three_characters_and_any_part_from_three,
        ]
    );
}
