//! Number of database reads per event. It must not grow with the readers: a device may be open on a thousand pages.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use platform::testing::TestDb;
use serde_json::json;

use crate::browser::Stream;
use crate::world::*;

/// The SQL statements of this process, from the log of the database driver.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<Vec<String>>>);

impl Statements {
    fn record() -> Self {
        let statements = Self::default();
        let log = statements.clone();
        let subscriber = tracing_subscriber::fmt().with_env_filter("sqlx::query=trace").with_ansi(false);
        subscriber.with_writer(move || log.clone()).init();
        statements
    }

    /// The reads of the console since the last call, without those of forecasts and attention, which jobs make in their own time.
    fn take_reads(&self) -> Vec<String> {
        let mut statements = std::mem::take(&mut *self.0.lock().unwrap());
        let of_console = ["from sessions", "from session_version", "idx_"];
        statements.retain(|it| it.contains("select") && !it.contains("idx_forecasts"));
        statements.retain(|it| !it.contains("attention_") && !it.contains("from idx_sync"));
        statements.retain(|it| of_console.iter().any(|table| it.contains(table)));
        statements
    }
}

impl Write for Statements {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Built statements have their keywords in capitals.
        self.0.lock().unwrap().push(String::from_utf8_lossy(line).to_lowercase());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

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
