//! The role labels of devices.

use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sea_query::{Expr, ExprTrait, Query};
use sqlx::AssertSqlSafe;

use super::device_columns::Filter;
use super::roles::RoleRow;
use crate::domain::policy::WantedLabel;
use crate::domain::role::RoleKind;

/// A role label on a device.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct LabelRow {
    pub(crate) id: i64,
    pub(crate) device_id: i64,
    pub(crate) role_id: i64,
    pub(crate) role_name: String,
    role_kind: String,
    role_key: Option<String>,
    /// Empty for a label without key and value.
    pub(crate) label_key: String,
    pub(crate) label_value: String,
    pub(crate) description: Option<String>,
}

impl LabelRow {
    /// The label as policy sees it.
    pub(crate) fn wanted(&self) -> WantedLabel<'_> {
        WantedLabel {
            role: RoleKind::from_stored(&self.role_kind),
            role_key: self.role_key.as_deref(),
            key: &self.label_key,
            value: &self.label_value,
        }
    }
}

/// A label to write; key and value are empty for a label without them.
pub(crate) struct NewLabel<'a> {
    pub(crate) role: &'a RoleRow,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    pub(crate) description: Option<&'a str>,
}

impl NewLabel<'_> {
    pub(crate) fn wanted(&self) -> WantedLabel<'_> {
        WantedLabel {
            role: self.role.kind(),
            role_key: self.role.label_key.as_deref(),
            key: self.key,
            value: self.value,
        }
    }
}

const SELECT: &str = "select l.id, l.device_id, l.role_id, r.name as role_name, r.kind as role_kind,
                             r.label_key as role_key, l.label_key, l.label_value, l.description
                      from device_label l join role r on r.id = l.role_id";

/// The labels of these devices, grouped by device.
pub(crate) async fn of_devices(db: &Db, devices: &[i64]) -> Result<Vec<LabelRow>> {
    let mut labels = Vec::new();
    for run in key_runs(devices) {
        let names = placeholders(db.dialect(), run.len());
        let sql = format!("{SELECT} where l.device_id in ({names}) order by l.id");
        let found: Vec<LabelRow> =
            db.fetch_all(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
        labels.extend(found);
    }
    Ok(labels)
}

/// The label with this id.
pub(crate) async fn find(db: &Db, id: i64) -> Result<Option<LabelRow>> {
    db.fetch_optional(AssertSqlSafe(format!("{SELECT} where l.id = $1")), params![id]).await
}

/// The labels of a locked device.
pub(crate) async fn of_device(tx: &mut Tx, device_id: i64) -> Result<Vec<LabelRow>> {
    tx.fetch_all(AssertSqlSafe(format!("{SELECT} where l.device_id = $1 order by l.id")), params![device_id]).await
}

/// Adds a label to a device. Returns its id.
pub(crate) async fn insert(tx: &mut Tx, device_id: i64, label: &NewLabel<'_>) -> Result<i64> {
    let (id,): (i64,) = tx
        .fetch_one(
            "insert into device_label (device_id, role_id, label_key, label_value, description)
             values ($1, $2, $3, $4, $5) returning id",
            params![device_id, label.role.id, label.key, label.value, label.description],
        )
        .await?;
    Ok(id)
}

pub(crate) async fn update(tx: &mut Tx, id: i64, label: &NewLabel<'_>) -> Result<()> {
    tx.execute(
        "update device_label set role_id = $2, label_key = $3, label_value = $4, description = $5 where id = $1",
        params![id, label.role.id, label.key, label.value, label.description],
    )
    .await?;
    Ok(())
}

/// Returns whether there was such a label.
pub(crate) async fn delete(tx: &mut Tx, id: i64) -> Result<bool> {
    Ok(tx.execute("delete from device_label where id = $1", params![id]).await? == 1)
}

/// The condition that a device has a label of this role, and of this key and value if given.
pub(crate) fn carried(role_id: i64, key: Option<&str>, value: Option<&str>) -> Filter {
    let is = |column, text: &str| Expr::col(("device_label", column)).eq(text);
    let mut labels = Query::select();
    labels
        .expr(Expr::cust("1"))
        .from("device_label")
        .and_where(Expr::col(("device_label", "device_id")).equals(("device", "id")))
        .and_where(Expr::col(("device_label", "role_id")).eq(role_id))
        .and_where_option(key.map(|key| is("label_key", key)))
        .and_where_option(value.map(|value| is("label_value", value)));
    Filter { condition: Expr::exists(labels), of_state: false }
}
