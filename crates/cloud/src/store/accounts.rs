//! What an operator sees and does of users.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};

/// A user with one of their roles.
#[derive(sqlx::FromRow)]
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

/// The manufacturer's users by their addresses, each with a row for every role, or one without.
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

/// Locks a user, and ends the sessions.
pub(crate) async fn lock(db: &Db, user_id: i64, until: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    tx.execute("update users set locked_until = $2 where id = $1", params![user_id, until]).await?;
    end_sessions(&mut tx, user_id).await?;
    tx.commit().await
}

pub(crate) async fn unlock(db: &Db, user_id: i64) -> Result<()> {
    let sql = "update users set locked_until = null, failed_sign_ins = 0 where id = $1";
    db.execute(sql, params![user_id]).await?;
    Ok(())
}

/// Gives a user another password, and ends the sessions.
pub(crate) async fn set_password(db: &Db, user_id: i64, password_hash: &str, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    let sql = "update users set password_hash = $2, updated_at = $3 where id = $1";
    tx.execute(sql, params![user_id, password_hash, now]).await?;
    end_sessions(&mut tx, user_id).await?;
    tx.commit().await
}

async fn end_sessions(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute("delete from session where user_id = $1", params![user_id]).await?;
    Ok(())
}
