//! CSV as in RFC 4180, in UTF-8 with a byte order mark, without which Excel assumes another encoding. Cells cannot
//! start spreadsheet formulas.

use std::borrow::Cow;

use csv::{Terminator, WriterBuilder};
use jiff::tz::TimeZone;

use super::Column;
use crate::error::{ApiError, ApiResult};

const BYTE_ORDER_MARK: &str = "\u{feff}";
/// Separators of lists, beside the comma, with which spreadsheets open CSV.
const SEPARATORS: [char; 2] = [';', '\t'];

/// The heads of the columns, below a line with the notice.
pub(super) fn begin<Item>(notice: Option<&str>, columns: &[Column<Item>], zone: &TimeZone) -> ApiResult<Vec<u8>> {
    let notice = records(notice.map(|notice| vec![notice.to_owned()]))?;
    let header = records([columns.iter().map(|column| column.head(zone)).collect()])?;
    Ok([BYTE_ORDER_MARK.as_bytes(), &notice, &header].concat())
}

pub(super) fn rows<Item>(columns: &[Column<Item>], zone: &TimeZone, items: &[Item]) -> ApiResult<Vec<u8>> {
    records(items.iter().map(|item| columns.iter().map(|column| column.text(item, zone)).collect()))
}

fn records(records: impl IntoIterator<Item = Vec<String>>) -> ApiResult<Vec<u8>> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    for record in records {
        writer.write_record(record.iter().map(|cell| guard_formula(cell).into_owned())).map_err(ApiError::internal)?;
    }
    writer.into_inner().map_err(|error| ApiError::internal(error.into_error()))
}

/// Prefixes cells that would start a formula with an apostrophe. Tab and carriage return count too, because some
/// spreadsheets drop them. So does a formula within the cell that becomes one where a list is separated by semicolons or tabs.
fn guard_formula(cell: &str) -> Cow<'_, str> {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_phone_number(cell);
    if !is_formula && !cell.contains(SEPARATORS) {
        return Cow::Borrowed(cell);
    }
    let mut guarded = String::from(if is_formula { "'" } else { "" });
    for (at, char) in cell.char_indices() {
        guarded.push(char);
        if SEPARATORS.contains(&char) && begins_formula(&cell[at + char.len_utf8()..]) {
            guarded.push('\'');
        }
    }
    Cow::Owned(guarded)
}

/// Quotes and blanks do not keep a spreadsheet from it.
fn begins_formula(text: &str) -> bool {
    text.trim_start_matches(|first: char| first.is_whitespace() || first == '"').starts_with(['=', '+', '-', '@'])
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
            ("\r=1", "'\r=1"),
            ("+4741234567", "+4741234567"),
            ("+47 1234", "+47 1234"),
            ("+1.414.555.0100", "+1.414.555.0100"),
            ("+1 (414) 555-0100", "+1 (414) 555-0100"),
            ("Hotel = Spa", "Hotel = Spa"),
            ("'quoted'", "'quoted'"),
            ("", ""),
        ];
        for (cell, expected) in rows {
            assert_eq!(guard_formula(cell), expected, "{cell:?}");
        }
    }

    #[test]
    fn file_starts_with_a_byte_order_mark_and_quotes_cells() {
        type Row = (&'static str, &'static str);
        let columns =
            [Column::new("Name", |row: &Row| row.0), Column::below("State/Province, short", |row: &Row| row.1)];
        let head = "Name,\"State/Province, short\"\r\n";
        assert_eq!(begin(None, &columns, &TimeZone::UTC).unwrap(), format!("\u{feff}{head}").as_bytes());
        let noticed = format!("\u{feff}\"Incomplete, still\"\r\n{head}");
        assert_eq!(begin(Some("Incomplete, still"), &columns, &TimeZone::UTC).unwrap(), noticed.as_bytes());
        let items = [("A, B", "say \"hi\""), ("two\nlines", ""), ("Łódź", "=1")];
        let text = String::from_utf8(rows(&columns, &TimeZone::UTC, &items).unwrap()).unwrap();
        assert_eq!(text, "\"A, B\",\"say \"\"hi\"\"\"\r\n\"two\nlines\",\r\nŁódź,'=1\r\n");
    }
}
