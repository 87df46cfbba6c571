//! What a page of a pass and single reads do to the index.

use super::super::changed::Changed;
use super::super::merge::{Applied, Range, apply_page};
use super::super::upsert::remove;
use super::*;

fn entry(key: i64, dsn: &str) -> Entry {
    Entry { key, record: record(dsn, None) }
}

fn renamed(key: i64, dsn: &str, customer: &str) -> Entry {
    Entry { key, record: DeviceRecord { customer: Some(customer.to_owned()), ..record(dsn, None) } }
}

/// One after the other, each a millisecond later.
fn next_read(clock: &Clock) -> Read {
    clock.advance(SignedDuration::from_millis(1));
    let read = Read::begin(clock);
    clock.advance(SignedDuration::from_millis(1));
    read.end(clock)
}

async fn page(db: &Db, entries: &[Entry], range: (i64, i64), read: Read) -> (Applied, Vec<String>) {
    let (after, through) = range;
    let mut merged = apply_page(db, &Range { entries, after, through }, read).await.unwrap();
    merged.missing.sort();
    (merged.applied, merged.missing)
}

/// Both tables as they are, with their stamps.
async fn everything(db: &Db) -> Vec<(String, i64, i64, String, i64)> {
    let sql = "SELECT d.dsn, d.key, s.synced_at, d.customer, s.reading_until \
               FROM idx_devices d JOIN idx_device_state s ON s.dsn = d.dsn ORDER BY d.dsn";
    db.fetch_all(sql, params![]).await.unwrap()
}

async fn customer(db: &Db, dsn: &str) -> Option<String> {
    find(db, &admin(), dsn).await.unwrap().unwrap().customer
}

async fn a_page_of_alike_rows_writes_nothing(db: Db) {
    let clock = clock();
    let fleet: Vec<Entry> = (1..=60).map(|key| entry(key, &format!("D{key:02}"))).collect();
    let (applied, missing) = page(&db, &fleet, (i64::MIN, 60), next_read(&clock)).await;
    assert_eq!((applied.changed.len(), missing.len()), (60, 0));
    let before = everything(&db).await;
    let again = page(&db, &fleet, (i64::MIN, 60), next_read(&clock)).await;
    assert_eq!(again, (Applied::default(), vec![]));
    assert_eq!(everything(&db).await, before);
}

async fn a_page_writes_what_differs_and_names_what_it_misses(db: Db) {
    let clock = clock();
    let fleet = [entry(1, "A"), entry(2, "B"), entry(3, "C"), entry(4, "D"), entry(5, "E")];
    page(&db, &fleet, (i64::MIN, 5), next_read(&clock)).await;
    let found = [renamed(2, "B", "Hotel Borealis"), entry(4, "D")];
    let (applied, missing) = page(&db, &found, (1, 4), next_read(&clock)).await;
    let changed = Changed { dsn: "B".to_owned(), lists: vec![String::new()] };
    assert_eq!(applied, Applied { changed: vec![changed], outdated: vec![] });
    assert_eq!(missing, ["C"], "A and E are of other pages");
    assert_eq!(customer(&db, "B").await.as_deref(), Some("Hotel Borealis"));
    let (_, missing) = page(&db, &[], (4, i64::MAX), next_read(&clock)).await;
    assert_eq!(missing, ["E"], "the last page has no end");
}

async fn a_device_that_is_listed_twice_is_one_device(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A"), entry(2, "A")], (i64::MIN, 2), next_read(&clock)).await;
    assert_eq!(everything(&db).await.len(), 1);
}

async fn a_device_under_another_key_stays_one_device(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A"), entry(2, "B")], (i64::MIN, 2), next_read(&clock)).await;
    let (applied, missing) = page(&db, &[entry(9, "A")], (2, 9), next_read(&clock)).await;
    assert_eq!((applied, missing), (Applied::default(), vec![]), "nobody sees a key");
    let keys: Vec<(String, i64)> = everything(&db).await.into_iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(keys, [("A".to_owned(), 9), ("B".to_owned(), 2)]);
    let (_, missing) = page(&db, &[entry(2, "B")], (i64::MIN, 2), next_read(&clock)).await;
    assert!(missing.is_empty(), "its earlier key is forgotten");
}

async fn a_page_that_is_older_than_a_row_asks_for_another_read(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A"), entry(2, "B")], (i64::MIN, 2), next_read(&clock)).await;
    let slow = Read::begin(&clock);
    apply_read(&db, &[renamed(1, "A", "New")], next_read(&clock)).await.unwrap();
    let (applied, missing) = page(&db, &[entry(1, "A"), entry(2, "B")], (i64::MIN, 2), slow.end(&clock)).await;
    assert_eq!((applied.changed, applied.outdated, missing), (vec![], vec!["A".to_owned()], vec![]));
    assert_eq!(customer(&db, "A").await.as_deref(), Some("New"));
}

async fn of_two_reads_that_overlap_the_older_never_wins(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    // The single read sees a name that is taken back before the page is read, which finds the row as it is.
    let single = Read::announce(&db, &clock, "A").await.unwrap();
    let (applied, _) = page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    assert!(applied.changed.is_empty());
    let applied = apply_read(&db, &[renamed(1, "A", "Taken back")], single.end(&clock)).await.unwrap();
    assert_eq!(applied.outdated, ["A"]);
    assert_eq!(customer(&db, "A").await.as_deref(), Some("Hotel Aurora"));
}

async fn a_single_read_leaves_its_stamp_on_an_alike_row(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    let slow = Read::begin(&clock);
    apply_read(&db, &[entry(1, "A")], next_read(&clock)).await.unwrap();
    let (applied, _) = page(&db, &[renamed(1, "A", "Older")], (i64::MIN, 1), slow.end(&clock)).await;
    assert_eq!(applied.outdated, ["A"]);
}

async fn a_read_that_took_too_long_counts_for_nothing(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    let slow = Read::announce(&db, &clock, "A").await.unwrap();
    clock.advance(SignedDuration::from_mins(6));
    // No stamp: the read that is out is void.
    let before = everything(&db).await;
    page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    assert_eq!(everything(&db).await, before);
    let applied = apply_read(&db, &[renamed(1, "A", "Ancient")], slow.end(&clock)).await.unwrap();
    assert_eq!(applied.outdated, ["A"]);
}

async fn only_a_row_no_younger_than_the_question_is_removed(db: Db) {
    let clock = clock();
    let asked = clock.now();
    apply_read(&db, &[entry(1, "A")], next_read(&clock)).await.unwrap();
    assert_eq!(remove(&db, "A", asked).await.unwrap(), None);
    assert!(find(&db, &admin(), "A").await.unwrap().is_some());
    let removed = Changed { dsn: "A".to_owned(), lists: vec![String::new()] };
    assert_eq!(remove(&db, "A", clock.now()).await.unwrap(), Some(removed));
    assert_eq!((find(&db, &admin(), "A").await.unwrap(), everything(&db).await), (None, vec![]));
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        a_page_of_alike_rows_writes_nothing,
        a_page_writes_what_differs_and_names_what_it_misses,
        a_device_that_is_listed_twice_is_one_device,
        a_device_under_another_key_stays_one_device,
        a_page_that_is_older_than_a_row_asks_for_another_read,
        of_two_reads_that_overlap_the_older_never_wins,
        a_single_read_leaves_its_stamp_on_an_alike_row,
        a_read_that_took_too_long_counts_for_nothing,
        only_a_row_no_younger_than_the_question_is_removed,
    ]
);
