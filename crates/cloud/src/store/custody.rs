//! Custody of users without a role or label.

use std::collections::HashMap;

use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use crate::domain::policy::custody::Custody;

/// The custody of those users who are in one.
pub(crate) async fn of(db: &Db, users: &[i64]) -> Result<HashMap<i64, Custody>> {
    let mut custody = HashMap::new();
    for run in key_runs(users) {
        let names = placeholders(db.dialect(), run.len());
        let sql = format!("select user_id, label_key, label_value from custody where user_id in ({names})");
        let keys = run.into_iter().fold(Params::default(), Params::with);
        let rows: Vec<(i64, String, String)> = db.fetch_all(AssertSqlSafe(sql), keys).await?;
        custody.extend(rows.into_iter().map(|(user_id, key, value)| (user_id, Custody { key, value })));
    }
    Ok(custody)
}

/// The custody of a user as of this transaction.
pub(crate) async fn find(tx: &mut Tx, user_id: i64) -> Result<Option<Custody>> {
    let sql = "select label_key, label_value from custody where user_id = $1";
    let row: Option<(String, String)> = tx.fetch_optional(sql, params![user_id]).await?;
    Ok(row.map(|(key, value)| Custody { key, value }))
}

/// Sets or clears the custody of a user.
pub(crate) async fn set(tx: &mut Tx, user_id: i64, custody: Option<&Custody>) -> Result<()> {
    let Some(Custody { key, value }) = custody else {
        tx.execute("delete from custody where user_id = $1", params![user_id]).await?;
        return Ok(());
    };
    tx.execute(
        "insert into custody (user_id, label_key, label_value) values ($1, $2, $3)
         on conflict (user_id) do update set label_key = excluded.label_key, label_value = excluded.label_value",
        params![user_id, key, value],
    )
    .await?;
    Ok(())
}
