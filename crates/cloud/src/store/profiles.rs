//! Edits of user records.

use jiff::Timestamp;
use platform::db::{Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

/// A column of a profile and its new value.
pub(crate) type Field = (&'static str, Option<String>);

/// Updates these fields of a user. Returns whether the user exists.
pub(crate) async fn change(tx: &mut Tx, user_id: i64, fields: &[Field], now: Timestamp) -> Result<bool> {
    let (mut sql, mut params) = ("update users set updated_at = $2".to_owned(), Params::default());
    params = params.with(user_id).with(now);
    for (index, (column, value)) in fields.iter().enumerate() {
        sql.push_str(&format!(", {column} = ${}", index + 3));
        params = params.with(value.as_ref());
    }
    sql.push_str(" where id = $1");
    Ok(tx.execute(AssertSqlSafe(sql), params).await? == 1)
}

/// Deletes a user and, by cascade, their records. Returns whether the user existed.
pub(crate) async fn delete(tx: &mut Tx, user_id: i64) -> Result<bool> {
    Ok(tx.execute("delete from users where id = $1", params![user_id]).await? == 1)
}
