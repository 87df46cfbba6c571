//! How many rows a list has.

use platform::db::{Db, Result};
use sea_query::SelectStatement;

use super::selection::{Selection, Start};

/// Exact, as of a moment ago.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    /// All that the actor sees, whatever the filter.
    pub(super) visible: u64,
    pub(super) matching: u64,
    /// Where to start when the matches are to be collected.
    pub(super) start: Start,
}

/// Without a filter by text, they are kept (idx_device_counts). With one, the matches are counted, from the side that has
/// fewer of them.
pub(super) async fn totals(db: &Db, selection: &Selection<'_>) -> Result<Totals> {
    let kinds: Vec<(i64, i64)> = db.select(&selection.kind_counts()).await?;
    let (visible, of_kind) = kinds.first().map_or((0, 0), |(all, kind)| (all.unsigned_abs(), kind.unsigned_abs()));
    if !selection.has_texts() || of_kind == 0 {
        return Ok(Totals { visible, matching: of_kind, start: Start::Kind });
    }
    let candidates = match selection.text_candidates(of_kind) {
        Some(statement) => Some(count(db, &statement).await?),
        None => None,
    };
    let start = if candidates == Some(of_kind) { Start::Kind } else { Start::Texts };
    let matching = match candidates {
        Some(candidates) if selection.is_only_text() => candidates,
        _ => count(db, &selection.count(start)).await?,
    };
    Ok(Totals { visible, matching, start })
}

async fn count(db: &Db, statement: &SelectStatement) -> Result<u64> {
    let counted: Vec<(i64,)> = db.select(statement).await?;
    Ok(counted.first().map_or(0, |(count,)| count.unsigned_abs()))
}
