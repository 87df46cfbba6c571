//! CSV as in RFC 4180, in UTF-8 with a byte order mark, without which Excel assumes another encoding. All cells are quoted, because a
//! spreadsheet separates them as its reader's country does, and no text can start a formula under any separator.

use std::borrow::Cow;

use csv::{QuoteStyle, Terminator, WriterBuilder};
use jiff::tz::TimeZone;

use super::{Cell, Column};
use crate::http::error::{ApiError, ApiResult};
use crate::preferences::{CsvFormat, CsvSeparator, DecimalSign};

const BYTE_ORDER_MARK: &str = "\u{feff}";
/// What begins a formula, also as typed on Chinese and Japanese keyboards.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Writes the records of a report.
pub(super) struct CsvWriter {
    format: CsvFormat,
    zone: TimeZone,
    /// Where a spreadsheet that expects another separator ends a cell, even one in quotes.
    cell_ends: Vec<char>,
}

impl CsvWriter {
    pub(super) fn new(format: CsvFormat, zone: TimeZone) -> Self {
        let others = CsvSeparator::ALL.into_iter().filter(|separator| *separator != format.separator);
        let cell_ends = others.map(CsvSeparator::char).chain(['\n', '\r']).collect();
        Self { format, zone, cell_ends }
    }

    /// The heads of the columns, below a line with the notice.
    pub(super) fn begin<Item>(&self, notice: Option<&str>, columns: &[Column<Item>]) -> ApiResult<Vec<u8>> {
        let notice = notice.map(|notice| vec![self.text(&notice.into())]);
        let heads = columns.iter().map(|column| self.text(&column.head(&self.zone).into())).collect();
        Ok([BYTE_ORDER_MARK.as_bytes(), &self.records(notice)?, &self.records([heads])?].concat())
    }

    pub(super) fn rows<Item>(&self, columns: &[Column<Item>], items: &[Item]) -> ApiResult<Vec<u8>> {
        self.records(items.iter().map(|item| columns.iter().map(|column| self.text(&column.value(item))).collect()))
    }

    fn records(&self, records: impl IntoIterator<Item = Vec<String>>) -> ApiResult<Vec<u8>> {
        let mut builder = WriterBuilder::new();
        builder.terminator(Terminator::CRLF).quote_style(QuoteStyle::Always);
        let mut writer = builder.delimiter(self.format.separator.byte()).from_writer(Vec::new());
        for record in records {
            writer.write_record(record).map_err(ApiError::internal)?;
        }
        writer.into_inner().map_err(|error| ApiError::internal(error.into_error()))
    }

    fn text(&self, cell: &Cell) -> String {
        let text = cell.text(&self.zone);
        match cell {
            Cell::Text(_) => guard_formula(&text, &self.cell_ends).into_owned(),
            // The hyphen of a negative number begins no formula.
            Cell::Number { .. } if self.format.decimal_sign == DecimalSign::Comma => text.replace('.', ","),
            Cell::Number { .. } | Cell::Date(_) | Cell::Time(_) => text,
        }
    }
}

/// Prefixes texts that would start a formula with an apostrophe, and parts of them that would start one where a spreadsheet takes them
/// for cells of their own. Tab and line break at the start count too, because some spreadsheets drop them.
fn guard_formula<'a>(text: &'a str, cell_ends: &[char]) -> Cow<'a, str> {
    let is_formula =
        (text.starts_with(FORMULA_STARTS) && !is_phone_number(text)) || text.starts_with(['\t', '\n', '\r']);
    if !is_formula && !text.contains(cell_ends) {
        return Cow::Borrowed(text);
    }
    let mut guarded = String::from(if is_formula { "'" } else { "" });
    for (at, char) in text.char_indices() {
        guarded.push(char);
        if cell_ends.contains(&char) && begins_formula(&text[at + char.len_utf8()..]) {
            guarded.push('\'');
        }
    }
    Cow::Owned(guarded)
}

/// Quotes and blanks do not keep a spreadsheet from it.
fn begins_formula(text: &str) -> bool {
    text.trim_start_matches(|first: char| first.is_whitespace() || first == '"').starts_with(FORMULA_STARTS)
}

