//! Writes texts as CSV reports, for fuzz tests.

use csv::ReaderBuilder;
use jiff::tz::TimeZone;

use super::Column;
use super::csv::CsvWriter;
use crate::preferences::{CsvFormat, CsvSeparator};

/// Writes a text, split at the first bar, as the two cells of a row, with each separator, and reads them again.
///
/// # Panics
/// If a cell is lost, or could start a formula.
pub fn csv(text: &str) {
    for separator in CsvSeparator::ALL {
        write_and_read(text, separator);
    }
}

fn write_and_read(text: &str, separator: CsvSeparator) {
    type Row<'a> = (&'a str, &'a str);
    let first = Column::new("First", |row: &Row<'_>| row.0.to_owned());
    let columns = [first, Column::new("Second", |row: &Row<'_>| row.1.to_owned())];
    let cells = text.split_once('|').unwrap_or((text, ""));
    let writer = CsvWriter::new(CsvFormat { separator, ..CsvFormat::default() }, TimeZone::UTC);
    let written = writer.rows(&columns, &[cells]).expect("a row in memory");
    let mut reader =
        ReaderBuilder::new().has_headers(false).delimiter(separator.byte()).from_reader(written.as_slice());
    let records: Vec<_> = reader.records().map(|record| record.expect("valid CSV")).collect();
    let [record] = records.as_slice() else { panic!("{} rows instead of one", records.len()) };
    let read: Vec<&str> = record.iter().collect();
    assert_eq!(read.len(), columns.len());
    for (read, cell) in read.into_iter().zip([cells.0, cells.1]) {
        assert_eq!(read.replace('\'', ""), cell.replace('\'', ""));
        assert!(!read.starts_with(['=', '-', '@', '\t', '\r', '\n']), "{read:?}");
        let number = read.strip_prefix('+').unwrap_or_default();
        assert!(!number.contains(char::is_alphabetic), "{read:?}");
    }
    let written = str::from_utf8(&written).expect("UTF-8");
    let between = format!("\"{}\"", separator.char());
    assert!(written.starts_with('"') && written.contains(&between) && written.ends_with("\"\r\n"), "{written:?}");
    // A spreadsheet may take the other separators, within quotes, too.
    let others = CsvSeparator::ALL.into_iter().filter(|other| *other != separator).map(CsvSeparator::char);
    let cell_ends: Vec<char> = others.chain(['\r', '\n']).collect();
    for part in written.split(&*cell_ends).skip(1) {
        let part = part.trim_start_matches(|first: char| first.is_whitespace() || first == '"');
        assert!(!part.starts_with(['=', '+', '-', '@']), "{part:?}");
    }
}
