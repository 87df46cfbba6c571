//! Which rows an actor may see. Every statement that reads the index begins here: nowhere else are rows bound to a CSP.

use sea_query::{Expr, ExprTrait, Query, SelectStatement};

use super::schema::{IdxDeviceCounts, IdxDeviceState, IdxDevices};
use crate::policy::{Actor, Scope};

/// Rows of the CSP that the actor belongs to or filters by, or all rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visible<'a>(Option<&'a str>);

/// A table whose rows name their CSP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Devices,
    State,
    Counts,
}

/// The rows for `actor`, who may have filtered by a CSP: that counts only for those who see every CSP. `None` when there can
/// be none.
pub(super) fn visible<'a>(actor: &'a Actor, csp: Option<&'a str>) -> Option<Visible<'a>> {
    match actor.scope() {
        Scope::Everything => Some(Visible(csp)),
        Scope::Csp(own) => Some(Visible(Some(own))),
        Scope::Nothing => None,
    }
}

impl Visible<'_> {
    /// A statement that reads this table alone.
    pub(super) fn from(self, table: Table) -> SelectStatement {
        let mut statement = Query::select();
        match table {
            Table::Devices => statement.from(IdxDevices::Table),
            Table::State => statement.from(IdxDeviceState::Table),
            Table::Counts => statement.from(IdxDeviceCounts::Table),
        };
        self.bind(&mut statement, table);
        statement
    }

    /// Binds a statement that reads this table among others.
    pub(super) fn bind(self, statement: &mut SelectStatement, table: Table) {
        let Some(csp) = self.0 else { return };
        let column = match table {
            Table::Devices => Expr::col((IdxDevices::Table, IdxDevices::Csp)),
            Table::State => Expr::col((IdxDeviceState::Table, IdxDeviceState::Csp)),
            Table::Counts => Expr::col((IdxDeviceCounts::Table, IdxDeviceCounts::Csp)),
        };
        statement.and_where(column.eq(csp));
    }
    /// Whether these are the rows of every CSP.
    pub(super) fn is_everything(self) -> bool {
        self.0.is_none()
    }
}
