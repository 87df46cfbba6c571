//! [`UserScope`] as a condition on the table `users`: the only place that restricts rows to the caller's scope.

use sea_query::{Condition, Expr, ExprTrait, Query, SelectStatement, UnionType};

use crate::domain::policy::users::UserScope;
use crate::domain::role::RoleKind;

pub(super) fn condition(scope: &UserScope) -> Condition {
    // Machine accounts are in no scope.
    let people = Condition::all().add(Expr::col(("users", "application_id")).is_null());
    let of_oem = |oem_id: i64| Expr::col(("users", "oem_id")).eq(oem_id);
    let id = || Expr::col(("users", "id"));
    match scope {
        UserScope::Oem { oem_id } => people.add(of_oem(*oem_id)),
        UserScope::Labelled { oem_id, key, value } => {
            let partners = RoleKind::ALL.into_iter().filter(|kind| kind.is_partner_role());
            let roles = roles(*oem_id, partners).and_where(Expr::col("label_key").eq(key.as_str())).take();
            let labelled = |table: &'static str| {
                let mut users = Query::select();
                users
                    .column((table, "user_id"))
                    .from(table)
                    .and_where(Expr::col((table, "label_value")).eq(value.as_str()))
                    .and_where(Expr::col((table, "role_id")).in_subquery(roles.clone()));
                users
            };
            let mut in_custody = Query::select();
            in_custody
                .column(("custody", "user_id"))
                .from("custody")
                .and_where(Expr::col(("custody", "label_key")).eq(key.as_str()))
                .and_where(Expr::col(("custody", "label_value")).eq(value.as_str()));
            let mut theirs = labelled("user_role");
            theirs.union(UnionType::Distinct, labelled("association")).union(UnionType::Distinct, in_custody);
            let manufacturers = RoleKind::ALL.into_iter().filter(|kind| kind.is_manufacturer_role());
            let mut others = Query::select();
            others
                .column("user_id")
                .from("user_role")
                .and_where(Expr::col("role_id").in_subquery(self::roles(*oem_id, manufacturers)));
            people.add(of_oem(*oem_id)).add(id().in_subquery(theirs)).add(id().not_in_subquery(others))
        }
        UserScope::Own { user_id } => people.add(id().eq(*user_id)),
    }
}

fn roles(oem_id: i64, kinds: impl Iterator<Item = RoleKind>) -> SelectStatement {
    let mut roles = Query::select();
    roles
        .column(("role", "id"))
        .from("role")
        .and_where(Expr::col(("role", "oem_id")).eq(oem_id))
        .and_where(Expr::col(("role", "kind")).is_in(kinds.map(RoleKind::as_str)));
    roles
}
