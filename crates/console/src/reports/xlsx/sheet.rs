//! The XML of a sheet.

use std::fmt::Write;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use crate::reports::Cell;

/// The name of the sheet.
const NAME: &str = "Report";
/// Longer texts make Excel refuse the file. In UTF-16 units.
const MAX_TEXT: usize = 32_767;
/// The day before the first one of Excel's calendar, in which 1900 is a leap year.
const DAY_ZERO: Date = Date::constant(1899, 12, 30);
/// The first day whose number follows from its distance: Excel's calendar has a 29 February 1900.
const FIRST_DAY: Date = Date::constant(1900, 3, 1);
const SECONDS_PER_DAY: f64 = 86_400.0;
const MIN_WIDTH: usize = 12;
/// For the button of the filter.
const PADDING: usize = 4;
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// The formats of cells, by their places in styles.xml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Text = 1,
    Number = 2,
    Tenths = 3,
    Date = 4,
    Time = 5,
    Head = 6,
}

impl Style {
    pub(super) fn of(cell: &Cell) -> Self {
        match cell {
            Cell::Text(_) => Self::Text,
            Cell::Number { decimals: 0, .. } => Self::Number,
            Cell::Number { .. } => Self::Tenths,
            Cell::Date(_) => Self::Date,
            Cell::Time(_) => Self::Time,
        }
    }
}

/// The sheet up to its rows. The rows down to `head` stay in view.
pub(super) fn begin(heads: &[String], head: u64) -> String {
    let mut columns = String::new();
    for (number, text) in (1..).zip(heads) {
        let width = MIN_WIDTH.max(text.chars().count() + PADDING);
        let _ = write!(columns, "<col min=\"{number}\" max=\"{number}\" width=\"{width}\" customWidth=\"1\"/>");
    }
    let below = reference(0, head + 1);
    format!(
        "{DECLARATION}<worksheet xmlns=\"{MAIN}\"><sheetViews><sheetView tabSelected=\"1\" workbookViewId=\"0\">\
         <pane ySplit=\"{head}\" topLeftCell=\"{below}\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews>\
         <cols>{columns}</cols><sheetData>"
    )
}

/// The sheet below its rows, which can be filtered.
pub(super) fn end(from: &str, to: &str) -> String {
    format!("</sheetData><autoFilter ref=\"{from}:{to}\"/></worksheet>")
}

/// The workbook, which names the filtered cells as Excel does.
pub(super) fn workbook(from: &str, to: &str) -> String {
    let (from, to) = (absolute(from), absolute(to));
    format!(
        "{DECLARATION}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONSHIPS}\"><sheets><sheet name=\"{NAME}\" sheetId=\"1\" \
         r:id=\"rId1\"/></sheets><definedNames><definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"0\" hidden=\"1\">\
         {NAME}!{from}:{to}</definedName></definedNames></workbook>"
    )
}

/// `AB7` for the column with the number 27, counted from 0, and row 7.
pub(super) fn reference(column: usize, row: u64) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or_default()));
        rest /= 26;
    }
    letters.into_iter().rev().collect::<String>() + &row.to_string()
}

/// `$AB$7` for `AB7`.
fn absolute(reference: &str) -> String {
    let (letters, row) = reference.split_at(reference.find(|char: char| char.is_ascii_digit()).unwrap_or_default());
    format!("${letters}${row}")
}

