//! Limits statements to the rows that an actor may see. Every statement that reads devices for a person starts here.

use sea_query::{Expr, ExprTrait, Query, SelectStatement};

use super::columns::IdxDevices;
use crate::policy::{Actor, Scope};

/// The rows of one CSP or all rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisibleRows<'a> {
    csp: Option<&'a str>,
}

/// The rows that `actor` may see. `None` if there are none.
pub(super) fn visible_rows(actor: &Actor) -> Option<VisibleRows<'_>> {
    match actor.scope() {
        Scope::Everything => Some(VisibleRows::ALL),
        Scope::Csp(own) => Some(VisibleRows { csp: Some(own) }),
        Scope::Nothing => None,
    }
}

impl VisibleRows<'_> {
    /// All rows, for reads whose callers check each row.
    pub(super) const ALL: Self = Self { csp: None };

    /// Starts a statement on the devices.
    pub(super) fn devices(self) -> SelectStatement {
        let csp = self.csp.map(|csp| Expr::col((IdxDevices::Table, IdxDevices::Csp)).eq(csp));
        Query::select().from(IdxDevices::Table).and_where_option(csp).take()
    }
}
