//! Users. Callers read them only through their scope.

use platform::db::{Db, Result};
use sea_query::{Condition, Expr, ExprTrait, NullOrdering, Order, Query, SelectStatement, SimpleExpr};

use super::key_pages::{KeyedList, count_of};
use super::user_columns::Column;
use super::user_scope;
use super::users::{PROFILE, ProfileRow, folded};
use crate::domain::policy::users::UserScope;
use crate::domain::role::RoleKind;

/// How a call identifies a user.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UserRef<'a> {
    Id(i64),
    Uuid(&'a str),
    Email(&'a str),
}

/// Filters and order of a list of users.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) filters: Vec<SimpleExpr>,
    /// Only ids above this one.
    pub(crate) key_after: Option<i64>,
    pub(crate) order_by: &'static Column,
    pub(crate) descending: bool,
}

/// The user, if in scope.
pub(crate) async fn find(db: &Db, scope: &UserScope, user: UserRef<'_>) -> Result<Option<ProfileRow>> {
    let column = |name| Expr::col(("users", name));
    let named = match user {
        UserRef::Id(id) => column("id").eq(id),
        UserRef::Uuid(uuid) => column("uuid").eq(uuid),
        UserRef::Email(email) => column("email").eq(folded(email)),
    };
    let rows = db.select(select().cond_where(user_scope::condition(scope)).and_where(named)).await?;
    Ok(rows.into_iter().next())
}

/// A page (`limit`, `offset`) of the users of the listing.
pub(crate) async fn list(db: &Db, scope: &UserScope, listing: &Listing, page: (u64, u64)) -> Result<Vec<ProfileRow>> {
    db.select(&statement(scope, listing, page)).await
}

pub(super) fn statement(scope: &UserScope, listing: &Listing, page: (u64, u64)) -> SelectStatement {
    let (limit, offset) = page;
    let mut statement = select();
    statement.cond_where(listing.condition(scope)).limit(limit).offset(offset);
    listing.order(&mut statement).take()
}

/// All users of a listing.
pub(crate) struct UserList {
    pub(crate) scope: UserScope,
    pub(crate) listing: Listing,
}

impl KeyedList for UserList {
    type Row = ProfileRow;

    fn key(row: &ProfileRow) -> i64 {
        row.id
    }

    fn is_by_key(&self) -> bool {
        // A filter by role reads all users of the role, which each page would repeat.
        self.listing.order_by.is_key() && !self.listing.descending && self.listing.filters.is_empty()
    }

    fn after(&self, key: Option<i64>) -> SelectStatement {
        let listing = Listing { key_after: key.or(self.listing.key_after), ..self.listing.clone() };
        listing.order(select().cond_where(listing.condition(&self.scope))).take()
    }

    fn keys(&self) -> SelectStatement {
        let mut statement = Query::select();
        statement.column(("users", "id")).from("users").cond_where(self.listing.condition(&self.scope));
        self.listing.order(&mut statement).take()
    }

    fn with_keys(&self, keys: &[i64]) -> SelectStatement {
        let named = Expr::col(("users", "id")).is_in(keys.iter().copied());
        select().cond_where(user_scope::condition(&self.scope)).and_where(named).take()
    }
}

/// The number of users on all pages, but no more than `at_most` if the list begins after a key.
pub(crate) async fn count(db: &Db, scope: &UserScope, listing: &Listing, at_most: u64) -> Result<i64> {
    let mut statement = Query::select();
    statement.from("users").cond_where(listing.condition(scope));
    if listing.key_after.is_some() {
        // The order keeps the database from reading all users before the key.
        statement.order_by(("users", "id"), Order::Asc).limit(at_most);
    }
    count_of(db, &mut statement).await
}

/// The condition that a user has this role, with this label if given.
pub(crate) fn has_role(role_id: i64, label: Option<&str>) -> SimpleExpr {
    labelled("user_role", role_id, label)
}

/// The condition that a user is associated with this role, with this label if given.
pub(crate) fn is_customer(role_id: i64, label: Option<&str>) -> SimpleExpr {
    labelled("association", role_id, label)
}

/// The condition that a user has no role, or only that of an end user.
pub(crate) fn is_end_user() -> SimpleExpr {
    let mut roles = Query::select();
    roles
        .expr(Expr::cust("1"))
        .from("user_role")
        .inner_join("role", Expr::col(("role", "id")).equals(("user_role", "role_id")))
        .and_where(Expr::col(("user_role", "user_id")).equals(("users", "id")))
        .and_where(Expr::col(("role", "kind")).ne(RoleKind::EndUser.as_str()));
    Expr::exists(roles).not()
}

fn labelled(table: &'static str, role_id: i64, label: Option<&str>) -> SimpleExpr {
    let mut users = Query::select();
    users
        .column((table, "user_id"))
        .from(table)
        .and_where(Expr::col((table, "role_id")).eq(role_id))
        .and_where_option(label.map(|value| Expr::col((table, "label_value")).eq(value)));
    Expr::col(("users", "id")).in_subquery(users)
}

impl Listing {
    fn order<'a>(&self, statement: &'a mut SelectStatement) -> &'a mut SelectStatement {
        // Nulls last, as in PostgreSQL's indexes. The id makes the order total.
        let (order, nulls) =
            if self.descending { (Order::Desc, NullOrdering::First) } else { (Order::Asc, NullOrdering::Last) };
        statement.order_by_with_nulls(self.order_by.reference(), order.clone(), nulls).order_by(("users", "id"), order)
    }

    fn condition(&self, scope: &UserScope) -> Condition {
        let after = self.key_after.map(|key| Expr::col(("users", "id")).gt(key));
        self.filters.iter().cloned().fold(user_scope::condition(scope), Condition::add).add_option(after)
    }
}

fn select() -> SelectStatement {
    let mut statement = Query::select();
    statement.columns(PROFILE.map(|column| ("users", column))).from("users");
    statement
}
