//! Limits statements to the rows that an actor may see. Every statement on the index starts here; no other code filters
//! by scope.

use sea_query::{Expr, ExprTrait, Query, SelectStatement};

use super::columns::IdxDevices;
use super::schema::{IdxDeviceCounts, IdxDeviceState};
use crate::policy::{Actor, Scope};

/// The rows of one CSP or all rows, optionally without one device.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisibleRows<'a> {
    csp: Option<&'a str>,
    excluded_dsn: Option<&'a str>,
}

/// A table with a CSP column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Devices,
    State,
    Counts,
}

/// The rows that `actor` may see, narrowed to `csp` if the actor sees all CSPs. `None` if there are none.
pub(super) fn visible_rows<'a>(actor: &'a Actor, csp: Option<&'a str>) -> Option<VisibleRows<'a>> {
    match actor.scope() {
        Scope::Everything => Some(VisibleRows { csp, ..VisibleRows::ALL }),
        Scope::Csp(own) => Some(VisibleRows { csp: Some(own), ..VisibleRows::ALL }),
        Scope::Nothing => None,
    }
}

impl<'a> VisibleRows<'a> {
    /// All rows, for reads whose callers check each row.
    pub(super) const ALL: Self = Self { csp: None, excluded_dsn: None };

    /// The same rows without this device.
    pub(super) fn without(self, dsn: Option<&'a str>) -> Self {
        Self { excluded_dsn: dsn, ..self }
    }

    /// Selects the excluded device's row; `None` if no device is excluded.
    pub(super) fn excluded_row(self, table: Table) -> Option<SelectStatement> {
        let dsn = self.excluded_dsn?;
        let mut statement = self.without(None).from(table);
        statement.and_where(table.dsn()?.eq(dsn));
        Some(statement)
    }

    /// Starts a statement on this table alone.
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

    /// Adds the conditions to a statement that reads this table among others.
    pub(super) fn bind(self, statement: &mut SelectStatement, table: Table) {
        if let Some(csp) = self.csp {
            statement.and_where(table.csp().eq(csp));
        }
        // Counts cover many devices; the reader subtracts the excluded one.
        if let Some((column, dsn)) = table.dsn().zip(self.excluded_dsn) {
            statement.and_where(column.ne(dsn));
        }
    }

    /// Whether no row is left out.
    pub(super) fn is_everything(self) -> bool {
        self.csp.is_none() && self.excluded_dsn.is_none()
    }
}

impl Table {
    fn csp(self) -> Expr {
        match self {
            Self::Devices => Expr::col((IdxDevices::Table, IdxDevices::Csp)),
            Self::State => Expr::col((IdxDeviceState::Table, IdxDeviceState::Csp)),
            Self::Counts => Expr::col((IdxDeviceCounts::Table, IdxDeviceCounts::Csp)),
        }
    }

    fn dsn(self) -> Option<Expr> {
        match self {
            Self::Devices => Some(Expr::col((IdxDevices::Table, IdxDevices::Dsn))),
            Self::State => Some(Expr::col((IdxDeviceState::Table, IdxDeviceState::Dsn))),
            Self::Counts => None,
        }
    }
}
