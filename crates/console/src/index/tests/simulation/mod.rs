//! The sync in a world of chance: everything that can happen to a fleet happens between any two steps of passes and single
//! reads, one thing at a time, the same for the same seed. `SILLAGE_SEEDS` asks for more seeds than usual.

mod actors;
mod cloud;
mod schedule;

use platform::bus::Bus;
use platform::random::Random;

use super::*;
use crate::state::Base;
use schedule::Schedule;

/// Runs so many seeds, each in an index that begins empty.
async fn run(db: &Db, usual: u64) {
    let seeds = std::env::var("SILLAGE_SEEDS").map_or(usual, |seeds| seeds.parse().unwrap());
    for seed in 0..seeds {
        drop_index(db).await.unwrap();
        let base = Base { db: db.clone(), bus: Bus::in_process(), clock: clock(), random: Random::seeded(seed) };
        Schedule::new(base, seed).run().await;
    }
}

#[tokio::test]
async fn index_converges_to_the_cloud_after_random_events_on_sqlite() {
    let test = platform::testing::TestDb::sqlite().await;
    crate::migrations::migrate(&test.db).await;
    // Nobody pulls the plug on a simulation.
    test.db.execute("PRAGMA synchronous = OFF", params![]).await.unwrap();
    run(&test.db, 250).await;
}

#[tokio::test]
async fn index_converges_to_the_cloud_after_random_events_on_postgres() {
    let test = platform::testing::TestDb::postgres().await;
    crate::migrations::migrate(&test.db).await;
    run(&test.db, 20).await;
}
