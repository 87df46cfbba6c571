//! Fields of users for filters and order, by their names on the wire.

use sea_query::{ColumnRef, Expr, ExprTrait, IntoColumnRef, SimpleExpr};

use super::users::folded;

/// A field of the user object with a column.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Column {
    name: &'static str,
    column: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Email,
    Integer,
    /// Filters by whether the instant is set.
    Happened,
    /// Can be ordered by, but not filtered: nobody filters by an exact microsecond.
    Instant,
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, column: name, kind }
}

/// Each has an index for ordered lists; that of `uuid` is also for lookups.
static COLUMNS: &[Column] = &[
    Column { name: "key", column: "id", kind: Kind::Integer },
    column("id", Kind::Integer),
    column("email", Kind::Email),
    column("firstname", Kind::Text),
    column("lastname", Kind::Text),
    column("company", Kind::Text),
    column("phone", Kind::Text),
    column("city", Kind::Text),
    column("country", Kind::Text),
    Column { name: "confirmed", column: "confirmed_at", kind: Kind::Happened },
    column("confirmed_at", Kind::Instant),
    column("created_at", Kind::Instant),
    column("updated_at", Kind::Instant),
];

/// The column of a field; `None` for an unknown field.
pub(crate) fn find(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

/// The default order of lists.
pub(crate) fn key() -> &'static Column {
    &COLUMNS[0]
}

#[cfg(test)]
pub(super) fn all() -> &'static [Column] {
    COLUMNS
}

impl Column {
    /// Whether this is the primary key.
    pub(super) fn is_key(&self) -> bool {
        self.column == "id"
    }

    pub(super) fn reference(&self) -> ColumnRef {
        ("users", self.column).into_column_ref()
    }

    /// The condition that this field equals `text`.
    ///
    /// # Errors
    /// Why `text` is invalid, to follow the field's name.
    pub(crate) fn equals(&self, text: &str) -> Result<SimpleExpr, &'static str> {
        let column = Expr::col(self.reference());
        match self.kind {
            Kind::Text => Ok(column.eq(text)),
            Kind::Email => Ok(column.eq(folded(text))),
            Kind::Integer => Ok(column.eq(text.parse::<i64>().map_err(|_| "is not a number")?)),
            Kind::Happened => match text {
                "true" | "1" => Ok(column.is_not_null()),
                "false" | "0" => Ok(column.is_null()),
                _ => Err("is not true or false"),
            },
            Kind::Instant => Err("can't be filtered"),
        }
    }
}
