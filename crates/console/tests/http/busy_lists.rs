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
    let waiting = "select count(*), count(case when a.query like '%runs_dry_falling%' then 1 end) \
                   from pg_locks l join pg_stat_activity a using (pid) where not l.granted and l.relation is not null \
                   and l.database = (select oid from pg_database where datname = current_database())";
    let (lock, lists) = 'locked: loop {
        // Lists in memory have nothing to read from the locked table, unless a device changes just now.
        assert_eq!(browser.get("/api/devices").await.status, 200);
        let mut lock = blocker.begin().await.unwrap();
        // A second table could deadlock with a transaction of the console that reads both in the other order.
        lock.execute("LOCK TABLE idx_devices IN ACCESS EXCLUSIVE MODE", params![]).await.unwrap();
        let lists: Vec<_> = (1..=LISTS)
            .map(|page| {
                let mut browser = browser.clone();
                tokio::spawn(async move { browser.get(&format!("/api/devices?page={page}")).await.status })
            })
            .collect();
        loop {
            let (all, following): (i64, i64) = blocker.fetch_one(waiting, params![]).await.unwrap();
            if following > 0 {
                break;
            }
            if all >= CONNECTIONS {
                break 'locked (lock, lists);
            }
            pause().await;
        }
        drop(lock);
        for list in lists {
            assert_eq!(list.await.unwrap(), 200);
        }
    };
    assert_eq!(browser.get("/api/jwt/ping").await.status, 200);
    assert!(lists.iter().all(|list| !list.is_finished()));
    lock.commit().await.unwrap();
    for list in lists {
        assert_eq!(list.await.unwrap(), 200);
    }
}
