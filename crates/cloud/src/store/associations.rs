//! Customers associated with roles and labels.

use platform::db::{Db, Result, Tx, params};

/// The role and label of an association.
#[derive(Clone, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub(crate) struct AssociationRow {
    pub(crate) role: String,
    pub(crate) label_key: Option<String>,
    pub(crate) label_value: String,
}

/// The associations of this user.
pub(crate) async fn of_user(db: &Db, user_id: i64) -> Result<Vec<AssociationRow>> {
    let sql = "select r.name as role, r.label_key, a.label_value from association a join role r on r.id = a.role_id
               where a.user_id = $1 order by r.id, a.label_value";
    db.fetch_all(sql, params![user_id]).await
}

/// Associates a user, unless they are associated already.
pub(crate) async fn insert(tx: &mut Tx, user_id: i64, role_id: i64, label_value: &str) -> Result<()> {
    let sql = "insert into association (user_id, role_id, label_value) values ($1, $2, $3) on conflict do nothing";
    tx.execute(sql, params![user_id, role_id, label_value]).await?;
    Ok(())
}

/// Deletes a user's associations with a role, or only the one with this label. Returns whether there was any.
pub(crate) async fn delete(tx: &mut Tx, user_id: i64, role_id: i64, label_value: Option<&str>) -> Result<bool> {
    let ended = match label_value {
        None => tx.execute("delete from association where user_id = $1 and role_id = $2", params![user_id, role_id]),
        Some(value) => tx.execute(
            "delete from association where user_id = $1 and role_id = $2 and label_value = $3",
            params![user_id, role_id, value],
        ),
    };
    Ok(ended.await? > 0)
}
