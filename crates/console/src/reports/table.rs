//! What a list says of its report.

use jiff::Timestamp;

/// A report but for its rows.
pub(crate) struct Report<Item> {
    /// As the list is called.
    pub(crate) title: &'static str,
    /// Those that count, in the order of the list's dialog.
    pub(crate) filters: Vec<FilterUsed>,
    /// As the list has them, from the left, for who asks.
    pub(crate) columns: Vec<Column<Item>>,
    /// The headings of the printed table. The rows must come in the order of its values.
    pub(crate) grouping: Option<Grouping<Item>>,
}

/// Puts a heading above the rows that share a value, in any case of its letters.
pub(crate) struct Grouping<Item> {
    pub(crate) value: fn(&Item) -> String,
    /// The heading of rows without a value.
    pub(crate) none: &'static str,
}

/// A filter that the rows keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilterUsed {
    /// In the query string.
    pub(crate) name: &'static str,
    pub(crate) value: String,
    /// As people read it.
    pub(crate) label: &'static str,
    pub(crate) words: String,
}

/// A column of the CSV and of the printed table.
pub(crate) struct Column<Item> {
    pub(super) head: &'static str,
    pub(super) text: fn(&Item) -> String,
    pub(super) position: Position,
}

/// Where the printed table shows a column: like the list on the screen it has several values in one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    OwnCell,
    /// On a new line in the cell of the column before.
    Below,
    /// On the line of the column before, behind this separator.
    Beside(&'static str),
}

impl<Item> Column<Item> {
    /// A column with a printed cell of its own.
    pub(crate) fn new(head: &'static str, text: fn(&Item) -> String) -> Self {
        Self { head, text, position: Position::OwnCell }
    }

    /// A column that is printed on a new line in the cell of the column before.
    pub(crate) fn below(head: &'static str, text: fn(&Item) -> String) -> Self {
        Self { head, text, position: Position::Below }
    }

    /// A column that is printed on the line of the column before, behind `separator`.
    pub(crate) fn beside(separator: &'static str, head: &'static str, text: fn(&Item) -> String) -> Self {
        Self { head, text, position: Position::Beside(separator) }
    }
}

impl FilterUsed {
    /// A text that stands for itself; nothing when it is not set.
    pub(crate) fn text(name: &'static str, label: &'static str, value: Option<&String>) -> Option<Self> {
        value.map(|value| Self { name, value: value.clone(), label, words: value.clone() })
    }
}

/// An instant as spreadsheets understand it, in UTC.
pub(crate) fn instant(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
