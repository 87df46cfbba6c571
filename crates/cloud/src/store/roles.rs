//! Roles and the permissions of users.

use platform::db::{Db, Params, Result, Tx, params};
use sqlx::{AssertSqlSafe, SqlSafeStr};

use crate::domain::principal::{Grant, Principal};
use crate::domain::role::RoleKind;

/// Creates the role, or replaces its kind and label key.
pub(crate) async fn ensure(db: &Db, oem_id: i64, name: &str, kind: RoleKind, label_key: Option<&str>) -> Result<()> {
    db.execute(
        "insert into role (oem_id, name, kind, label_key) values ($1, $2, $3, $4)
         on conflict (oem_id, name) do update set kind = excluded.kind, label_key = excluded.label_key",
        params![oem_id, name, kind.as_str(), label_key],
    )
    .await?;
    Ok(())
}

/// The ids and names of the manufacturer's roles.
pub(crate) async fn all(db: &Db, oem_id: i64) -> Result<Vec<(i64, String)>> {
    db.fetch_all("select id, name from role where oem_id = $1 order by id", params![oem_id]).await
}

/// Name, kind and label key of the manufacturer's roles.
pub(crate) async fn listed(db: &Db, oem_id: i64) -> Result<Vec<(String, String, Option<String>)>> {
    db.fetch_all("select name, kind, label_key from role where oem_id = $1 order by id", params![oem_id]).await
}

/// A role of the manufacturer.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct RoleRow {
    pub(crate) id: i64,
    kind: String,
    pub(crate) label_key: Option<String>,
}

impl RoleRow {
    pub(crate) fn kind(&self) -> RoleKind {
        RoleKind::from_stored(&self.kind)
    }
}

/// The manufacturer's role of this name.
pub(crate) async fn find(db: &Db, oem_id: i64, name: &str) -> Result<Option<RoleRow>> {
    let sql = "select id, kind, label_key from role where oem_id = $1 and name = $2";
    db.fetch_optional(sql, params![oem_id, name]).await
}

/// The id of the role of this name. Locks it, so that nobody is assigned the role meanwhile.
pub(crate) async fn lock_rows(tx: &mut Tx, oem_id: i64, name: &str) -> Result<Option<i64>> {
    let sql = format!("select id from role where oem_id = $1 and name = $2{}", tx.for_update());
    let row: Option<(i64,)> = tx.fetch_optional(AssertSqlSafe(sql), params![oem_id, name]).await?;
    Ok(row.map(|(id,)| id))
}

/// The uses of a role.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct RoleUsage {
    pub(crate) people: i64,
    pub(crate) labels: i64,
    pub(crate) shares: i64,
    pub(crate) customers: i64,
}

/// Counts the uses of a role.
pub(crate) async fn usage(tx: &mut Tx, role_id: i64) -> Result<RoleUsage> {
    tx.fetch_one(
        "select (select count(*) from user_role where role_id = $1) as people,
                (select count(*) from device_label where role_id = $1) as labels,
                (select count(*) from share where role_id = $1) as shares,
                (select count(*) from association where role_id = $1) as customers",
        params![role_id],
    )
    .await
}

pub(crate) async fn delete(tx: &mut Tx, role_id: i64) -> Result<()> {
    tx.execute("delete from role where id = $1", params![role_id]).await?;
    Ok(())
}

pub(crate) async fn grant(tx: &mut Tx, user_id: i64, role_id: i64, label_value: Option<&str>) -> Result<()> {
    tx.execute(
        "insert into user_role (user_id, role_id, label_value) values ($1, $2, $3)",
        params![user_id, role_id, label_value],
    )
    .await?;
    Ok(())
}

/// The current rights of a user; `None` if the user does not exist.
pub(crate) async fn principal(db: &Db, user_id: i64) -> Result<Option<Principal>> {
    principal_of(db, PRINCIPAL, params![user_id]).await
}

/// Like [`principal`], within a transaction.
pub(crate) async fn principal_within(tx: &mut Tx, user_id: i64) -> Result<Option<Principal>> {
    let rows: Vec<GrantRow> = tx.fetch_all(PRINCIPAL, params![user_id]).await?;
    Ok(from_rows(rows))
}

const PRINCIPAL: &str =
    "select u.id as user_id, u.uuid, u.oem_id, r.id as role_id, r.name, r.kind, r.label_key, g.label_value
     from users u left join user_role g on g.user_id = u.id left join role r on r.id = g.role_id
     where u.id = $1";

/// The principal of a query with one row per role.
pub(super) async fn principal_of(db: &Db, sql: impl SqlSafeStr, params: Params) -> Result<Option<Principal>> {
    let rows: Vec<GrantRow> = db.fetch_all(sql, params).await?;
    Ok(from_rows(rows))
}

#[derive(sqlx_macros::FromRow)]
struct GrantRow {
    user_id: i64,
    uuid: String,
    oem_id: i64,
    role_id: Option<i64>,
    name: Option<String>,
    kind: Option<String>,
    label_key: Option<String>,
    label_value: Option<String>,
}

fn from_rows(rows: Vec<GrantRow>) -> Option<Principal> {
    let first = rows.first()?;
    let (user_id, uuid, oem_id) = (first.user_id, first.uuid.clone(), first.oem_id);
    let grants = rows
        .into_iter()
        .filter_map(|row| {
            Some(Grant {
                role_id: row.role_id?,
                name: row.name?,
                kind: RoleKind::from_stored(&row.kind?),
                label_key: row.label_key,
                label_value: row.label_value,
            })
        })
        .collect();
    Some(Principal::new(user_id, uuid, oem_id, grants))
}
