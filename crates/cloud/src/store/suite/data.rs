//! Data of devices and users.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::store::data::{self, Owner};

async fn key_is_created_once_changed_and_deleted(db: Db) {
    let node = node(db).await;
    let (id,): (i64,) = node.db.fetch_one("select id from device where dsn = 'DEV-A1'", params![]).await.unwrap();
    let (user,): (i64,) = node.db.fetch_one("select min(id) from users", params![]).await.unwrap();
    for (owner, neighbour) in [(Owner::Device(id), Owner::Device(id + 1)), (Owner::User(user), Owner::User(user + 1))] {
        of_an_owner(&node, owner, neighbour).await;
    }
    let mut tx = node.db.begin().await.unwrap();
    assert!(data::is_set(&mut tx, id, "customer").await.unwrap());
    assert!(!data::is_set(&mut tx, id, "room").await.unwrap());
}

async fn of_an_owner(node: &Node, owner: Owner, neighbour: Owner) {
    let (first, later) = (node.clock.now(), node.clock.now() + SignedDuration::from_secs(60));
    let insert = async |value| {
        let mut tx = node.db.begin().await.unwrap();
        let row = data::insert(&mut tx, owner, "floor", value, first).await.unwrap();
        tx.commit().await.unwrap();
        row
    };
    // Concurrent inserts: one of them succeeds.
    let (one, other) = tokio::join!(insert("1"), insert("2"));
    assert!(one.is_some() != other.is_some(), "{one:?} {other:?}");
    let made = one.or(other).unwrap();
    let found = data::find(&node.db, owner, "floor").await.unwrap().unwrap();
    assert_eq!((&found.value, found.created_at, found.updated_at), (&made.value, made.created_at, made.created_at));
    let changed = data::update(&node.db, owner, "floor", "3", later).await.unwrap().unwrap();
    assert_eq!((&*changed.value, changed.created_at), ("3", made.created_at));
    assert_eq!(changed.updated_at - changed.created_at, 60_000_000);
    assert!(
        data::update(&node.db, neighbour, "floor", "3", later).await.unwrap().is_none(),
        "the other device has none"
    );
    assert!(data::delete(&node.db, owner, "floor").await.unwrap());
    assert!(!data::delete(&node.db, owner, "floor").await.unwrap());
    assert!(data::find(&node.db, owner, "floor").await.unwrap().is_none());
}

store_suite!(migrate = crate::store::tests::migrated, tests = [key_is_created_once_changed_and_deleted,]);
