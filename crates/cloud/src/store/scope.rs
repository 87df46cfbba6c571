//! [`DeviceScope`] as a condition on the table `device`: the only place that restricts rows to the caller's scope.

use jiff::Timestamp;
use platform::run::clock::to_micros;
use sea_query::{Condition, Expr, ExprTrait, Query, UnionType};

use super::authors;
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
        DeviceScope::Own { user_id, at } => {
            // A union of two short lists: with an `or`, PostgreSQL would scan the whole table.
            let mut own = Query::select();
            own.column(("own", "id")).from_as("device", "own").and_where(Expr::col(("own", "owner_id")).eq(*user_id));
            let mut shared = Query::select();
            shared.column(("share", "device_id")).from("share").cond_where(share_of(*user_id, *at));
            own.union(UnionType::All, shared);
            Condition::all().add(registered).add(Expr::col(("device", "id")).in_subquery(own))
        }
        DeviceScope::Nothing => Condition::all().add(Expr::cust("1 = 0")),
    }
}

/// The condition on the table `share` that the share gives this user access at this time: its author has not lost the device.
pub(super) fn share_of(user_id: i64, at: Timestamp) -> Condition {
    let column = |name| Expr::col(("share", name));
    let at = to_micros(at);
    Condition::all()
        .add(column("user_id").eq(user_id))
        .add(column("start_at").is_null().or(column("start_at").lte(at)))
        .add(column("end_at").is_null().or(column("end_at").gt(at)))
        .add(Expr::cust(authors::share()))
}
