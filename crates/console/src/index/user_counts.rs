//! Counts the people of the index.

use std::collections::HashMap;

use platform::db::rows::placeholders;
use platform::db::{Db, Params, Result};
use sqlx::AssertSqlSafe;

/// Counts users of each of these CSPs. A CSP without users is missing from the map. Does not check permissions; the caller
/// must.
pub(crate) async fn users_by_csp(db: &Db, names: &[&str]) -> Result<HashMap<String, u64>> {
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "select csp, count(*) from idx_users where csp in ({}) group by csp",
        placeholders(db.dialect(), names.len())
    );
    let names = names.iter().fold(Params::default(), |params, name| params.with(*name));
    let counts: Vec<(String, i64)> = db.fetch_all(AssertSqlSafe(sql), names).await?;
    Ok(counts.into_iter().map(|(csp, n)| (csp, n.unsigned_abs())).collect())
}
