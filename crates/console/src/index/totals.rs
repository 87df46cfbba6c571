//! How many rows a list has, and how many devices a CSP.

use std::collections::HashMap;

use platform::db::{Db, Result};
use sea_query::{Expr, ExprTrait, Func, SelectStatement};

use super::schema::IdxDeviceCounts;
use super::scope::{Table, visible};
use super::selection::{Selection, Start};
use crate::policy::Actor;

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
    let (mut visible, mut of_kind) = pair(db, &selection.kind_counts()).await?;
    if let Some(left_out) = selection.left_out() {
        let (one, of_its_kind) = pair(db, &left_out).await?;
        (visible, of_kind) = (visible.saturating_sub(one), of_kind.saturating_sub(of_its_kind));
    }
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

/// How many devices each of these CSPs has, of those that `actor` may see; none stands for 0.
pub(crate) async fn devices_by_csp(db: &Db, actor: &Actor, names: &[&str]) -> Result<HashMap<String, u64>> {
    let Some(visible) = visible(actor, None) else { return Ok(HashMap::new()) };
    let csp = Expr::col((IdxDeviceCounts::Table, IdxDeviceCounts::Csp));
    let n = Func::sum(Expr::col((IdxDeviceCounts::Table, IdxDeviceCounts::N)));
    let mut statement = visible.from(Table::Counts);
    statement
        .expr(csp.clone())
        .expr(Expr::from(n).cast_as("BIGINT"))
        .and_where(csp.is_in(names.iter().copied()))
        .group_by_col((IdxDeviceCounts::Table, IdxDeviceCounts::Csp));
    let counts: Vec<(String, i64)> = db.select(&statement).await?;
    Ok(counts.into_iter().map(|(csp, n)| (csp, n.unsigned_abs())).collect())
}

async fn pair(db: &Db, statement: &SelectStatement) -> Result<(u64, u64)> {
    let counted: Vec<(i64, i64)> = db.select(statement).await?;
    Ok(counted.first().map_or((0, 0), |(all, some)| (all.unsigned_abs(), some.unsigned_abs())))
}

async fn count(db: &Db, statement: &SelectStatement) -> Result<u64> {
    let counted: Vec<(i64,)> = db.select(statement).await?;
    Ok(counted.first().map_or(0, |(count,)| count.unsigned_abs()))
}