/// Appends a cell, unless it is empty.
pub(super) fn push_cell(xml: &mut String, reference: &str, style: Style, cell: &Cell, zone: &TimeZone) {
    let text = cell.text(zone);
    let value = match cell {
        Cell::Text(_) => None,
        Cell::Number { value, .. } => value.is_finite().then(|| text.clone()),
        Cell::Date(date) => day_number(*date).map(|day| day.to_string()),
        Cell::Time(time) => time_number(time.to_zoned(zone.clone()).datetime()).map(|number| number.to_string()),
    };
    if let Some(value) = value {
        let _ = write!(xml, "<c r=\"{reference}\" s=\"{}\"><v>{value}</v></c>", style as u8);
    } else if !text.is_empty() {
        let style = if style == Style::Head { style } else { Style::Text };
        let _ =
            write!(xml, "<c r=\"{reference}\" s=\"{}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">", style as u8);
        push_text(xml, bounded(&text));
        xml.push_str("</t></is></c>");
    }
}

/// The number of a day in Excel's calendar; `None` for days that it does not have.
fn day_number(date: Date) -> Option<i64> {
    (date >= FIRST_DAY).then(|| date.duration_since(DAY_ZERO).as_hours() / 24)
}

/// The number of a time, to the second.
#[expect(clippy::cast_precision_loss, reason = "days and seconds of a day are small")]
fn time_number(time: DateTime) -> Option<f64> {
    let seconds = time.duration_since(time.date().to_datetime(Time::midnight())).as_secs();
    day_number(time.date()).map(|day| day as f64 + seconds as f64 / SECONDS_PER_DAY)
}

/// The beginning of the text that a cell can have.
fn bounded(text: &str) -> &str {
    let mut length = 0;
    let end = text.char_indices().find(|(_, char)| {
        length += char.len_utf16();
        length > MAX_TEXT
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Appends an escaped text. `_x0007_` stands for a character that XML cannot have, so that a text that looks like this is escaped, too.
fn push_text(xml: &mut String, text: &str) {
    for (at, char) in text.char_indices() {
        match char {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '_' if is_escape(&text[at..]) => xml.push_str("_x005F_"),
            '\t' | '\n' => xml.push(char),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(xml, "_x{:04X}_", u32::from(char));
            }
            _ => xml.push(char),
        }
    }
}

fn is_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 7 && bytes[1] == b'x' && bytes[2..6].iter().all(u8::is_ascii_hexdigit) && bytes[6] == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xml(cell: impl Into<Cell>, zone: &str) -> String {
        let (cell, mut xml) = (cell.into(), String::new());
        push_cell(&mut xml, "A1", Style::of(&cell), &cell, &TimeZone::get(zone).unwrap());
        xml
    }

    #[test]
    fn cells_have_the_types_of_their_values() {
        let noon: jiff::Timestamp = "2026-11-20T12:00:00.7Z".parse().unwrap();
        let rows = [
            (xml(5_u64, "UTC"), "<c r=\"A1\" s=\"2\"><v>5</v></c>"),
            (xml(-5_i64, "UTC"), "<c r=\"A1\" s=\"2\"><v>-5</v></c>"),
            (xml(Cell::tenths(12.3), "UTC"), "<c r=\"A1\" s=\"3\"><v>12.3</v></c>"),
            (xml(Date::constant(1900, 3, 1), "UTC"), "<c r=\"A1\" s=\"4\"><v>61</v></c>"),
            (xml(Date::constant(2026, 11, 20), "UTC"), "<c r=\"A1\" s=\"4\"><v>46346</v></c>"),
            (xml(noon, "UTC"), "<c r=\"A1\" s=\"5\"><v>46346.5</v></c>"),
            (xml(noon, "Pacific/Kiritimati"), "<c r=\"A1\" s=\"5\"><v>46347.083333333336</v></c>"),
            (xml(None::<u64>, "UTC"), ""),
            (xml("", "UTC"), ""),
        ];
        for (xml, expected) in rows {
            assert_eq!(xml, expected);
        }
        for text in ["007", "=1+1", "1900-02-28", "NaN"] {
            let cell = match text {
                "NaN" => Cell::tenths(f64::NAN),
                "1900-02-28" => Date::constant(1900, 2, 28).into(),
                _ => text.into(),
            };
            let expected =
                format!("<c r=\"A1\" s=\"1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{text}</t></is></c>");
            assert_eq!(xml(cell, "UTC"), expected);
        }
    }

    #[test]
    fn texts_are_escaped_and_bounded() {
        let rows = [
            ("a < b & c > d\n\"e\"", "a &lt; b &amp; c &gt; d\n\"e\""),
            ("\u{7}bell\r", "_x0007_bell_x000D_"),
            ("_x0041_ _x004_ _x00e9_", "_x005F_x0041_ _x004_ _x005F_x00e9_"),
            ("_x\u{e9}\u{e9}", "_x\u{e9}\u{e9}"),
            ("Łódź \u{1f33f}", "Łódź \u{1f33f}"),
        ];
        for (text, expected) in rows {
            let mut xml = String::new();
            push_text(&mut xml, text);
            assert_eq!(xml, expected);
        }
        assert_eq!(bounded(&"x".repeat(32_768)).len(), 32_767);
        assert_eq!(bounded(&"\u{1f33f}".repeat(16_384)).chars().count(), 16_383);
    }

    #[test]
    fn columns_have_letters() {
        for (column, expected) in [(0, "A7"), (25, "Z7"), (26, "AA7"), (51, "AZ7"), (52, "BA7"), (702, "AAA7")] {
            assert_eq!(reference(column, 7), expected);
        }
        assert_eq!(absolute("AB7"), "$AB$7");
    }
}
