//! Number of database reads per event. It must not grow with the readers: a device may be open on a thousand pages.

use platform::testing::TestDb;
use serde_json::json;

use crate::browser::Stream;
use crate::statements::Statements;
use crate::world::*;

/// Reports an intensity and waits until it has reached all readers.
async fn report(world: &World, readers: &mut [Stream], intensity: i64) {
    world.cloud.device(NORTH).await.report(&[("intensity", json!(intensity))]).await;
    for reader in readers {
        assert_eq!(reader.until("reported", NORTH).await["intensity"], intensity);
    }
}

async fn event_is_read_once_for_all_readers_of_a_scope(database: TestDb) {
    let statements = Statements::record();
    let world = World::start_on(&database).await;
    let (tech, admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let mut readers = vec![tech.follow_page(NORTH).await];
    // The first event after the sign-ins may read the sessions.
    report(&world, &mut readers, 11).await;
    statements.take_reads();
    report(&world, &mut readers, 12).await;
    let of_one = statements.take_reads();

    for _ in 0..10 {
        readers.extend([tech.follow_page(NORTH).await, tech.follow(&[NORTH]).await, admin.follow(&[NORTH]).await]);
    }
    report(&world, &mut readers, 13).await;
    statements.take_reads();
    report(&world, &mut readers, 14).await;
    let of_many = statements.take_reads();
    assert_eq!(of_many.len(), of_one.len(), "{of_many:#?}\n{of_one:#?}");
    let reads = |table: &str| of_many.iter().filter(|it| it.contains(table)).count();
    // The version of all sessions is read with the row, and again after the page.
    assert_eq!((reads("from session_version"), reads("from sessions")), (2, 0), "{of_many:#?}");
}

on_both_databases!(event_is_read_once_for_all_readers_of_a_scope);
