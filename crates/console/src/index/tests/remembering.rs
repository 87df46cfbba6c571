//! When a page of the last pass may be passed over.

use super::super::memory::Rows;
use super::super::merge::{Range, apply_page};
use super::*;

/// Three devices, and what a page over them remembers of their rows.
async fn page(db: &Db, clock: &Clock) -> Rows {
    let entries = entries(&["A", "B", "C"].map(|dsn| record(dsn, None)));
    let read = Read::begin(clock).end(clock);
    clock.advance(SignedDuration::from_secs(1));
    apply_page(db, &Range { entries: &entries, after: 0, through: 3 }, read).await.unwrap().rows.unwrap()
}

async fn are_there(db: &Db, clock: &Clock, rows: Rows) -> bool {
    rows.are_there(db, 0, 3, Read::begin(clock).end(clock)).await.unwrap()
}

async fn rows_that_nobody_wrote_are_the_same(db: Db) {
    let clock = clock();
    let rows = page(&db, &clock).await;
    assert!(are_there(&db, &clock, rows).await);
    assert_eq!(page(&db, &clock).await, rows, "a page that is compared again remembers the same");
}

async fn whatever_is_written_is_noticed(db: Db) {
    let clock = clock();
    let rows = page(&db, &clock).await;
    apply_change(&db, "B", Change::Connection(ConnectionStatus::Offline, None), clock.now()).await.unwrap();
    assert!(!are_there(&db, &clock, rows).await, "an event");
    let rows = page(&db, &clock).await;
    let read = Read::begin(&clock).end(&clock);
    apply_read(&db, &[Entry { key: 2, record: record("B", Some("North")) }], read).await.unwrap();
    assert!(!are_there(&db, &clock, rows).await, "a single read");
    let rows = page(&db, &clock).await;
    assert!(super::super::upsert::remove(&db, "C", clock.now()).await.unwrap().is_some());
    assert!(!are_there(&db, &clock, rows).await, "a removal");
}

async fn a_page_is_compared_while_a_single_read_is_out(db: Db) {
    let clock = clock();
    let rows = page(&db, &clock).await;
    Read::announce(&db, &clock, "B").await.unwrap();
    assert!(!are_there(&db, &clock, rows).await);
    clock.advance(SignedDuration::from_mins(6));
    assert!(are_there(&db, &clock, rows).await, "such a read is void");
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        rows_that_nobody_wrote_are_the_same,
        whatever_is_written_is_noticed,
        a_page_is_compared_while_a_single_read_is_out,
    ]
);
