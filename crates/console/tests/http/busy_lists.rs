//! Lists that take long do not delay requests that only need a session.

use platform::db::{Db, params};
use platform::testing::{TestDb, pause};

use crate::world::*;

/// More than the console has connections for lists.
const LISTS: usize = 20;
const CONNECTIONS: i64 = 16;

#[tokio::test]
async fn lists_that_wait_for_the_database_do_not_delay_the_reads_of_sessions() {
    let database = TestDb::postgres().await;
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(ADMIN).await;
    let blocker = Db::connect(&database.url).await.unwrap();
    let mut lock = blocker.begin().await.unwrap();
    // A second table could deadlock with a transaction of the console that reads both in the other order.
    lock.execute("LOCK TABLE idx_devices IN ACCESS EXCLUSIVE MODE", params![]).await.unwrap();
    // Different pages, because readers of the same one share its statements.
    let lists: Vec<_> = (1..=LISTS)
        .map(|page| {
            let mut browser = browser.clone();
            tokio::spawn(async move { browser.get(&format!("/api/devices?page={page}")).await.status })
        })
        .collect();
    let waiting = "select count(*) from pg_locks where not granted and relation is not null \
                   and database = (select oid from pg_database where datname = current_database())";
    while blocker.fetch_one::<(i64,)>(waiting, params![]).await.unwrap().0 < CONNECTIONS {
        pause().await;
    }
    assert_eq!(browser.get("/api/jwt/ping").await.status, 200);
    assert!(lists.iter().all(|list| !list.is_finished()));
    lock.commit().await.unwrap();
    for list in lists {
        assert_eq!(list.await.unwrap(), 200);
    }
}
