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
    pub(crate) head: &'static str,
    pub(crate) text: fn(&Item) -> String,
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
