//! Streaming of reports, with generated rows.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use calamine::{DataType, Reader, Xlsx, open_workbook_from_rs};
use futures::StreamExt;
use futures::future::ready;

use super::*;
use crate::audit::Operation;
use crate::limits::report_slots::ReportSlots;
use crate::policy::session_hash::SessionHash;
use crate::preferences::CsvFormat;
use crate::reports::{Column, FilterUsed};

const ROWS: u64 = 100_000;
const WIDE: usize = 600;

#[derive(Serialize)]
struct ListRow {
    number: u64,
    text: String,
}

/// Generated rows that count how many were read.
struct Numbers {
    rows: u64,
    read: Arc<AtomicU64>,
    fails_at: u64,
}

impl Pages for Numbers {
    type Item = ListRow;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<ListRow>> {
        let from = self.read.load(Ordering::SeqCst);
        let to = self.rows.min(from + limit);
        if to > self.fails_at {
            return Err(ApiError::Timeout);
        }
        self.read.store(to, Ordering::SeqCst);
        Ok((from..to).map(|number| ListRow { number, text: "x".repeat(WIDE) }).collect())
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(self.rows)
    }
}

fn session() -> SessionHash {
    SessionHash::of(&[1; 32])
}

/// The chunks of a report, and the number of rows read for them.
async fn report(
    format: ReportFormat,
    rows: u64,
    fails_at: u64,
    slots: &ReportSlots,
) -> (impl Stream<Item = ApiResult<Bytes>> + use<>, Arc<AtomicU64>) {
    let read = Arc::<AtomicU64>::default();
    let mut pages = Numbers { rows, read: Arc::clone(&read), fails_at };
    let first = pages.next(PAGE_SIZE).await.unwrap();
    let columns = vec![
        Column::new("Number", |row: &ListRow| row.number),
        Column::below("Text", |row: &ListRow| row.text.clone()),
    ];
    let filters = vec![FilterUsed { name: "dsn", value: "1".to_owned(), label: "DSN", display: "1".to_owned() }];
    let writer = ReportWriter {
        encoder: match format {
            ReportFormat::Json => Encoder::Json,
            ReportFormat::Csv => Encoder::Csv(CsvWriter::new(CsvFormat::default(), TimeZone::UTC)),
            ReportFormat::Xlsx => Encoder::Xlsx(Box::new(Workbook::new())),
            ReportFormat::Printable => Encoder::Printable,
        },
        zone: TimeZone::UTC,
        report: Report {
            operation: Operation::ReportDevices,
            title: "Numbers".into(),
            notice: None,
            chart: None,
            filters,
            columns,
            grouping: None,
        },
        now: "2026-11-20T12:00:00Z".parse().unwrap(),
        total: rows,
        has_rows: false,
        group: None,
    };
    let stream_state = ReportStream { pages, writer, slot: Some(slots.take(&session()).unwrap()), download: None };
    (chunks(stream_state, first), read)
}

async fn file(format: ReportFormat, rows: u64) -> Vec<u8> {
    let (chunks, _) = report(format, rows, u64::MAX, &ReportSlots::default()).await;
    chunks.map(|chunk| chunk.unwrap().to_vec()).concat().await
}

async fn document(format: ReportFormat, rows: u64) -> String {
    String::from_utf8(file(format, rows).await).unwrap()
}

#[tokio::test]
async fn report_of_100_000_rows_keeps_one_page_in_memory() {
    for format in [ReportFormat::Json, ReportFormat::Csv, ReportFormat::Xlsx, ReportFormat::Printable] {
        let (chunks, read) = report(format, ROWS, u64::MAX, &ReportSlots::default()).await;
        let (mut reported, mut largest, mut size) = (0, 0, 0);
        let mut chunks = Box::pin(chunks);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.unwrap();
            reported += PAGE_SIZE;
            (largest, size) = (largest.max(chunk.len()), size + chunk.len());
            assert_eq!(read.load(Ordering::SeqCst), reported.min(ROWS), "{format:?}: rows must be read only on demand");
        }
        // A workbook is compressed.
        assert!(size > 100_000 * WIDE || format == ReportFormat::Xlsx, "{format:?}: {size}");
        assert!(largest < 2 * 250 * WIDE, "{format:?}: {largest}");
    }
}

#[tokio::test]
async fn reports_of_any_length_form_one_document() {
    for rows in [0, 1, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1, 3 * PAGE_SIZE] {
        let json: serde_json::Value = serde_json::from_str(&document(ReportFormat::Json, rows).await).unwrap();
        assert_eq!(json["filters"], serde_json::json!({ "dsn": "1" }));
        let items = json["items"].as_array().unwrap();
        assert!(items.iter().map(|item| item["number"].as_u64().unwrap()).eq(0..rows), "{rows}");

        let csv = document(ReportFormat::Csv, rows).await;
        assert_eq!(csv.lines().next(), Some("\u{feff}\"Number\",\"Text\""));
        assert_eq!(csv.matches("\r\n").count() as u64, rows + 1);

        let mut workbook: Xlsx<_> = open_workbook_from_rs(Cursor::new(file(ReportFormat::Xlsx, rows).await)).unwrap();
        let sheet = workbook.worksheet_range_at(0).unwrap().unwrap();
        let numbers = sheet.rows().skip(1).map(|row| row[0].get_float().unwrap());
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let expected = (0..rows).map(|number| number as f64);
        assert!(numbers.eq(expected), "{rows}");

        let page = document(ReportFormat::Printable, rows).await;
        assert_eq!(page.matches("<tr><td>").count() as u64, rows);
        assert_eq!((page.matches("<table>").count(), page.matches("</html>").count()), (1, 1));
    }
}

#[tokio::test]
async fn failed_report_does_not_look_complete() {
    let slots = ReportSlots::default();
    let (chunks, _) = report(ReportFormat::Csv, ROWS, 2 * PAGE_SIZE, &slots).await;
    let outcomes: Vec<bool> = chunks.map(|chunk| chunk.is_ok()).collect().await;
    assert_eq!(outcomes, [true, true, false]);
    assert!(slots.take(&session()).is_ok(), "the slot must be free again");
}

#[tokio::test]
async fn report_slot_is_released_with_the_last_chunk_or_on_drop() {
    let slots = ReportSlots::default();
    let (chunks, _) = report(ReportFormat::Csv, PAGE_SIZE + 1, u64::MAX, &slots).await;
    let mut chunks = Box::pin(chunks);
    chunks.next().await.unwrap().unwrap();
    assert!(slots.take(&session()).is_err(), "the report is still running");
    chunks.next().await.unwrap().unwrap();
    assert!(slots.take(&session()).is_ok(), "the last chunk has been sent");

    let (chunks, _) = report(ReportFormat::Csv, ROWS, u64::MAX, &slots).await;
    Box::pin(chunks).take(1).for_each(|_| ready(())).await;
    assert!(slots.take(&session()).is_ok(), "the response was dropped");
}
