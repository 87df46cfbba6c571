//! When a remembered page may be skipped.

use super::super::merge::{KeyRange, apply_page};
use super::super::page_memory::RowStamps;
use super::*;

/// Applies a page of three devices and returns its remembered rows.
async fn page(db: &Db, clock: &Clock) -> RowStamps {
    let entries = entries(&["A", "B", "C"].map(|dsn| record(dsn, None)));
    let read = CloudRead::begin(clock).end(clock);
    clock.advance(SignedDuration::from_secs(1));
    apply_page(db, &KeyRange { entries: &entries, after: 0, through: 3 }, read).await.unwrap().rows.unwrap()
}

async fn still_match(db: &Db, clock: &Clock, rows: RowStamps) -> bool {
    rows.still_match(db, 0, 3, CloudRead::begin(clock).end(clock)).await.unwrap()
}

async fn unwritten_rows_still_match(db: Db) {
    let clock = clock();
    let rows = page(&db, &clock).await;
    assert!(still_match(&db, &clock, rows).await);
    assert_eq!(page(&db, &clock).await, rows, "comparing an unchanged page again gives the same stamps");
}

async fn any_write_invalidates_the_remembered_page(db: Db) {
    let clock = clock();
    let rows = page(&db, &clock).await;
    apply_change(&db, "B", StreamChange::Connection(ConnectionStatus::Offline, None), clock.now()).await.unwrap();
    assert!(!still_match(&db, &clock, rows).await, "a stream change");
    let rows = page(&db, &clock).await;
    let read = CloudRead::begin(&clock).end(&clock);
    apply_read(&db, &[IndexEntry { key: 2, record: record("B", Some("North")) }], read).await.unwrap();
    assert!(!still_match(&db, &clock, rows).await, "a single read");
    let rows = page(&db, &clock).await;
    assert!(super::super::upsert::remove(&db, "C", clock.now()).await.unwrap().is_some());
    assert!(!still_match(&db, &clock, rows).await, "a removal");
}

async fn page_is_compared_while_a_single_read_is_in_progress(db: Db) {
    let clock = clock();
    let rows = page(&db, &clock).await;
    CloudRead::announce(&db, &clock, "B").await.unwrap();
    assert!(!still_match(&db, &clock, rows).await);
    clock.advance(SignedDuration::from_mins(6));
    assert!(still_match(&db, &clock, rows).await, "the announced read has expired");
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        unwritten_rows_still_match,
        any_write_invalidates_the_remembered_page,
        page_is_compared_while_a_single_read_is_in_progress,
    ]
);
