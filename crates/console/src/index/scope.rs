//! Limits statements to the rows that an actor may see. Every statement on the index starts here; no other code filters
//! by scope.

use sea_query::{Expr, ExprTrait, Func, Iden, Query, SelectStatement};

use super::columns::IdxDevices;
use super::schema::{IdxDeviceState, IdxValueCounts};
use crate::policy::{Actor, Scope};

/// The whole fleet in [`IdxValueCounts`]. The name of a CSP has a prefix there.
const FLEET: &str = "*";
const CSP_PREFIX: &str = "=";

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
        statement.and_where(table.dsn().eq(dsn));
        Some(statement)
    }

    /// Starts a statement on this table alone.
    pub(super) fn from(self, table: Table) -> SelectStatement {
        let mut statement = Query::select();
        match table {
            Table::Devices => statement.from(IdxDevices::Table),
            Table::State => statement.from(IdxDeviceState::Table),
        };
        self.bind(&mut statement, table);
        statement
    }

    /// Adds the conditions to a statement that reads this table among others.
    pub(super) fn bind(self, statement: &mut SelectStatement, table: Table) {
        if let Some(csp) = self.csp {
            statement.and_where(table.csp().eq(csp));
        }
        if let Some(dsn) = self.excluded_dsn {
            statement.and_where(table.dsn().ne(dsn));
        }
    }

    /// Starts a statement on the counts of a column's values. They include an excluded device.
    pub(super) fn value_counts(self, column: IdxDevices) -> SelectStatement {
        let scope = self.csp.map_or_else(|| FLEET.to_owned(), |csp| format!("{CSP_PREFIX}{csp}"));
        value_counts(column, [scope])
    }

    /// Starts a statement on the counts of a column's values in each of these CSPs, and selects the name of the CSP.
    pub(super) fn value_counts_by_csp(self, column: IdxDevices, csps: &[&str]) -> SelectStatement {
        let visible = csps.iter().filter(|csp| self.csp.is_none_or(|own| own == **csp));
        let mut statement = value_counts(column, visible.map(|csp| format!("{CSP_PREFIX}{csp}")));
        let scope = Expr::col((IdxValueCounts::Table, IdxValueCounts::Scope));
        statement.expr(Func::cust("SUBSTR").args([scope, Expr::val(2)]));
        statement
    }

    /// Whether a device is excluded.
    pub(super) fn excludes(self) -> bool {
        self.excluded_dsn.is_some()
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
        }
    }

    fn dsn(self) -> Expr {
        match self {
            Self::Devices => Expr::col((IdxDevices::Table, IdxDevices::Dsn)),
            Self::State => Expr::col((IdxDeviceState::Table, IdxDeviceState::Dsn)),
        }
    }
}

fn value_counts(column: IdxDevices, scopes: impl IntoIterator<Item = String>) -> SelectStatement {
    let named = |column| Expr::col((IdxValueCounts::Table, column));
    let name = named(IdxValueCounts::Name).eq(column.unquoted());
    Query::select()
        .from(IdxValueCounts::Table)
        .and_where(named(IdxValueCounts::Scope).is_in(scopes))
        .and_where(name)
        .take()
}