/// A plus, then digits and common separators. Without names it cannot call functions. With only hyphens and points
/// between digits, a spreadsheet would compute a difference.
fn is_phone_number(cell: &str) -> bool {
    let Some(number) = cell.strip_prefix('+') else { return false };
    number.starts_with(|first: char| first.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '(' | ')' | '-' | '.'))
        && (number.contains([' ', '(']) || !number.contains('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formula_cells_get_an_apostrophe() {
        let rows = [
            ("=1+1", "'=1+1"),
            ("=HYPERLINK(\"http://evil.example\")", "'=HYPERLINK(\"http://evil.example\")"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("+A1", "'+A1"),
            ("+", "'+"),
            ("+(47)", "'+(47)"),
            ("+1-414-555-0100", "'+1-414-555-0100"),
            ("+1.5-2", "'+1.5-2"),
            ("\t=1", "'\t'=1"),
            ("x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"),
            ("x; \"=1\t@SUM(A1);-", "x;' \"=1\t'@SUM(A1);'-"),
            ("x;\t+1", "x;'\t'+1"),
            ("Bar; Spa", "Bar; Spa"),
            ("\r=1", "'\r'=1"),
            ("\n=1", "'\n'=1"),
            ("two\nlines", "two\nlines"),
            ("two\r\n=1", "two\r'\n'=1"),
            ("\u{ff1d}1+1", "'\u{ff1d}1+1"),
            ("x;\u{ff0b}1", "x;'\u{ff0b}1"),
            ("+4741234567", "+4741234567"),
            ("+47 1234", "+47 1234"),
            ("+1.414.555.0100", "+1.414.555.0100"),
            ("+1 (414) 555-0100", "+1 (414) 555-0100"),
            ("Hotel = Spa", "Hotel = Spa"),
            ("'quoted'", "'quoted'"),
            ("", ""),
        ];
        for (cell, expected) in rows {
            assert_eq!(guard_formula(cell, &[';', '\t', '\n', '\r']), expected, "{cell:?}");
        }
    }

    #[test]
    fn file_starts_with_a_byte_order_mark_and_quotes_cells() {
        type Row = (&'static str, &'static str, i64);
        let columns = [
            Column::new("Name", |row: &Row| row.0),
            Column::below("State/Province, short", |row: &Row| row.1),
            Column::new("Change", |row: &Row| row.2),
        ];
        let head = "\"Name\",\"State/Province, short\",\"Change\"\r\n";
        let writer = CsvWriter::new(CsvFormat::default(), TimeZone::UTC);
        assert_eq!(writer.begin(None, &columns).unwrap(), format!("\u{feff}{head}").as_bytes());
        let noticed = format!("\u{feff}\"Incomplete, still\"\r\n{head}");
        assert_eq!(writer.begin(Some("Incomplete, still"), &columns).unwrap(), noticed.as_bytes());
        let items = [("A, B", "say \"hi\"", 5), ("two\nlines", "", -5), ("Łódź", "=1", 0)];
        let text = String::from_utf8(writer.rows(&columns, &items).unwrap()).unwrap();
        let expected = "\"A, B\",\"say \"\"hi\"\"\",\"5\"\r\n\"two\nlines\",\"\",\"-5\"\r\n\"Łódź\",\"'=1\",\"0\"\r\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn signs_are_chosen_and_the_other_separators_guarded() {
        type Row = (&'static str, f64);
        let columns = [Column::new("Name", |row: &Row| row.0), Column::new("Use", |row: &Row| Cell::tenths(row.1))];
        let rows = [
            (CsvSeparator::Comma, DecimalSign::Comma, "\"a,=1;'=2\t'=3\",\"-2,5\"\r\n"),
            (CsvSeparator::Semicolon, DecimalSign::Comma, "\"a,'=1;=2\t'=3\";\"-2,5\"\r\n"),
            (CsvSeparator::Tab, DecimalSign::Point, "\"a,'=1;'=2\t=3\"\t\"-2.5\"\r\n"),
        ];
        for (separator, decimal_sign, expected) in rows {
            let writer = CsvWriter::new(CsvFormat { separator, decimal_sign }, TimeZone::UTC);
            let text = String::from_utf8(writer.rows(&columns, &[("a,=1;=2\t=3", -2.5)]).unwrap()).unwrap();
            assert_eq!(text, expected);
        }
    }
}
