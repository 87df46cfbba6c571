//! The data of devices.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::node;
use crate::store::data;

async fn a_key_is_made_once_changed_and_deleted(db: Db) {
    let node = node(db).await;
    let (id,): (i64,) = node.db.fetch_one("select id from device where dsn = 'DEV-A1'", params![]).await.unwrap();
    let (first, later) = (node.clock.now(), node.clock.now() + SignedDuration::from_secs(60));
    // Two at once: one of them makes it.
    let (one, other) =
        tokio::join!(data::insert(&node.db, id, "floor", "1", first), data::insert(&node.db, id, "floor", "2", first));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert!(one.is_some() != other.is_some(), "{one:?} {other:?}");
    let made = one.or(other).unwrap();
    let found = data::find(&node.db, id, "floor").await.unwrap().unwrap();
    assert_eq!((&found.value, found.created_at, found.updated_at), (&made.value, made.created_at, made.created_at));
    let changed = data::update(&node.db, id, "floor", "3", later).await.unwrap().unwrap();
    assert_eq!((&*changed.value, changed.created_at), ("3", made.created_at));
    assert_eq!(changed.updated_at - changed.created_at, 60_000_000);
    assert!(data::update(&node.db, id + 1, "floor", "3", later).await.unwrap().is_none(), "the neighbour has none");
    let mut tx = node.db.begin().await.unwrap();
    assert!(data::is_set(&mut tx, id, "floor").await.unwrap());
    assert!(!data::is_set(&mut tx, id, "room").await.unwrap());
    tx.commit().await.unwrap();
    assert!(data::delete(&node.db, id, "floor").await.unwrap());
    assert!(!data::delete(&node.db, id, "floor").await.unwrap());
    assert!(data::find(&node.db, id, "floor").await.unwrap().is_none());
}

store_suite!(migrate = crate::store::tests::migrated, tests = [a_key_is_made_once_changed_and_deleted,]);
