//! How a report goes out, with rows that nobody has stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::StreamExt;
use futures::future::ready;

use super::*;
use crate::reports::{Column, FilterUsed, Slots};
use crate::session::SessionHash;

const ROWS: u64 = 100_000;
const WIDE: usize = 600;

#[derive(Serialize)]
struct Row {
    number: u64,
    text: String,
}

/// So many rows, and a count of those that were read.
struct Numbers {
    rows: u64,
    read: Arc<AtomicU64>,
    fails_at: u64,
}

impl Pages for Numbers {
    type Item = Row;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<Row>> {
        let from = self.read.load(Ordering::SeqCst);
        let to = self.rows.min(from + limit);
        if to > self.fails_at {
            return Err(ApiError::Timeout);
        }
        self.read.store(to, Ordering::SeqCst);
        Ok((from..to).map(|number| Row { number, text: "x".repeat(WIDE) }).collect())
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(self.rows)
    }
}

fn session() -> SessionHash {
    SessionHash::of(&[1; 32])
}

/// The chunks of a report of so many rows, and how many rows were read for them.
async fn report(
    form: Form,
    rows: u64,
    fails_at: u64,
    slots: &Slots,
) -> (impl Stream<Item = ApiResult<Bytes>> + use<>, Arc<AtomicU64>) {
    let read = Arc::<AtomicU64>::default();
    let mut pages = Numbers { rows, read: Arc::clone(&read), fails_at };
    let first = pages.next(PAGE).await.unwrap();
    let columns = vec![
        Column::new("Number", |row: &Row| row.number.to_string()),
        Column::below("Text", |row: &Row| row.text.clone()),
    ];
    let filters = vec![FilterUsed { name: "dsn", value: "1".to_owned(), label: "DSN", words: "1".to_owned() }];
    let printer = Printer {
        form,
        report: Report { title: "Numbers", filters, columns, grouping: None },
        now: "2026-11-20T12:00:00Z".parse().unwrap(),
        total: rows,
        has_rows: false,
        group: None,
    };
    let running = Running { pages, printer, slot: Some(slots.take(&session()).unwrap()) };
    (chunks(running, first), read)
}

async fn whole(form: Form, rows: u64) -> String {
    let (chunks, _) = report(form, rows, u64::MAX, &Slots::default()).await;
    let bytes = chunks.map(|chunk| chunk.unwrap().to_vec()).concat().await;
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_report_of_100_000_rows_is_one_page_in_memory() {
    for form in [Form::Json, Form::Csv, Form::Printable] {
        let (chunks, read) = report(form, ROWS, u64::MAX, &Slots::default()).await;
        let (mut told, mut largest, mut size) = (0, 0, 0);
        let mut chunks = Box::pin(chunks);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.unwrap();
            told += PAGE;
            (largest, size) = (largest.max(chunk.len()), size + chunk.len());
            assert_eq!(read.load(Ordering::SeqCst), told.min(ROWS), "{form:?}: read when it is taken, not before");
        }
        assert!(size > 100_000 * WIDE, "{form:?}: {size}");
        assert!(largest < 2 * 250 * WIDE, "{form:?}: {largest}");
    }
}

#[tokio::test]
async fn pages_of_every_length_make_one_document() {
    for rows in [0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE] {
        let json: serde_json::Value = serde_json::from_str(&whole(Form::Json, rows).await).unwrap();
        assert_eq!(json["filters"], serde_json::json!({ "dsn": "1" }));
        let items = json["items"].as_array().unwrap();
        assert!(items.iter().map(|item| item["number"].as_u64().unwrap()).eq(0..rows), "{rows}");

        let csv = whole(Form::Csv, rows).await;
        assert_eq!(csv.lines().next(), Some("\u{feff}Number,Text"));
        assert_eq!(csv.matches("\r\n").count() as u64, rows + 1);

        let page = whole(Form::Printable, rows).await;
        assert_eq!(page.matches("<tr><td>").count() as u64, rows);
        assert_eq!((page.matches("<table>").count(), page.matches("</html>").count()), (1, 1));
    }
}

#[tokio::test]
async fn a_report_that_breaks_off_does_not_end_as_if_it_were_whole() {
    let slots = Slots::default();
    let (chunks, _) = report(Form::Csv, ROWS, 2 * PAGE, &slots).await;
    let outcomes: Vec<bool> = chunks.map(|chunk| chunk.is_ok()).collect().await;
    assert_eq!(outcomes, [true, true, false]);
    assert!(slots.take(&session()).is_ok(), "another one may begin");
}

#[tokio::test]
async fn the_next_report_may_begin_with_the_last_chunk_or_when_nobody_reads_on() {
    let slots = Slots::default();
    let (chunks, _) = report(Form::Csv, PAGE + 1, u64::MAX, &slots).await;
    let mut chunks = Box::pin(chunks);
    chunks.next().await.unwrap().unwrap();
    assert!(slots.take(&session()).is_err(), "half way");
    chunks.next().await.unwrap().unwrap();
    assert!(slots.take(&session()).is_ok(), "told, if not read to the end yet");

    let (chunks, _) = report(Form::Csv, ROWS, u64::MAX, &slots).await;
    Box::pin(chunks).take(1).for_each(|_| ready(())).await;
    assert!(slots.take(&session()).is_ok(), "left alone");
}
