//! A keyset cursor: where the next page of an ordered list begins. Unlike an offset, its cost does not grow with the
//! position, and rows that are added or removed before it do not shift the page.

use sea_query::{Expr, ExprTrait, IntoColumnRef, Value};

/// The last row of the previous page: its sort value, and the id that makes it unique.
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
    /// The cursor of a row whose sort value is `key`, converted to text.
    pub(crate) fn at(key: &str, is_number: bool, id: &str) -> Self {
        let number = is_number.then(|| key.parse().ok()).flatten();
        Self { key: number.map_or_else(|| Key::Text(key.to_owned()), Key::Number), id: id.to_owned() }
    }

    /// The condition for rows after the cursor, in a list ordered by these two columns.
    pub(crate) fn after(&self, key: impl IntoColumnRef, id: impl IntoColumnRef, descending: bool) -> Expr {
        self.after_value(Expr::col(key), id, descending)
    }

    /// As [`after`](Self::after), for a list ordered by an expression.
    pub(crate) fn after_value(&self, key: Expr, id: impl IntoColumnRef, descending: bool) -> Expr {
        let value: Value = match &self.key {
            Key::Text(text) => text.as_str().into(),
            Key::Number(number) => (*number).into(),
        };
        let row = Expr::tuple([key, Expr::col(id)]);
        let position = Expr::tuple([Expr::val(value), Expr::val(self.id.as_str())]);
        if descending { row.lt(position) } else { row.gt(position) }
    }
}
