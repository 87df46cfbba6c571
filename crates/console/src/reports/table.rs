//! How a list describes its report.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{BarChart, Cell};
use crate::audit::Operation;

/// A report without its rows.
pub(crate) struct Report<Item> {
    /// The audited operation.
    pub(crate) operation: Operation,
    /// Title of the list, or of what the rows say.
    pub(crate) title: Cow<'static, str>,
    /// What the reader must know before the rows, on top of the CSV file and of the printed page.
    pub(crate) notice: Option<String>,
    /// Printed above the table.
    pub(crate) chart: Option<BarChart>,
    /// Applied filters, in the order of the list's filter dialog.
    pub(crate) filters: Vec<FilterUsed>,
    /// The list's columns from left to right, for this reader.
    pub(crate) columns: Vec<Column<Item>>,
    /// Headings of the printed table. Rows must be sorted by its values.
    pub(crate) grouping: Option<Grouping<Item>>,
}

/// Adds a heading above rows that share a value, compared in any case.
pub(crate) struct Grouping<Item> {
    pub(crate) value: fn(&Item) -> String,
    /// Heading of rows without a value.
    pub(crate) none: &'static str,
}

/// An applied filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilterUsed {
    /// Name in the query string.
    pub(crate) name: &'static str,
    pub(crate) value: String,
    /// Label for display.
    pub(crate) label: &'static str,
    pub(crate) display: String,
}

/// A column of the CSV file, the workbook and the printed table.
pub(crate) struct Column<Item> {
    head: &'static str,
    value: Box<dyn Fn(&Item) -> Cell + Send + Sync>,
    pub(super) position: Position,
    has_times: bool,
}

/// Position of a column in the printed table, which can show several values in one cell like the list on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    OwnCell,
    /// On a new line in the previous column's cell.
    Below,
    /// On the previous column's line, after this separator.
    Beside(&'static str),
}

impl<Item> Column<Item> {
    /// A column with its own printed cell.
    pub(crate) fn new<Value: Into<Cell>>(
        head: &'static str,
        value: impl Fn(&Item) -> Value + Send + Sync + 'static,
    ) -> Self {
        let value = Box::new(move |item: &Item| -> Cell { value(item).into() });
        Self { head, value, position: Position::OwnCell, has_times: false }
    }

    /// A column printed on a new line in the previous column's cell.
    pub(crate) fn below<Value: Into<Cell>>(
        head: &'static str,
        value: impl Fn(&Item) -> Value + Send + Sync + 'static,
    ) -> Self {
        Self { position: Position::Below, ..Self::new(head, value) }
    }

    /// A column printed on the previous column's line, after `separator`.
    pub(crate) fn beside<Value: Into<Cell>>(
        separator: &'static str,
        head: &'static str,
        value: impl Fn(&Item) -> Value + Send + Sync + 'static,
    ) -> Self {
        Self { position: Position::Beside(separator), ..Self::new(head, value) }
    }

    /// A column of times. Its head names the time zone.
    pub(crate) fn of_times(self) -> Self {
        Self { has_times: true, ..self }
    }

    pub(super) fn head(&self, zone: &TimeZone) -> String {
        if self.has_times {
            format!("{} ({})", self.head, zone.iana_name().unwrap_or("UTC"))
        } else {
            self.head.to_owned()
        }
    }

    pub(super) fn value(&self, item: &Item) -> Cell {
        (self.value)(item)
    }

    pub(super) fn text(&self, item: &Item, zone: &TimeZone) -> String {
        self.value(item).text(zone)
    }
}

#[cfg(test)]
impl<Item> Column<Item> {
    /// The head of the column, and its text in a row.
    pub(crate) fn cell(&self, item: &Item) -> (&'static str, String) {
        (self.head, self.text(item, &TimeZone::UTC))
    }
}

impl FilterUsed {
    /// A filter that is displayed as its value; `None` if it is not set.
    pub(crate) fn text(name: &'static str, label: &'static str, value: Option<&String>) -> Option<Self> {
        value.map(|value| Self { name, value: value.clone(), label, display: value.clone() })
    }
}

/// Formats a time in UTC.
pub(crate) fn instant(time: Timestamp) -> String {
    Cell::from(time).text(&TimeZone::UTC)
}
