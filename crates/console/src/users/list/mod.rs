//! Queries the index of people. It has thousands of rows at most, so queries may scan all of them.

use platform::db::{Db, Result};
use sea_query::{Asterisk, Condition, Expr, ExprTrait, Func, Order, Query, SelectStatement};
use sqlx_macros::FromRow;

use super::query::{IdxUsers, UserFilter, UserQuery};
use super::record::Person;
use super::row::UserRow;
use crate::http::sort_order::SortOrder;
use crate::index::{Cursor, TextMatch, matches};
use crate::policy::{Actor, Scope};
use crate::sessions::account_state::{self, AccountRow};

/// A page.
pub(super) struct Page {
    pub(super) users: Vec<Person>,
    /// Number of matching people on all pages.
    pub(super) total: u64,
    /// The page number: the last page if the requested one is beyond it.
    pub(super) number: u64,
}

/// One page of the people that `actor` may see.
pub(super) async fn list(db: &Db, actor: &Actor, query: &UserQuery) -> Result<Page> {
    let Some(matching) = matching(actor, &query.filter) else {
        return Ok(Page { users: Vec::new(), total: 0, number: 1 });
    };
    let total = count(db, matching.clone()).await?;
    let number = Ord::min(query.page, Ord::max(total.div_ceil(query.page_size), 1));

    let mut page = matching;
    in_order(with_columns(&mut page), query).limit(query.page_size).offset((number - 1) * query.page_size);
    let rows: Vec<PersonRow> = db.select(&page).await?;
    Ok(Page { users: rows.into_iter().map(Into::into).collect(), total, number })
}

async fn count(db: &Db, mut matching: SelectStatement) -> Result<u64> {
    let counted: Vec<(i64,)> = db.select(matching.expr(Func::count(Expr::col(Asterisk)))).await?;
    Ok(counted.first().map_or(0, |(count,)| count.unsigned_abs()))
}

/// Reads the whole list for a report, ignoring the page of the query. Not a snapshot, like
/// [`index::ListScan`](crate::index::ListScan).
pub(super) struct UserScan {
    actor: Actor,
    query: UserQuery,
    cursor: Option<Cursor>,
}

#[derive(FromRow)]
struct PersonRow {
    #[sqlx(flatten)]
    user: UserRow,
    #[sqlx(flatten)]
    account: AccountRow,
}

impl From<PersonRow> for Person {
    fn from(row: PersonRow) -> Self {
        Self { record: row.user.into(), account: row.account.into() }
    }
}

#[derive(FromRow)]
struct RowWithSortKey {
    sort_key: String,
    #[sqlx(flatten)]
    person: PersonRow,
}

impl UserScan {
    pub(super) fn new(actor: Actor, query: UserQuery) -> Self {
        Self { actor, query, cursor: None }
    }

    /// Counts the people who match now, on all pages.
    pub(super) async fn count(&self, db: &Db) -> Result<u64> {
        match matching(&self.actor, &self.query.filter) {
            Some(matching) => count(db, matching).await,
            None => Ok(0),
        }
    }

    /// The next people, at most `limit`. Fewer than `limit` rows means this is the last page.
    pub(super) async fn next(&mut self, db: &Db, limit: u64) -> Result<Vec<Person>> {
        let Some(mut page) = matching(&self.actor, &self.query.filter) else { return Ok(Vec::new()) };
        let (sort, order) = (self.query.sort, self.query.order);
        let cursor = self.cursor.as_ref();
        with_columns(&mut page).expr_as(sort.value().cast_as("TEXT"), "sort_key").and_where_option(
            cursor.map(|cursor| cursor.after_value(sort.value(), IdxUsers::Id, order == SortOrder::Desc)),
        );
        in_order(&mut page, &self.query).limit(limit);
        let rows: Vec<RowWithSortKey> = db.select(&page).await?;
        if let Some(RowWithSortKey { sort_key, person }) = rows.last() {
            self.cursor = Some(Cursor::at(sort_key, sort.is_number(), person.user.id()));
        }
        Ok(rows.into_iter().map(|row| row.person.into()).collect())
    }
}

/// The id breaks ties, so that pages neither repeat nor omit people.
fn in_order<'a>(page: &'a mut SelectStatement, query: &UserQuery) -> &'a mut SelectStatement {
    let order = if query.order == SortOrder::Desc { Order::Desc } else { Order::Asc };
    page.order_by_expr(query.sort.value(), order.clone()).order_by(IdxUsers::Id, order)
}

/// The people who match and whom `actor` may see. The only place that restricts the list to a CSP. `None` if the actor's scope
/// is empty.
fn matching(actor: &Actor, filter: &UserFilter) -> Option<SelectStatement> {
    let csp = match actor.scope() {
        Scope::Everything => filter.csp.as_deref(),
        Scope::Csp(own) => Some(own),
        Scope::Nothing => return None,
    };
    let texts = [
        (&filter.email, IdxUsers::EmailFolded),
        (&filter.firstname, IdxUsers::FirstnameFolded),
        (&filter.lastname, IdxUsers::LastnameFolded),
        (&filter.company, IdxUsers::CompanyFolded),
        (&filter.business_role, IdxUsers::BusinessRoleFolded),
        (&filter.phone, IdxUsers::PhoneFolded),
    ];
    let texts = texts
        .into_iter()
        .filter_map(|(text, column)| text.as_deref().map(|text| matches(Expr::col(column), &TextMatch::of(text))));
    let condition = texts
        .fold(Condition::all(), Condition::add)
        .add_option(csp.map(|csp| Expr::col(IdxUsers::Csp).eq(csp)))
        .add_option(filter.role.as_deref().map(|role| Expr::col(IdxUsers::Role).eq(role)))
        .add_option(filter.confirmed.map(|confirmed| Expr::col(IdxUsers::Confirmed).eq(confirmed)))
        .add_option(filter.two_step.map(|two_step| {
            let has_factor = Expr::cust(account_state::HAS_SECOND_FACTOR);
            if two_step { has_factor } else { has_factor.not() }
        }))
        .add_option(filter.disabled.map(|disabled| {
            let is_disabled = Expr::cust(account_state::IS_DISABLED);
            if disabled { is_disabled } else { is_disabled.not() }
        }));
    Some(Query::select().from(IdxUsers::Table).cond_where(condition).take())
}

/// Selects the columns of [`PersonRow`].
fn with_columns(page: &mut SelectStatement) -> &mut SelectStatement {
    page.columns(COLUMNS);
    for (name, expression) in account_state::COLUMNS {
        page.expr_as(Expr::cust(expression), name);
    }
    page
}

/// The columns of [`UserRow`].
const COLUMNS: [IdxUsers; 14] = [
    IdxUsers::Id,
    IdxUsers::Email,
    IdxUsers::Firstname,
    IdxUsers::Lastname,
    IdxUsers::Company,
    IdxUsers::BusinessRole,
    IdxUsers::Phone,
    IdxUsers::City,
    IdxUsers::State,
    IdxUsers::Country,
    IdxUsers::Confirmed,
    IdxUsers::Role,
    IdxUsers::Csp,
    IdxUsers::CreatedAt,
];

#[cfg(test)]
mod tests;
