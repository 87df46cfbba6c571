//! Users, as operators list and lock them.

use platform::db::{Db, Result, Tx, params};

use super::sessions;
use super::users::FOREVER;

/// A user with one of their roles.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct AccountRow {
    pub(crate) uuid: String,
    pub(crate) email: String,
    pub(crate) firstname: Option<String>,
    pub(crate) lastname: Option<String>,
    pub(crate) confirmed_at: Option<i64>,
    pub(crate) locked_until: Option<i64>,
    pub(crate) application_id: Option<i64>,
    pub(crate) role: Option<String>,
    pub(crate) label_value: Option<String>,
}

/// The users of the manufacturer by address, one row per role or one without.
pub(crate) async fn listed(db: &Db, oem_id: i64) -> Result<Vec<AccountRow>> {
    db.fetch_all(
        "select u.uuid, u.email, u.firstname, u.lastname, u.confirmed_at, u.locked_until, u.application_id,
                r.name as role, g.label_value
         from users u left join user_role g on g.user_id = u.id left join role r on r.id = g.role_id
         where u.oem_id = $1 order by u.email, r.id",
        params![oem_id],
    )
    .await
}

/// The labels that people or devices of the manufacturer have.
pub(crate) async fn labels(db: &Db, oem_id: i64) -> Result<Vec<String>> {
    let sql = "select g.label_value from user_role g join role r on r.id = g.role_id
               where r.oem_id = $1 and g.label_value is not null
               union
               select l.label_value from device_label l join role r on r.id = l.role_id where r.oem_id = $1
               order by 1";
    let rows: Vec<(String,)> = db.fetch_all(sql, params![oem_id]).await?;
    Ok(rows.into_iter().map(|(label,)| label).collect())
}

/// Locks a user until an operator unlocks them, and closes their sessions.
pub(crate) async fn lock(db: &Db, user_id: i64) -> Result<()> {
    let lock = async |mut tx: Tx| -> Result<()> {
        tx.execute("update users set locked_until = $2 where id = $1", params![user_id, FOREVER]).await?;
        sessions::close_all(&mut tx, user_id, None).await?;
        tx.commit().await
    };
    db.write(lock).await
}

pub(crate) async fn unlock(db: &Db, user_id: i64) -> Result<()> {
    let sql = "update users set locked_until = null, lock_told_until = null, failed_sign_ins = 0 where id = $1";
    db.execute(sql, params![user_id]).await?;
    Ok(())
}
