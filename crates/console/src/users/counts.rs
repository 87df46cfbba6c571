//! How many people a CSP has.

use std::collections::HashMap;

use platform::db::{Db, Result};
use sea_query::{Asterisk, Expr, ExprTrait, Query};

use super::query::IdxUsers;

/// How many people each of these CSPs has, for who may see all of them; none stands for 0.
pub(crate) async fn by_csp(db: &Db, names: &[&str]) -> Result<HashMap<String, u64>> {
    let mut statement = Query::select();
    statement
        .from(IdxUsers::Table)
        .column(IdxUsers::Csp)
        .expr(Expr::col(Asterisk).count())
        .and_where(Expr::col(IdxUsers::Csp).is_in(names.iter().copied()))
        .group_by_col(IdxUsers::Csp);
    let counts: Vec<(String, i64)> = db.select(&statement).await?;
    Ok(counts.into_iter().map(|(csp, n)| (csp, n.unsigned_abs())).collect())
}
