//! A place in an ordered list, where the next page begins. Unlike an offset it costs nothing however far away it is, and rows
//! that come or go before it move no other.

use sea_query::{Expr, ExprTrait, IntoColumnRef, Value};

/// The last row of a page: the value it is ordered by, and what makes it the only one with that value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    key: Key,
    id: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Text(String),
    Number(i64),
}

impl Cursor {
    /// Of a row whose value, as a text, is `key`.
    pub(crate) fn at(key: &str, is_number: bool, id: &str) -> Self {
        let number = is_number.then(|| key.parse().ok()).flatten();
        Self { key: number.map_or_else(|| Key::Text(key.to_owned()), Key::Number), id: id.to_owned() }
    }

    /// Whether a row comes after it, in a list that is ordered by these two columns.
    pub(crate) fn after(&self, key: impl IntoColumnRef, id: impl IntoColumnRef, descending: bool) -> Expr {
        self.after_value(Expr::col(key), id, descending)
    }

    /// The same in a list that is ordered by a value that may be no column.
    pub(super) fn after_value(&self, key: Expr, id: impl IntoColumnRef, descending: bool) -> Expr {
        let value: Value = match &self.key {
            Key::Text(text) => text.as_str().into(),
            Key::Number(number) => (*number).into(),
        };
        let row = Expr::tuple([key, Expr::col(id)]);
        let position = Expr::tuple([Expr::val(value), Expr::val(self.id.as_str())]);
        if descending { row.lt(position) } else { row.gt(position) }
    }
}
