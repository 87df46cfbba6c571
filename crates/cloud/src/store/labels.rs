//! The role labels of devices.

use platform::db::{Db, Result};
use sea_query::{Expr, ExprTrait, Query};

use super::KEYS_PER_STATEMENT;

/// A role label on a device.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct LabelRow {
    pub(crate) id: i64,
    pub(crate) device_id: i64,
    pub(crate) role_name: String,
    pub(crate) label_key: String,
    pub(crate) label_value: String,
    pub(crate) description: Option<String>,
}

/// The labels of these devices, device by device.
pub(crate) async fn of_devices(db: &Db, devices: &[i64]) -> Result<Vec<LabelRow>> {
    let mut labels = Vec::new();
    for keys in devices.chunks(KEYS_PER_STATEMENT) {
        let mut statement = Query::select();
        statement
            .columns(["id", "device_id", "label_key", "label_value", "description"].map(|c| ("device_label", c)))
            .expr_as(Expr::col(("role", "name")), "role_name")
            .from("device_label")
            .inner_join("role", Expr::col(("role", "id")).equals(("device_label", "role_id")))
            .and_where(Expr::col(("device_label", "device_id")).is_in(keys.iter().copied()))
            .order_by(("device_label", "id"), sea_query::Order::Asc);
        labels.extend(db.select::<LabelRow>(&statement).await?);
    }
    Ok(labels)
}
