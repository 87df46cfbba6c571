//! Applying pages and single reads to the index.

use super::super::changed_device::ChangedDevice;
use super::super::merge::{KeyRange, ReadOutcome, apply_page};
use super::super::upsert::remove;
use super::*;
use crate::records::device_panic::DEFECTIVE;

fn entry(key: i64, dsn: &str) -> IndexEntry {
    IndexEntry { key, record: record(dsn, None) }
}

fn renamed(key: i64, dsn: &str, customer: &str) -> IndexEntry {
    IndexEntry { key, record: DeviceRecord { customer: Some(customer.to_owned()), ..record(dsn, None) } }
}

/// Returns consecutive reads, a millisecond apart.
fn next_read(clock: &Clock) -> CloudRead {
    clock.advance(SignedDuration::from_millis(1));
    let read = CloudRead::begin(clock);
    clock.advance(SignedDuration::from_millis(1));
    read.end(clock)
}

async fn page(db: &Db, entries: &[IndexEntry], range: (i64, i64), read: CloudRead) -> (ReadOutcome, Vec<String>) {
    let (after, through) = range;
    let mut merged = apply_page(db, &KeyRange { entries, after, through }, read).await.unwrap();
    merged.missing.sort();
    (merged.applied, merged.missing)
}

/// The rows of both tables with their stamps.
async fn everything(db: &Db) -> Vec<(String, i64, i64, String, i64)> {
    let sql = "select d.dsn, d.key, s.synced_at, d.customer, s.reading_until \
               from idx_devices d join idx_device_state s on s.dsn = d.dsn order by d.dsn";
    db.fetch_all(sql, params![]).await.unwrap()
}

async fn customer(db: &Db, dsn: &str) -> Option<String> {
    find(db, dsn).await.unwrap().unwrap().customer
}

async fn page_equal_to_the_index_writes_nothing(db: Db) {
    let clock = clock();
    let fleet: Vec<IndexEntry> = (1..=60).map(|key| entry(key, &format!("D{key:02}"))).collect();
    let (applied, missing) = page(&db, &fleet, (i64::MIN, 60), next_read(&clock)).await;
    assert_eq!((applied.changed.len(), missing.len()), (60, 0));
    let before = everything(&db).await;
    let again = page(&db, &fleet, (i64::MIN, 60), next_read(&clock)).await;
    assert_eq!(again, (ReadOutcome::default(), vec![]));
    assert_eq!(everything(&db).await, before);
}

async fn panic_while_a_device_is_merged_leaves_it_to_a_later_read_and_stops_no_others(db: Db) {
    let clock = clock();
    let fleet = [entry(1, DEFECTIVE), entry(2, "B")];
    let (applied, missing) = page(&db, &fleet, (i64::MIN, 2), next_read(&clock)).await;
    let changed = ChangedDevice { dsn: "B".to_owned(), lists: vec![String::new()] };
    assert_eq!(applied, ReadOutcome { changed: vec![changed], outdated: vec![DEFECTIVE.to_owned()] });
    assert_eq!(missing, Vec::<String>::new());
    let stored: Vec<String> = everything(&db).await.into_iter().map(|row| row.0).collect();
    assert_eq!(stored, ["B"]);
}

async fn page_writes_changed_devices_and_reports_missing_ones(db: Db) {
    let clock = clock();
    let fleet = [entry(1, "A"), entry(2, "B"), entry(3, "C"), entry(4, "D"), entry(5, "E")];
    page(&db, &fleet, (i64::MIN, 5), next_read(&clock)).await;
    let found = [renamed(2, "B", "Hotel Borealis"), entry(4, "D")];
    let (applied, missing) = page(&db, &found, (1, 4), next_read(&clock)).await;
    let changed = ChangedDevice { dsn: "B".to_owned(), lists: vec![String::new()] };
    assert_eq!(applied, ReadOutcome { changed: vec![changed], outdated: vec![] });
    assert_eq!(missing, ["C"], "A and E belong to other pages");
    assert_eq!(customer(&db, "B").await.as_deref(), Some("Hotel Borealis"));
    let (_, missing) = page(&db, &[], (4, i64::MAX), next_read(&clock)).await;
    assert_eq!(missing, ["E"], "the last page has no upper bound");
}

