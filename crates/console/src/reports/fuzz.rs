//! Writes texts as CSV reports, for fuzz tests.

use csv::ReaderBuilder;
use jiff::tz::TimeZone;

use super::{Column, csv as writer};

/// Writes a text, split at the first bar, as the two cells of a row, and reads them again.
///
/// # Panics
/// If a cell is lost, or could start a formula.
pub fn csv(text: &str) {
    type Row<'a> = (&'a str, &'a str);
    let first = Column::new("First", |row: &Row<'_>| row.0.to_owned());
    let columns = [first, Column::new("Second", |row: &Row<'_>| row.1.to_owned())];
    let cells = text.split_once('|').unwrap_or((text, ""));
    let written = writer::rows(&columns, &TimeZone::UTC, &[cells]).expect("a row in memory");
    let mut reader = ReaderBuilder::new().has_headers(false).from_reader(written.as_slice());
    let records: Vec<_> = reader.records().map(|record| record.expect("valid CSV")).collect();
    let [record] = records.as_slice() else { panic!("{} rows instead of one", records.len()) };
    let read: Vec<&str> = record.iter().collect();
    assert_eq!(read.len(), columns.len());
    for (read, cell) in read.into_iter().zip([cells.0, cells.1]) {
        assert_eq!(read.replace('\'', ""), cell.replace('\'', ""));
        assert!(!read.starts_with(['=', '-', '@', '\t', '\r']), "{read:?}");
        let number = read.strip_prefix('+').unwrap_or_default();
        assert!(!number.contains(char::is_alphabetic), "{read:?}");
    }
    let written = str::from_utf8(&written).expect("UTF-8");
    assert!(written.starts_with('"') && written.contains("\",\"") && written.ends_with("\"\r\n"), "{written:?}");
    // A spreadsheet may take other separators than the comma, within quotes, too.
    for part in written.split([';', '\t', '\r', '\n']).skip(1) {
        let part = part.trim_start_matches(|first: char| first.is_whitespace() || first == '"');
        assert!(!part.starts_with(['=', '+', '-', '@']), "{part:?}");
    }
}
