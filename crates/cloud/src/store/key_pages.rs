//! Lists of any length, read page by page. No connection is held between two pages.

use std::vec::IntoIter;

use futures::stream::{self, Stream};
use platform::db::{Db, Record, Result};
use sea_query::{Expr, Query, SelectStatement};

/// The number of rows of a page. One of the row counts of [`platform::db::rows`], so that statements about their keys can be
/// reused.
pub(crate) const PAGE: usize = 128;

/// A list that can be read page by page.
pub(crate) trait KeyedList: Send + Sync + 'static {
    type Row: Record;

    fn key(row: &Self::Row) -> i64;

    /// Whether the rows are read in the order of their keys, the lowest first.
    fn is_by_key(&self) -> bool;

    /// The rows with higher keys than this one, in the order of the list.
    fn after(&self, key: Option<i64>) -> SelectStatement;

    /// The keys of all rows, in the order of the list.
    fn keys(&self) -> SelectStatement;

    /// The rows with these keys that are still in scope, in any order.
    fn with_keys(&self, keys: &[i64]) -> SelectStatement;
}

enum Position {
    Start,
    After(Option<i64>),
    /// The keys that follow. A list in another order is read by its keys, because rows can move in that order between two pages.
    Keys(IntoIter<(i64,)>),
    End,
}

/// The pages of the list. Each row occurs once. Rows that are deleted meanwhile are omitted.
pub(crate) fn pages<L: KeyedList>(db: Db, list: L) -> impl Stream<Item = Result<Vec<L::Row>>> + Send {
    stream::try_unfold((db, list, Position::Start), async |(db, list, position)| {
        let page = next(&db, &list, position).await?;
        Ok(page.map(|(rows, position)| (rows, (db, list, position))))
    })
}

async fn next<L: KeyedList>(db: &Db, list: &L, position: Position) -> Result<Option<(Vec<L::Row>, Position)>> {
    let position = match position {
        Position::Start if list.is_by_key() => Position::After(None),
        Position::Start => Position::Keys(db.select(&list.keys()).await?.into_iter()),
        position => position,
    };
    match position {
        Position::Start | Position::End => Ok(None),
        Position::After(key) => {
            let rows: Vec<L::Row> = db.select(list.after(key).limit(PAGE as u64)).await?;
            let last = rows.last().filter(|_| rows.len() == PAGE).map(L::key);
            let position = last.map_or(Position::End, |key| Position::After(Some(key)));
            Ok(Some((rows, position)))
        }
        Position::Keys(mut keys) => {
            let page: Vec<i64> = keys.by_ref().take(PAGE).map(|(key,)| key).collect();
            if page.is_empty() {
                return Ok(None);
            }
            let mut rows: Vec<L::Row> = db.select(&list.with_keys(&page)).await?;
            rows.sort_by_cached_key(|row| page.iter().position(|key| *key == L::key(row)));
            let position = if keys.len() == 0 { Position::End } else { Position::Keys(keys) };
            Ok(Some((rows, position)))
        }
    }
}

/// The number of rows of a statement that has no columns yet.
pub(super) async fn count_of(db: &Db, statement: &mut SelectStatement) -> Result<i64> {
    let rows = statement.expr(Expr::cust("1")).take();
    let counted: Vec<(i64,)> =
        db.select(Query::select().expr(Expr::cust("count(*)")).from_subquery(rows, "counted")).await?;
    Ok(counted.first().map_or(0, |(count,)| *count))
}
