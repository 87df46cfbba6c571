//! [`DeviceScope`] as a condition on the table `device`: the one place where rows are narrowed to the caller's.

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::domain::policy::DeviceScope;

pub(super) fn condition(scope: &DeviceScope) -> Condition {
    let registered = Expr::col(("device", "registered")).eq(true);
    match scope {
        DeviceScope::Oem { oem_id, unregistered } => Condition::all()
            .add(Expr::col(("device", "oem_id")).eq(*oem_id))
            .add_option((!unregistered).then_some(registered)),
        DeviceScope::Labelled(label) => Condition::all().add(registered).add(Expr::exists(
            Query::select()
                .expr(Expr::cust("1"))
                .from("device_label")
                .and_where(Expr::col(("device_label", "device_id")).equals(("device", "id")))
                .and_where(Expr::col(("device_label", "role_id")).eq(label.role_id))
                .and_where(Expr::col(("device_label", "label_key")).eq(label.key.as_str()))
                .and_where(Expr::col(("device_label", "label_value")).eq(label.value.as_str()))
                .take(),
        )),
        DeviceScope::Owned { user_id } => {
            Condition::all().add(registered).add(Expr::col(("device", "owner_id")).eq(*user_id))
        }
        DeviceScope::Nothing => Condition::all().add(Expr::cust("1 = 0")),
    }
}
