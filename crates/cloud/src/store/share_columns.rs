//! The share through which an end user sees a device, read together with the device.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, JoinType, SelectStatement};

use super::scope;
use crate::domain::policy::operation_of;
use crate::domain::role::RoleKind;
use crate::domain::share::{Operation, Period};

/// Null for the user's own devices; not selected in other scopes.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(super) struct ShareColumns {
    #[sqlx(default)]
    share_id: Option<i64>,
    #[sqlx(default)]
    share_user_id: Option<i64>,
    #[sqlx(default)]
    share_operation: Option<String>,
    #[sqlx(default)]
    share_role: Option<String>,
    #[sqlx(default)]
    share_role_kind: Option<String>,
    #[sqlx(default)]
    share_start_at: Option<i64>,
    #[sqlx(default)]
    share_end_at: Option<i64>,
}

/// A share from which the caller benefits.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedShare<'a> {
    pub(crate) share_id: i64,
    pub(crate) user_id: i64,
    /// The operation of the share, or the one that its role implies.
    pub(crate) operation: Operation,
    pub(crate) role: Option<&'a str>,
    pub(crate) period: Period,
}

impl ShareColumns {
    pub(super) fn shared(&self) -> Option<ReceivedShare<'_>> {
        let ShareColumns { share_operation, share_role, share_role_kind, .. } = self;
        let of_role = || share_role_kind.as_deref().map(|kind| operation_of(RoleKind::from_stored(kind)));
        let operation = share_operation.as_deref().and_then(Operation::find).or_else(of_role);
        Some(ReceivedShare {
            share_id: self.share_id?,
            user_id: self.share_user_id?,
            operation: operation.unwrap_or(Operation::Read),
            role: share_role.as_deref(),
            period: Period { start: self.share_start_at, end: self.share_end_at },
        })
    }
}

/// Adds the [`ShareColumns`]. A recipient has at most one share of a device, so rows are not duplicated.
pub(super) fn join(statement: &mut SelectStatement, user_id: i64, at: Timestamp) {
    let of_device = Condition::all()
        .add(Expr::col(("share", "device_id")).equals(("device", "id")))
        .add(Expr::col(("device", "owner_id")).is_null().or(Expr::col(("device", "owner_id")).ne(user_id)))
        .add(scope::share_of(user_id, at));
    statement
        .expr_as(Expr::col(("share", "id")), "share_id")
        .expr_as(Expr::col(("share", "user_id")), "share_user_id")
        .expr_as(Expr::col(("share", "operation")), "share_operation")
        .expr_as(Expr::col(("share_role", "name")), "share_role")
        .expr_as(Expr::col(("share_role", "kind")), "share_role_kind")
        .expr_as(Expr::col(("share", "start_at")), "share_start_at")
        .expr_as(Expr::col(("share", "end_at")), "share_end_at")
        .left_join("share", of_device)
        .join_as(
            JoinType::LeftJoin,
            "role",
            "share_role",
            Expr::col(("share_role", "id")).equals(("share", "role_id")),
        );
}