async fn device_listed_twice_is_stored_once(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A"), entry(2, "A")], (i64::MIN, 2), next_read(&clock)).await;
    assert_eq!(everything(&db).await.len(), 1);
}

async fn device_with_a_new_key_replaces_its_row(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A"), entry(2, "B")], (i64::MIN, 2), next_read(&clock)).await;
    let (applied, missing) = page(&db, &[entry(9, "A")], (2, 9), next_read(&clock)).await;
    assert_eq!((applied, missing), (ReadOutcome::default(), vec![]), "the key is not visible in lists");
    let keys: Vec<(String, i64)> = everything(&db).await.into_iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(keys, [("A".to_owned(), 9), ("B".to_owned(), 2)]);
    let (_, missing) = page(&db, &[entry(2, "B")], (i64::MIN, 2), next_read(&clock)).await;
    assert!(missing.is_empty(), "the previous key is removed");
}

async fn page_older_than_a_row_reports_the_device_as_outdated(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A"), entry(2, "B")], (i64::MIN, 2), next_read(&clock)).await;
    let slow = CloudRead::begin(&clock);
    apply_read(&db, &[renamed(1, "A", "New")], next_read(&clock)).await.unwrap();
    let (applied, missing) = page(&db, &[entry(1, "A"), entry(2, "B")], (i64::MIN, 2), slow.end(&clock)).await;
    assert_eq!((applied.changed, applied.outdated, missing), (vec![], vec!["A".to_owned()], vec![]));
    assert_eq!(customer(&db, "A").await.as_deref(), Some("New"));
}

async fn older_of_two_overlapping_reads_does_not_overwrite(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    // The single read sees a name that is reverted before the page is read, and the page finds the row unchanged.
    let single = CloudRead::announce(&db, &clock, "A").await.unwrap();
    let (applied, _) = page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    assert!(applied.changed.is_empty());
    let applied = apply_read(&db, &[renamed(1, "A", "Taken back")], single.end(&clock)).await.unwrap();
    assert_eq!(applied.outdated, ["A"]);
    assert_eq!(customer(&db, "A").await.as_deref(), Some("Hotel Aurora"));
}

async fn single_read_stamps_an_unchanged_row(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    let slow = CloudRead::begin(&clock);
    apply_read(&db, &[entry(1, "A")], next_read(&clock)).await.unwrap();
    let (applied, _) = page(&db, &[renamed(1, "A", "Older")], (i64::MIN, 1), slow.end(&clock)).await;
    assert_eq!(applied.outdated, ["A"]);
}

async fn overlong_read_is_ignored(db: Db) {
    let clock = clock();
    page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    let slow = CloudRead::announce(&db, &clock, "A").await.unwrap();
    clock.advance(SignedDuration::from_mins(6));
    // The announced read has expired, so the page does not stamp the row.
    let before = everything(&db).await;
    page(&db, &[entry(1, "A")], (i64::MIN, 1), next_read(&clock)).await;
    assert_eq!(everything(&db).await, before);
    let applied = apply_read(&db, &[renamed(1, "A", "Ancient")], slow.end(&clock)).await.unwrap();
    assert_eq!(applied.outdated, ["A"]);
}

async fn row_updated_after_the_read_began_is_not_removed(db: Db) {
    let clock = clock();
    let read_began = clock.now();
    apply_read(&db, &[entry(1, "A")], next_read(&clock)).await.unwrap();
    assert_eq!(remove(&db, "A", read_began).await.unwrap(), None);
    assert!(find(&db, "A").await.unwrap().is_some());
    let removed = ChangedDevice { dsn: "A".to_owned(), lists: vec![String::new()] };
    assert_eq!(remove(&db, "A", clock.now()).await.unwrap(), Some(removed));
    assert_eq!((find(&db, "A").await.unwrap(), everything(&db).await), (None, vec![]));
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        page_equal_to_the_index_writes_nothing,
        panic_while_a_device_is_merged_leaves_it_to_a_later_read_and_stops_no_others,
        page_writes_changed_devices_and_reports_missing_ones,
        device_listed_twice_is_stored_once,
        device_with_a_new_key_replaces_its_row,
        page_older_than_a_row_reports_the_device_as_outdated,
        older_of_two_overlapping_reads_does_not_overwrite,
        single_read_stamps_an_unchanged_row,
        overlong_read_is_ignored,
        row_updated_after_the_read_began_is_not_removed,
    ]
);
