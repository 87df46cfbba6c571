//! A randomised simulation of passes: between any two steps of passes and single reads, any change of the fleet can
//! happen, reproducibly for each seed. `SILLAGE_SEEDS` sets the number of seeds.

mod actors;
mod cloud;
mod schedule;
mod streams;

use platform::bus::Bus;
use platform::run::random::Random;

use super::super::sync_state::MAX_STREAM_DELAY;
use super::*;
use crate::base::Base;
use schedule::Schedule;

/// Runs the seeds, each with an empty index.
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
    // The simulation needs no durability.
    test.db.execute("pragma synchronous = OFF", params![]).await.unwrap();
    run(&test.db, 250).await;
}

#[tokio::test]
async fn index_converges_to_the_cloud_after_random_events_on_postgres() {
    let test = platform::testing::TestDb::postgres().await;
    crate::migrations::migrate(&test.db).await;
    run(&test.db, 20).await;
}
