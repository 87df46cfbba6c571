//! Workbooks of Excel (Office Open XML, ECMA-376) with one sheet, in which texts are texts, numbers are numbers and dates are dates.
//!
//! They are written as their rows are read: crates for workbooks keep all rows in memory or in a temporary file, and a node may have
//! a read-only file system.

mod sheet;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::tz::TimeZone;
use zip::ZipWriter;
use zip::write::{SimpleFileOptions, StreamWriter};

use self::sheet::{Style, push_cell, reference};
use super::{Cell, Column};
use crate::http::error::{ApiError, ApiResult};

/// The most rows of a sheet, that of the heads and that of the notice among them.
const MAX_ROWS: u64 = 1_048_576;
const ROWS_ABOVE: u64 = 2;
/// Fast: a page of rows is compressed between two reads of other requests.
const COMPRESSION_LEVEL: i64 = 1;

const PARTS: [(&str, &str); 4] = [
    ("[Content_Types].xml", include_str!("content-types.xml")),
    ("_rels/.rels", include_str!("package-relationships.xml")),
    ("xl/_rels/workbook.xml.rels", include_str!("workbook-relationships.xml")),
    ("xl/styles.xml", include_str!("styles.xml")),
];

/// A workbook that is being written.
pub(super) struct Workbook {
    archive: Option<ZipWriter<StreamWriter<Output>>>,
    output: Output,
    /// The number of the last row.
    row: u64,
    /// The number of the row with the heads.
    head: u64,
    columns: usize,
}

/// What has been written and not been taken.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Checks that a sheet can have this number of rows.
///
/// # Errors
/// 422 if they are too many.
pub(super) fn check_size(rows: u64) -> ApiResult<()> {
    if rows > MAX_ROWS - ROWS_ABOVE {
        return Err(ApiError::invalid("type", "cannot have so many rows. Filter them, or choose csv."));
    }
    Ok(())
}

impl Workbook {
    pub(super) fn new() -> Self {
        let output = Output::default();
        Self { archive: Some(ZipWriter::new_stream(output.clone())), output, row: 0, head: 0, columns: 0 }
    }

    /// The heads of the columns, below a row with the notice.
    pub(super) fn begin<Item>(
        &mut self,
        notice: Option<&str>,
        columns: &[Column<Item>],
        zone: &TimeZone,
    ) -> ApiResult<Vec<u8>> {
        for (name, content) in PARTS {
            self.begin_part(name)?;
            self.write(content)?;
        }
        self.head = if notice.is_some() { 2 } else { 1 };
        self.columns = columns.len();
        let heads: Vec<String> = columns.iter().map(|column| column.head(zone)).collect();
        self.begin_part("xl/worksheets/sheet1.xml")?;
        self.write(&sheet::begin(&heads, self.head))?;
        if let Some(notice) = notice {
            self.write_row([(Style::Text, Cell::from(notice))], zone)?;
        }
        self.write_row(heads.into_iter().map(|head| (Style::Head, Cell::from(head))), zone)?;
        Ok(self.output.take())
    }

    pub(super) fn rows<Item>(
        &mut self,
        columns: &[Column<Item>],
        zone: &TimeZone,
        items: &[Item],
    ) -> ApiResult<Vec<u8>> {
        // Rows may have been added since they were counted.
        check_size(self.row + items.len() as u64)?;
        for item in items {
            let cells = columns.iter().map(|column| column.value(item)).map(|cell| (Style::of(&cell), cell));
            self.write_row(cells, zone)?;
        }
        Ok(self.output.take())
    }

    pub(super) fn end(&mut self) -> ApiResult<Vec<u8>> {
        let (from, to) = (reference(0, self.head), reference(self.columns.saturating_sub(1), self.row));
        self.write(&sheet::end(&from, &to))?;
        self.begin_part("xl/workbook.xml")?;
        self.write(&sheet::workbook(&from, &to))?;
        if let Some(archive) = self.archive.take() {
            archive.finish().map_err(ApiError::internal)?;
        }
        Ok(self.output.take())
    }

    fn write_row(&mut self, cells: impl IntoIterator<Item = (Style, Cell)>, zone: &TimeZone) -> ApiResult<()> {
        self.row += 1;
        let mut xml = format!("<row r=\"{}\">", self.row);
        for (column, (style, cell)) in cells.into_iter().enumerate() {
            push_cell(&mut xml, &reference(column, self.row), style, &cell, zone);
        }
        xml.push_str("</row>");
        self.write(&xml)
    }

    fn begin_part(&mut self, name: &str) -> ApiResult<()> {
        let options = SimpleFileOptions::default().compression_level(Some(COMPRESSION_LEVEL));
        self.archive()?.start_file(name, options).map_err(ApiError::internal)
    }

    fn write(&mut self, xml: &str) -> ApiResult<()> {
        self.archive()?.write_all(xml.as_bytes()).map_err(ApiError::internal)
    }

    fn archive(&mut self) -> ApiResult<&mut ZipWriter<StreamWriter<Output>>> {
        self.archive.as_mut().ok_or_else(|| ApiError::internal("the workbook has ended"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheet_with_too_many_rows_is_refused() {
        assert!(check_size(1_048_574).is_ok());
        assert!(matches!(check_size(1_048_575), Err(ApiError::Invalid(fields)) if fields.contains_key("type")));
    }

    #[test]
    fn workbook_has_the_parts_that_refer_to_each_other() {
        let columns = [Column::new("Name", |row: &&'static str| *row)];
        let mut workbook = Workbook::new();
        let mut file = workbook.begin(Some("Incomplete"), &columns, &TimeZone::UTC).unwrap();
        file.extend(workbook.rows(&columns, &TimeZone::UTC, &["=1+1", ""]).unwrap());
        file.extend(workbook.end().unwrap());
        let mut archive = zip::ZipArchive::new(io::Cursor::new(file)).unwrap();
        let mut part = |name: &str| io::read_to_string(archive.by_name(name).unwrap()).unwrap();
        let sheet = part("xl/worksheets/sheet1.xml");
        for expected in [
            "<pane ySplit=\"2\" topLeftCell=\"A3\" activePane=\"bottomLeft\" state=\"frozen\"/>",
            "<row r=\"1\"><c r=\"A1\" s=\"1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">Incomplete</t></is></c></row>",
            "<row r=\"3\"><c r=\"A3\" s=\"1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">=1+1</t></is></c></row><row r=\"4\"></row>",
            "</sheetData><autoFilter ref=\"A2:A4\"/></worksheet>",
        ] {
            assert!(sheet.contains(expected), "{expected}: {sheet}");
        }
        assert!(part("xl/workbook.xml").contains("Report!$A$2:$A$4"));
        for name in ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"] {
            assert!(part("[Content_Types].xml").contains(&format!("PartName=\"/{name}\"")), "{name}");
        }
    }
}
