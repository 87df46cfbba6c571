//! Several consoles on one database: one of them runs the passes.

use platform::db::{Db, params};

use crate::world::*;

async fn holder(database: &Db) -> Option<String> {
    let sql = "SELECT holder FROM leases WHERE name = 'index'";
    database.fetch_optional::<(String,)>(sql, params![]).await.unwrap().map(|(holder,)| holder)
}

#[tokio::test]
async fn a_wish_reaches_the_node_that_runs_the_passes() {
    let world = World::start().await;
    let database = Db::connect(&world.database).await.unwrap();
    let first = holder(&database).await.unwrap();
    let second = world.another_console(|_| {}).await;
    second.ready().await;
    world.add_device("NEW-1", "South").await;
    second.resync().await;
    assert_eq!(holder(&database).await.unwrap(), first, "still the first node's");
    let mut browser = world.signed_in(SOUTH_ADMIN).await;
    assert_eq!(browser.dsns("").await, ["NEW-1", SOUTH]);
    second.shutdown().await;
    assert_eq!(holder(&database).await.unwrap(), first, "not the second's to give back");
}

#[tokio::test]
async fn another_node_takes_over_when_the_first_one_stops() {
    let mut world = World::start().await;
    let second = world.another_console(|_| {}).await;
    let first = std::mem::replace(&mut world.console, second);
    first.shutdown().await;
    world.add_device("NEW-1", "South").await;
    world.console.resync().await;
    let mut browser = world.signed_in(SOUTH_ADMIN).await;
    assert_eq!(browser.dsns("").await, ["NEW-1", SOUTH]);
}
