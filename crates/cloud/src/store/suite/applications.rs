//! Applications: their secrets.

use jiff::{SignedDuration, Timestamp};
use platform::db::Db;
use platform::store_suite;

use crate::domain::secret::digest;
use crate::store::applications;

const APP: &str = "app";

async fn add_application(db: &Db, secret: &str, now: Timestamp) -> i64 {
    let oem = applications::ensure_oem(db, "Oem", "0a0b0c0d", now).await.unwrap();
    applications::ensure(db, oem.id, APP, "App", &digest(secret), now).await.unwrap();
    oem.id
}

/// The secrets among these that are valid at this time.
async fn valid<'s>(db: &Db, secrets: &[&'s str], now: Timestamp) -> Vec<&'s str> {
    let application = applications::find(db, APP).await.unwrap().unwrap();
    secrets.iter().copied().filter(|secret| application.has_secret(secret, now)).collect()
}

async fn earlier_secret_is_valid_until_its_time_or_its_end(db: Db) {
    let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
    let until = now + SignedDuration::from_hours(1);
    let before = until - SignedDuration::from_micros(1);
    let all = ["first", "second", "third", "fourth", ""];
    let oem = add_application(&db, "first", now).await;
    let rotate = async |secret: &str, until| {
        assert!(applications::rotate_secret(&db, oem, APP, &digest(secret), until).await.unwrap());
    };
    rotate("second", Some(until)).await;
    assert_eq!(valid(&db, &all, before).await, ["first", "second"]);
    assert_eq!(valid(&db, &all, until).await, ["second"]);
    rotate("third", Some(until)).await;
    assert_eq!(valid(&db, &all, before).await, ["second", "third"]);
    assert!(applications::end_earlier_secret(&db, oem, APP).await.unwrap());
    assert_eq!(valid(&db, &all, before).await, ["third"]);
    rotate("fourth", Some(until)).await;
    rotate("first", None).await;
    assert_eq!(valid(&db, &all, before).await, ["first"]);
    rotate("second", Some(until)).await;
    add_application(&db, "third", now).await;
    assert_eq!(valid(&db, &all, before).await, ["third"]);
}

async fn application_of_another_manufacturer_is_left_as_it_is(db: Db) {
    let now = Timestamp::UNIX_EPOCH;
    let oem = add_application(&db, "first", now).await;
    assert!(!applications::rotate_secret(&db, oem + 1, APP, &digest("second"), None).await.unwrap());
    assert!(!applications::end_earlier_secret(&db, oem + 1, APP).await.unwrap());
    assert_eq!(valid(&db, &["first", "second"], now).await, ["first"]);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [application_of_another_manufacturer_is_left_as_it_is, earlier_secret_is_valid_until_its_time_or_its_end,]
);
