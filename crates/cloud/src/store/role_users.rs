//! Roles of users.

use std::collections::HashMap;

use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use crate::domain::principal::Grant;
use crate::domain::role::RoleKind;

#[derive(sqlx_macros::FromRow)]
struct RoleUserRow {
    user_id: i64,
    role_id: i64,
    name: String,
    kind: String,
    label_key: Option<String>,
    label_value: Option<String>,
}

impl From<RoleUserRow> for Grant {
    fn from(row: RoleUserRow) -> Self {
        let RoleUserRow { user_id: _, role_id, name, kind, label_key, label_value } = row;
        Self { role_id, name, kind: RoleKind::from_stored(&kind), label_key, label_value }
    }
}

/// The roles of a user as of this transaction.
pub(crate) async fn grants_of(tx: &mut Tx, user_id: i64) -> Result<Vec<Grant>> {
    let sql = "select g.user_id, g.role_id, r.name, r.kind, r.label_key, g.label_value
               from user_role g join role r on r.id = g.role_id where g.user_id = $1 order by r.id";
    let rows: Vec<RoleUserRow> = tx.fetch_all(sql, params![user_id]).await?;
    Ok(rows.into_iter().map(Grant::from).collect())
}

/// The roles of those users who have any.
pub(crate) async fn grants(db: &Db, users: &[i64]) -> Result<HashMap<i64, Vec<Grant>>> {
    let mut grants: HashMap<i64, Vec<Grant>> = HashMap::new();
    for run in key_runs(users) {
        let sql = format!(
            "select g.user_id, g.role_id, r.name, r.kind, r.label_key, g.label_value
             from user_role g join role r on r.id = g.role_id where g.user_id in ({}) order by r.id",
            placeholders(db.dialect(), run.len())
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        for row in db.fetch_all::<RoleUserRow>(AssertSqlSafe(sql), keys).await? {
            grants.entry(row.user_id).or_default().push(row.into());
        }
    }
    Ok(grants)
}

/// Assigns a role. An existing assignment stays, and receives this label only if it has none.
pub(crate) async fn assign(tx: &mut Tx, user_id: i64, role_id: i64, label_value: Option<&str>) -> Result<()> {
    tx.execute(
        "insert into user_role (user_id, role_id, label_value) values ($1, $2, $3)
         on conflict (user_id, role_id)
         do update set label_value = coalesce(user_role.label_value, excluded.label_value)",
        params![user_id, role_id, label_value],
    )
    .await?;
    Ok(())
}

/// Revokes a role. Returns whether the user had it.
pub(crate) async fn revoke(tx: &mut Tx, user_id: i64, role_id: i64) -> Result<bool> {
    let sql = "delete from user_role where user_id = $1 and role_id = $2";
    Ok(tx.execute(sql, params![user_id, role_id]).await? == 1)
}

/// Changes the label of a user's role. Returns whether the user has the role.
pub(crate) async fn set_label(tx: &mut Tx, user_id: i64, role_id: i64, value: &str) -> Result<bool> {
    let sql = "update user_role set label_value = $3 where user_id = $1 and role_id = $2";
    Ok(tx.execute(sql, params![user_id, role_id, value]).await? == 1)
}

/// Removes the label of a user's role. Returns whether it had one.
pub(crate) async fn clear_label(tx: &mut Tx, user_id: i64, role_id: i64) -> Result<bool> {
    let sql = "update user_role set label_value = null where user_id = $1 and role_id = $2 and label_value is not null";
    Ok(tx.execute(sql, params![user_id, role_id]).await? == 1)
}

/// Whether any user has the role with this label.
pub(crate) async fn exists(db: &Db, role_id: i64, label_value: &str) -> Result<bool> {
    let sql = "select user_id from user_role where role_id = $1 and label_value = $2 limit 1";
    let row: Option<(i64,)> = db.fetch_optional(sql, params![role_id, label_value]).await?;
    Ok(row.is_some())
}

/// Whether this user is the last administrator of their manufacturer who can sign in: a person with a confirmed address
/// . Locks all administrators, so that two concurrent deletions cannot remove both.
pub(crate) async fn is_last_admin(tx: &mut Tx, user_id: i64) -> Result<bool> {
    const ROLES: &str = "kind = 'oem_admin' and oem_id = (select oem_id from users where id = $1)";
    let hold = format!("select id from role where {ROLES} order by id{}", tx.for_update());
    let _: Vec<(i64,)> = tx.fetch_all(AssertSqlSafe(hold), params![user_id]).await?;
    let admins = format!(
        "select distinct u.id from users u join user_role g on g.user_id = u.id
         where g.role_id in (select id from role where {ROLES})
           and u.application_id is null and u.confirmed_at is not null
         limit 2"
    );
    let admins: Vec<(i64,)> = tx.fetch_all(AssertSqlSafe(admins), params![user_id]).await?;
    Ok(admins == [(user_id,)])
}
