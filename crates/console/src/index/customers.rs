//! The names of customers, from the counted values of the devices.

use platform::db::{Db, Result};
use sea_query::{Expr, ExprTrait, IntoColumnRef, Order, Query, SubQueryStatement};

use super::columns::IdxDevices;
use super::filter::TextMatch;
use super::schema::{Alias, IdxValueCounts};
use super::scope::{Table, visible_rows};
use super::text::matches;
use crate::policy::Actor;
use crate::texts::folding::fold;

/// Returns at most `limit` customers of the devices that `actor` may see: those whose names match as in a filter, or the first ones
/// without a text. Names that begin with the text come first. Of names that differ only in case or accents, that of one device is returned.
pub(crate) async fn customers(db: &Db, actor: &Actor, text: Option<&str>, limit: u64) -> Result<Vec<String>> {
    let Some(visible) = visible_rows(actor, None) else { return Ok(Vec::new()) };
    let value = || Expr::col((IdxValueCounts::Table, IdxValueCounts::Value));
    let mut names = visible.value_counts(IdxDevices::CustomerFolded);
    names.expr_as(value(), IdxValueCounts::Value).and_where(value().ne(""));
    if let Some(text) = text {
        names.and_where(matches(value(), &TextMatch::of(text)));
        let begins = matches(value(), &TextMatch::Prefix(fold(text)));
        names.order_by_expr(Expr::case(begins, 0).finally(1).into(), Order::Asc);
    }
    names.order_by_expr(value(), Order::Asc).limit(limit);

    let name = (Alias::Candidates, IdxValueCounts::Value).into_column_ref();
    let customer = (IdxDevices::Table, IdxDevices::CustomerFolded);
    let mut spelling = visible.from(Table::Devices);
    spelling
        .column((IdxDevices::Table, IdxDevices::Customer))
        .and_where(Expr::col(customer).equals(name.clone()))
        .order_by(customer, Order::Asc)
        .order_by((IdxDevices::Table, IdxDevices::Dsn), Order::Asc)
        .limit(1);
    let spelling = Expr::SubQuery(None, Box::new(SubQueryStatement::SelectStatement(spelling)));
    let statement = Query::select().from_subquery(names, Alias::Candidates).expr(Expr::col(name)).expr(spelling).take();
    let rows: Vec<(String, Option<String>)> = db.select(&statement).await?;
    // A device may be gone since its name was counted.
    let mut found: Vec<(String, String)> =
        rows.into_iter().filter_map(|(folded, spelling)| Some((folded, spelling?))).collect();
    let begins = |folded: &str| text.is_none_or(|text| folded.starts_with(&fold(text)));
    found.sort_by_cached_key(|(folded, _)| (!begins(folded), folded.clone()));
    Ok(found.into_iter().map(|(_, spelling)| spelling).collect())
}
