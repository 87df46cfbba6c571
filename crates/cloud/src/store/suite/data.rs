//! Data of devices and users.

use futures::future::join_all;
use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::devices::data::{Data, DatumError};
use crate::store::data::{self, DatumRow, Owner};

const KIB: usize = 1024;

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
    let update = async |owner, value| {
        let mut tx = node.db.begin().await.unwrap();
        let row = data::update(&mut tx, owner, "floor", value, later).await.unwrap();
        tx.commit().await.unwrap();
        row
    };
    // Concurrent inserts: one of them succeeds.
    let (one, other) = tokio::join!(insert("1"), insert("2"));
    assert!(one.is_some() != other.is_some(), "{one:?} {other:?}");
    let made = one.or(other).unwrap();
    let found = data::find(&node.db, owner, "floor").await.unwrap().unwrap();
    assert_eq!((&found.value, found.created_at, found.updated_at), (&made.value, made.created_at, made.created_at));
    let changed = update(owner, "3").await.unwrap();
    assert_eq!((&*changed.value, changed.created_at), ("3", made.created_at));
    assert_eq!(changed.updated_at - changed.created_at, 60_000_000);
    assert!(update(neighbour, "3").await.is_none(), "the other owner has no such key");
    assert!(data::delete(&node.db, owner, "floor").await.unwrap());
    assert!(!data::delete(&node.db, owner, "floor").await.unwrap());
    assert!(data::find(&node.db, owner, "floor").await.unwrap().is_none());
}

/// A device without data, a user without data, and the service.
async fn empty_owners(db: Db) -> (Node, Data, [Owner; 2]) {
    let node = node(db).await;
    let service = Data { db: node.db.clone(), clock: node.clock.clone() };
    let (device,): (i64,) = node.db.fetch_one("select id from device where dsn = 'DEV-A1'", params![]).await.unwrap();
    let (user,): (i64,) = node.db.fetch_one("select min(id) from users", params![]).await.unwrap();
    let owners = [Owner::Device(device), Owner::User(user)];
    for owner in owners {
        for row in data::all(&node.db, owner).await.unwrap() {
            service.delete(owner, &row.key).await.unwrap();
        }
    }
    (node, service, owners)
}

fn limit(result: &Result<DatumRow, DatumError>) -> Option<(&'static str, i64)> {
    match result {
        Err(DatumError::TooMany { max }) => Some(("entries", *max)),
        Err(DatumError::TooLarge { max }) => Some(("bytes", *max)),
        result => {
            assert!(result.is_ok(), "{result:?}");
            None
        }
    }
}

async fn concurrent_creations_never_exceed_256_entries(db: Db) {
    let (node, service, owners) = empty_owners(db).await;
    for owner in owners {
        let keys: Vec<String> = (0..260).map(|number| format!("key {number}")).collect();
        let results = join_all(keys.iter().map(|key| service.create(owner, key, ""))).await;
        let rejected: Vec<_> = results.iter().filter_map(limit).collect();
        assert_eq!(rejected, [("entries", 256); 4]);
        let all = data::all(&node.db, owner).await.unwrap();
        assert_eq!(all.len(), 256);

        // A change needs no new entry, and a deletion makes room for one.
        service.update(owner, &all[0].key, "x").await.unwrap();
        service.delete(owner, &all[0].key).await.unwrap();
        service.create(owner, "one more", "").await.unwrap();
    }
}

async fn concurrent_writes_never_exceed_the_bytes_of_an_owner(db: Db) {
    let (node, service, owners) = empty_owners(db).await;
    for (owner, max) in owners.into_iter().zip([64 * KIB, KIB * KIB]) {
        // Keys and values count in bytes of UTF-8: each entry takes a sixteenth.
        let value = "é".repeat(max / 32 - 4);
        let keys: Vec<String> = (0..20).map(|number| format!("kéy {number:03}")).collect();
        let results = join_all(keys.iter().map(|key| service.create(owner, key, &value))).await;
        let rejected: Vec<_> = results.iter().filter_map(limit).collect();
        assert_eq!(rejected, [("bytes", i64::try_from(max).unwrap()); 4]);
        let all = data::all(&node.db, owner).await.unwrap();
        assert_eq!(all.iter().map(|row| row.key.len() + row.value.len()).sum::<usize>(), max);

        // Room for one of two longer values.
        service.update(owner, &all[0].key, &value[2..]).await.unwrap();
        let longer = format!("{value}xx");
        let (one, other) =
            tokio::join!(service.update(owner, &all[1].key, &longer), service.update(owner, &all[2].key, &longer));
        assert!(limit(&one).is_some() != limit(&other).is_some(), "{one:?} {other:?}");
    }
}

async fn data_beyond_the_limit_can_be_reduced(db: Db) {
    let (node, service, [device, _]) = empty_owners(db).await;
    let mut tx = node.db.begin().await.unwrap();
    for number in 0..5 {
        let key = format!("key {number}");
        data::insert(&mut tx, device, &key, &"v".repeat(16 * KIB), node.clock.now()).await.unwrap();
    }
    tx.commit().await.unwrap();
    let max = Some(("bytes", 64 * 1024));
    assert_eq!(limit(&service.create(device, "key", "").await), max);
    assert_eq!(limit(&service.update(device, "key 0", &"v".repeat(16 * KIB + 1)).await), max);
    service.update(device, "key 0", &"v".repeat(16 * KIB - 1)).await.unwrap();
    service.delete(device, "key 1").await.unwrap();
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        key_is_created_once_changed_and_deleted,
        concurrent_creations_never_exceed_256_entries,
        concurrent_writes_never_exceed_the_bytes_of_an_owner,
        data_beyond_the_limit_can_be_reduced,
    ]
);
